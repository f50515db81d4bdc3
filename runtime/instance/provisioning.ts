import { setTimeout } from "node:timers/promises";
import type { Log } from "../realm/exchange.ts";
import { StoreRefused, StoreUnavailable } from "../store/contract/errors.ts";
import type { CollectionShape } from "../store/contract/shape.ts";
import type { Store } from "../store/contract/store.ts";

/** Milliseconds between two attempts, beside those that the store itself waits for its server. */
const pause = 1_000;

/**
 * Provisions a realm's store, again and again while it cannot be reached.
 * @param stopping ends it
 * @param then what else is to be there before the realm is served
 * @returns false when it was ended
 * @throws what does not pass by itself: anything but StoreUnavailable
 */
export async function provisionStore(
  store: Store,
  collections: readonly CollectionShape[],
  realm: string,
  log: Log,
  stopping: AbortSignal,
  then: () => Promise<void> = async () => undefined,
): Promise<boolean> {
  while (!stopping.aborted) {
    try {
      await store.provision(collections);
      await then();
      return true;
    } catch (error) {
      if (error instanceof StoreRefused) throw new Error(`SVC_STORE: ${error.message}`, { cause: error });
      if (!(error instanceof StoreUnavailable)) throw error;
      // The error itself would bring all that the driver knows of its servers.
      log.warn({ realm, reason: reasonOf(error) }, "the store cannot be reached; trying again");
    }
    await setTimeout(pause, undefined, { signal: stopping }).catch(() => undefined);
  }
  return false;
}

function reasonOf({ cause }: StoreUnavailable): string {
  return cause instanceof Error ? cause.message : String(cause);
}
