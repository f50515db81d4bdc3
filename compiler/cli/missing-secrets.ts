/** Secrets that functions declare and that are not set in a store. */
import { secretShape } from "../../runtime/auth/collections.ts";
import { systemClock } from "../../runtime/clock.ts";
import { UsageError as WordsError } from "../../runtime/instance/command.ts";
import { locationOf, requireFolder } from "../../runtime/instance/command-words.ts";
import { messageOf } from "../../runtime/instance/message-of.ts";
import { StoreRefused, StoreUnavailable } from "../../runtime/store/contract/errors.ts";
import { openStores } from "../../runtime/store/engines.ts";
import { describeLocation } from "../../runtime/store/location.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { AnalysedRealm } from "../pipeline.ts";
import { diagnose } from "../settings/function/reach.ts";
import { UsageError } from "./exit.ts";

/** The store cannot be reached. */
export class NotReached extends Error {}

/** More than a realm has. */
const all = 10_000;
/** Milliseconds. */
const queryTime = 10_000;

/**
 * Reads the store beside whoever serves it: nothing is made and nothing is written.
 * @throws UsageError | NotReached
 */
export async function missingIn(
  given: string,
  realms: readonly AnalysedRealm[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Diagnostic[]> {
  try {
    const location = locationOf("--store", given, environment);
    requireFolder("--store", location);
    const stores = await openStores({ location, setting: "--store", clock: systemClock, queryTime });
    try {
      const found: Diagnostic[] = [];
      for (const { realm } of realms) {
        const declaring = realm.functions.filter(({ secrets }) => secrets.length > 0);
        if (declaring.length === 0) continue;
        const reader = await stores.reader(realm.name);
        const kept = (await reader?.scan(secretShape, undefined, all)) ?? [];
        const names = new Set(kept.map(({ id }) => id));
        for (const { database, name, secrets, secretsSpan, span } of declaring)
          for (const secret of secrets.filter((each) => !names.has(each)))
            found.push(
              diagnose("secret-missing", secretsSpan ?? span, {
                ...{ name: secret, store: describeLocation(location), function: `${database}/${name}` },
                realm: realm.name,
              }),
            );
      }
      return found;
    } finally {
      await stores.close();
    }
  } catch (error) {
    if (error instanceof WordsError) throw new UsageError(error.message);
    if (error instanceof StoreUnavailable || error instanceof StoreRefused)
      throw new NotReached(messageOf(error));
    throw error;
  }
}
