/** The stage of handlers, in realms with functions: their types, and the modules that threads load. */
import { resolve } from "node:path";
import type { EmittedFile } from "../templates/print/code.ts";
import type { Staged } from "./diagnostics/diagnostic.ts";
import { hasErrors } from "./diagnostics/sort.ts";
import { handlerTypes } from "./emit.ts";
import { bundleHandler } from "./functions/bundle.ts";
import { checkHandlers } from "./functions/check.ts";
import type { Realm } from "./model/model.ts";

/** @param folder the configuration folder */
export async function handlersOf(folder: string, realm: Realm): Promise<Staged<readonly EmittedFile[]>> {
  const root = resolve(folder);
  const diagnostics = checkHandlers(realm, await handlerTypes(realm), root);
  if (hasErrors(diagnostics)) return { value: [], diagnostics };
  const bundled = await Promise.all(realm.functions.map((fn) => bundleHandler(fn, root)));
  return {
    value: bundled.flatMap(({ files }) => files),
    diagnostics: [...diagnostics, ...bundled.flatMap((each) => each.diagnostics)],
  };
}
