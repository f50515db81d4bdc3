/** A realm as a server would have it: what is emitted for it, loaded into this process. */
import { build } from "esbuild";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import { emittedModules } from "../bundle/plugins.ts";
import { type AnalysedRealm, emitRealm } from "../pipeline.ts";

/** Its validators, its migrations and its settings, as they are deployed. */
export async function loadedRealm(analysed: AnalysedRealm): Promise<RealmModule> {
  const { files } = await emitRealm(analysed);
  const { outputFiles } = await build({
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    target: "node20",
    entryPoints: [`${analysed.realm.name}/realm.ts`],
    external: ["realmc/runtime"],
    plugins: [emittedModules(".", () => files)],
    tsconfigRaw: {},
    logLevel: "silent",
  });
  const runtime = await import("../../runtime/index.ts");
  const module: { exports: Readonly<Record<string, RealmModule>> } = { exports: {} };
  const run = new Function("module", "exports", "require", outputFiles[0]?.text ?? "");
  run(module, module.exports, () => runtime);
  // The only thing that it exports.
  const [realm] = Object.values(module.exports);
  if (realm === undefined) throw new Error(`nothing was emitted for ${analysed.realm.name}`);
  return realm;
}
