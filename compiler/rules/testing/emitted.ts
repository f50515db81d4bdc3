/** Emitted rules as running code, for tests: what `rules.ts` modules export, bundled with the parts of the runtime they use. */
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { JsonObject } from "../../../runtime/json.ts";
import type { FieldRule, Rules } from "../../../runtime/realm/rule.ts";
import { fieldsModule } from "../../../templates/server/fields.ts";
import { rulesModule } from "../../../templates/server/rules.ts";
import type { Collection } from "../../model/model.ts";
import type { RulesStage } from "../compiled.ts";

export interface EmittedRules {
  readonly rules: Rules<JsonObject, JsonObject>;
  readonly fieldRules?: readonly FieldRule<JsonObject, JsonObject>[];
}

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The parts of `realmc/runtime` that rules and fields need, so that no server is loaded. */
const runtime = `
export * from "./runtime/rules/index.ts";
export * from "./runtime/filter/algebra.ts";
export { fieldsOf } from "./runtime/filter/declarations.ts";
export * from "./runtime/filter/fields.ts";
export { dateNormalizer } from "./runtime/filter/dates.ts";
export { fileFields } from "./runtime/filter/file-fields.ts";
`;

/** The modules of the collections, in their order, as they run. */
export async function emittedRules(
  collections: readonly Collection[],
  stage: RulesStage,
): Promise<readonly EmittedRules[]> {
  const texts = new Map<string, string>([["runtime", runtime]]);
  for (const [at, collection] of collections.entries()) {
    const compiled = stage.collections.get(`${collection.database}/${collection.name}`);
    if (compiled === undefined) throw new Error(`no rules of ${collection.name}`);
    texts.set(`${at}/rules.ts`, rulesModule(collection, compiled).text);
    texts.set(`${at}/fields.ts`, fieldsModule(collection, { auth: true }).text);
  }
  const names = collections.map((_, at) => `m${at}`);
  const entry = `${names.map((name, at) => `import * as ${name} from "emitted:${at}/rules.ts";`).join("\n")}\nexport const all = [${names.join(", ")}];`;
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: root },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    plugins: [emittedPlugin(texts)],
  });
  const [output] = outputFiles;
  const loaded: { readonly all: readonly EmittedRules[] } = await import(
    `data:text/javascript;base64,${Buffer.from(output?.contents ?? "").toString("base64")}`
  );
  return loaded.all;
}

function emittedPlugin(texts: ReadonlyMap<string, string>): Plugin {
  return {
    name: "emitted",
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^emitted:/ }, ({ path }) => ({
        path: path.slice("emitted:".length),
        namespace: "emitted",
      }));
      onResolve({ filter: /^realmc\/runtime$/ }, () => ({ path: "runtime", namespace: "emitted" }));
      onResolve({ filter: /^\.\/fields\.ts$/, namespace: "emitted" }, ({ importer }) => ({
        path: importer.replace("rules.ts", "fields.ts"),
        namespace: "emitted",
      }));
      onLoad({ filter: /.*/, namespace: "emitted" }, ({ path }) => ({
        contents: texts.get(path) ?? "",
        loader: "ts",
        resolveDir: root,
      }));
    },
  };
}
