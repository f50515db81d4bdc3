/** The stage of code, in realms with handlers or migrations in TypeScript: its types, and the modules that become of it. */
import { resolve } from "node:path";
import type { EmittedFile } from "../templates/print/code.ts";
import type { Diagnostic, Span, Staged } from "./diagnostics/diagnostic.ts";
import { hasErrors } from "./diagnostics/sort.ts";
import { handlerTypes } from "./emit.ts";
import { bundlingOf } from "./functions/bundle.ts";
import { HandlerBundles } from "./functions/bundles.ts";
import { HandlerChecks, handlerSubjects } from "./functions/check.ts";
import { migrationBundling, migrationSubject } from "./migrations/code.ts";
import { identityWithoutHandlers } from "./model/identity.ts";
import { codeMigrations } from "./model/migrations.ts";
import type { Realm } from "./model/model.ts";

export interface BundledCode {
  /** What threads load, by paths in a bundle. */
  readonly handlers: readonly EmittedFile[];
  /** By paths in the output. */
  readonly migrations: readonly EmittedFile[];
}

/** What is known of a realm's code, so that a change of one is looked at alone. Made and filled by {@link handlersOf}. */
export interface KnownHandlers {
  checks?: HandlerChecks;
  bundles?: HandlerBundles;
  types?: { readonly key: string; readonly emitted: readonly EmittedFile[] };
}

export interface HandlersOptions {
  /** Of the same realm; default: nothing is. */
  readonly known?: KnownHandlers | undefined;
  /** Imports that cannot be: nothing is bundled where there are any, and TypeScript need not tell of them. */
  readonly refused?: readonly Diagnostic[];
}

/** @param folder the configuration folder */
export async function handlersOf(
  folder: string,
  realm: Realm,
  { known = {}, refused = [] }: HandlersOptions = {},
): Promise<Staged<BundledCode>> {
  const root = resolve(folder);
  const key = identityWithoutHandlers(realm);
  if (known.types?.key !== key) known.types = { key, emitted: await handlerTypes(realm) };
  known.checks ??= new HandlerChecks(root);
  const migrations = codeMigrations(realm).map(({ migration }) => migration);
  const subjects = [...realm.functions.flatMap(handlerSubjects), ...migrations.map(migrationSubject)];
  const diagnostics = known.checks
    .check({ realm, subjects, emitted: known.types.emitted, key })
    .filter((each) => !refused.some(({ span }) => isWithin(each.span, span)));
  if (hasErrors(diagnostics) || refused.length > 0)
    return { value: { handlers: [], migrations: [] }, diagnostics };
  known.bundles ??= new HandlerBundles(root);
  const ofHandlers = realm.functions.flatMap(bundlingOf);
  const bundled = await known.bundles.of([
    ...ofHandlers,
    ...migrations.map((each) => migrationBundling(each, root)),
  ]);
  const filesOf = (bundles: typeof bundled): readonly EmittedFile[] => bundles.flatMap(({ files }) => files);
  return {
    value: {
      handlers: filesOf(bundled.slice(0, ofHandlers.length)),
      migrations: filesOf(bundled.slice(ofHandlers.length)),
    },
    diagnostics: [...diagnostics, ...bundled.flatMap((each) => each.diagnostics)],
  };
}

/** Whether a place is on the line of an import's name, which TypeScript quotes and the other does not. */
function isWithin(inner: Span, { file, line, column, endColumn }: Span): boolean {
  return (
    inner.file === file && inner.line === line && inner.column >= column - 1 && inner.column <= endColumn
  );
}
