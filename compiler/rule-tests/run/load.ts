/** Emitted modules of realms as they run, within the compiler's own process. */
import { build, type Plugin } from "esbuild";
import * as runtime from "../../../runtime/index.ts";
import type { RealmDefinition } from "../../../runtime/realm/definition.ts";
import type { RealmModule } from "../../../runtime/realm/exchange.ts";
import type { EmittedFile } from "../../../templates/print/code.ts";
import { emittedModules } from "../../bundle/plugins.ts";

const entry = "rule-tests.ts";

/**
 * What the emitted `realm.ts` of each realm defines, by the realm's name. It runs on this process's own runtime.
 * @param files all emitted files of the realms, and no others
 */
export async function loadDefinitions(
  realms: readonly string[],
  files: readonly EmittedFile[],
): Promise<ReadonlyMap<string, RealmDefinition>> {
  const lines = [
    ...realms.map((name, at) => `import * as realm${at} from "./${name}/realm.ts";`),
    `export const all = [${realms.map((_, at) => `realm${at}`).join(", ")}];`,
  ];
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    write: false,
    external: ["realmc/runtime"],
    // Nothing that is emitted lies on the disk.
    plugins: [
      withoutMigrations,
      emittedModules("", () => [...files, { path: entry, text: lines.join("\n") }]),
    ],
  });
  const module: { exports: { readonly all?: readonly Readonly<Record<string, RealmModule>>[] } } = {
    exports: {},
  };
  new Function("require", "module", "exports", outputFiles[0]?.text ?? "")(
    () => runtime,
    module,
    module.exports,
  );
  const definitions = (module.exports.all ?? []).flatMap((each) => Object.values(each));
  return new Map(definitions.map(({ definition }) => [definition.name, definition]));
}

/** Documents of rule tests are of the newest form, so what brings others there is not made: it would take a check of its own. */
const withoutMigrations: Plugin = {
  name: "without-migrations",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/_migrations\/[^/]+\.js$/, namespace: "generated" }, () => ({
      contents: "export default { forward: (document) => document };",
    }));
  },
};
