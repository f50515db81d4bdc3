import { type Clock, systemClock } from "../clock.ts";
import type { CollectionShape, Store } from "./contract.ts";
import { openSqliteStore } from "./sqlite/store.ts";

export interface TestStoreOptions {
  readonly clock?: Clock;
  /** Milliseconds. */
  readonly queryTime?: number;
  /** Provisioned before the store is given. */
  readonly collections?: readonly CollectionShape[];
}

/** A fresh store for a test, gone when it is closed or the process ends. */
export async function testStore(options: TestStoreOptions = {}): Promise<Store> {
  const { clock = systemClock, queryTime = 5_000, collections = [] } = options;
  const store = await openSqliteStore({ location: ":memory:", realm: "test", clock, queryTime });
  await store.provision(collections);
  return store;
}
