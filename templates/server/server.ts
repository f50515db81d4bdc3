import {
  array,
  type Code,
  code,
  type EmittedFile,
  emitModule,
  imported,
  importedDefault,
  literal,
  member,
  object,
  property,
} from "../print/code.ts";
import { realmName, runtime } from "./names.ts";

/** `server.ts`: the process that serves all realms. */
export function serverModule(realms: readonly string[]): EmittedFile {
  return emitModule({
    path: "server.ts",
    sources: [],
    body: code`await ${imported("main", runtime)}(${program(member(manifest, "fingerprint"), realms)});`,
  });
}

/** What `realmc dev` runs in its place, and nobody reads: a module with the `program`. */
export function programModule(fingerprint: string, realms: readonly string[]): EmittedFile {
  return emitModule({
    path: "program.ts",
    sources: [],
    body: code`export const program = ${program(literal(fingerprint), realms)};`,
  });
}

function program(fingerprint: Code, realms: readonly string[]): Code {
  const modules = realms.map((realm) => imported(realmName(realm), `./${realm}/realm.ts`));
  return object([
    property("fingerprint", fingerprint),
    property("configuration", configuration),
    property("realms", array(modules)),
  ]);
}

/** What changes with every change of the configuration stands in the manifest alone. */
const manifest = importedDefault("manifest", "./manifest.json", { type: "json" });
/** Stores keep it. */
const configuration = importedDefault("configuration", "./configuration.json", { type: "json" });
