import {
  array,
  code,
  type EmittedFile,
  emitModule,
  imported,
  object,
  property,
} from "../compiler/emit/code.ts";
import { realmName, runtime } from "./names.ts";

/** `server.ts`: the process that serves all realms. */
export function serverModule(realms: readonly string[], fingerprint: string): EmittedFile {
  const modules = realms.map((realm) => imported(realmName(realm), `./${realm}/realm.ts`));
  return emitModule({
    path: "server.ts",
    sources: [],
    body: code`await ${imported("main", runtime)}(${object([
      property("fingerprint", fingerprint),
      property("realms", array(modules)),
    ])});`,
  });
}
