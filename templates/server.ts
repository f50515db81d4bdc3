import {
  array,
  code,
  type EmittedFile,
  emitModule,
  imported,
  importedDefault,
  member,
  object,
  property,
} from "../compiler/emit/code.ts";
import { manifestPath } from "./manifest.ts";
import { realmName, runtime } from "./names.ts";

/** `server.ts`: the process that serves all realms. */
export function serverModule(realms: readonly string[]): EmittedFile {
  const modules = realms.map((realm) => imported(realmName(realm), `./${realm}/realm.ts`));
  return emitModule({
    path: "server.ts",
    sources: [],
    body: code`await ${imported("main", runtime)}(${object([
      property("fingerprint", member(manifest, "fingerprint")),
      property("realms", array(modules)),
    ])});`,
  });
}

/** What changes with every change of the configuration stands in the manifest alone. */
const manifest = importedDefault("manifest", `./${manifestPath}`, { type: "json" });
