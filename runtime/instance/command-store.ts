import type { Clock } from "../clock.ts";
import type { CollectionShape } from "../store/contract/shape.ts";
import type { Store } from "../store/contract/store.ts";
import { openStores } from "../store/engines.ts";
import type { Settings } from "./settings.ts";

/**
 * Opens the store of one realm for a command, also beside a running server, and closes it after the work.
 * @param shapes the collections that the work uses: documents and their indexes are left to the server, which may serve
 *   another build of the realm
 * @throws Error for a store in memory, which no command reaches
 */
export async function withRealmStore(
  realm: string,
  { store: location, queryTime }: Pick<Settings, "store" | "queryTime">,
  clock: Clock,
  shapes: readonly CollectionShape[],
  work: (store: Store) => Promise<void>,
): Promise<void> {
  if (location.engine === "sqlite" && location.folder === ":memory:")
    throw new Error("SVC_STORE is sqlite::memory:, which lives in the server alone: no command reaches it");
  const stores = await openStores({ location, setting: "SVC_STORE", clock, queryTime });
  try {
    const store = await stores.open(realm);
    await store.provision(shapes);
    await work(store);
  } finally {
    await stores.close();
  }
}
