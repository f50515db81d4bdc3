/** The stage of handlers, in realms with functions: their types, and the modules that threads load. */
import { resolve } from "node:path";
import type { EmittedFile } from "../templates/print/code.ts";
import type { Staged } from "./diagnostics/diagnostic.ts";
import { hasErrors } from "./diagnostics/sort.ts";
import { handlerTypes } from "./emit.ts";
import { HandlerBundles } from "./functions/bundles.ts";
import { HandlerChecks } from "./functions/check.ts";
import { identityWithoutHandlers } from "./model/identity.ts";
import type { Realm } from "./model/model.ts";

/** What is known of a realm's handlers, so that a change of one is looked at alone. Made and filled by {@link handlersOf}. */
export interface KnownHandlers {
  checks?: HandlerChecks;
  bundles?: HandlerBundles;
  types?: { readonly key: string; readonly emitted: readonly EmittedFile[] };
}

/**
 * @param folder the configuration folder
 * @param known of the same realm; default: nothing is
 */
export async function handlersOf(
  folder: string,
  realm: Realm,
  known: KnownHandlers = {},
): Promise<Staged<readonly EmittedFile[]>> {
  const root = resolve(folder);
  const key = identityWithoutHandlers(realm);
  if (known.types?.key !== key) known.types = { key, emitted: await handlerTypes(realm) };
  known.checks ??= new HandlerChecks(root);
  const diagnostics = known.checks.check({ realm, emitted: known.types.emitted, key });
  if (hasErrors(diagnostics)) return { value: [], diagnostics };
  known.bundles ??= new HandlerBundles(root);
  const bundled = await known.bundles.of(realm.functions);
  return {
    value: bundled.flatMap(({ files }) => files),
    diagnostics: [...diagnostics, ...bundled.flatMap((each) => each.diagnostics)],
  };
}
