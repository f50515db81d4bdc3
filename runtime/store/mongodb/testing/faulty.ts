import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { StoreCollection } from "../../contract/collection.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Store } from "../../contract/store.ts";
import type { PoolFigures } from "../../pool-figures.ts";
import { index, shape } from "../../testing/suite/fixtures.ts";
import { openClient } from "../client.ts";
import { watchPool } from "../pool.ts";
import { openMongoStore } from "../store.ts";
import { FaultProxy } from "./faults.ts";
import { dropTestDatabases, testLocation } from "./server.ts";

/** A store behind a proxy that makes its server fail. */
export interface Faulty {
  readonly proxy: FaultProxy;
  readonly store: Store;
  /** `app.people`, unique by name. */
  readonly people: StoreCollection;
  readonly figures: () => PoolFigures;
}

const people: CollectionShape = shape("app.people", { indexes: [index("by_name", ["name"], true)] });

/** Milliseconds: of operations, and thus of waiting for a primary and for a connection. */
export const queryTime = 3_000;

/**
 * One for the tests of a `describe`, empty before each of them.
 * @param options added to the URI
 * @param time milliseconds instead of `queryTime`
 */
export function useFaulty(options = "", time = queryTime): Faulty {
  const location = testLocation();
  let proxy: FaultProxy;
  let store: Store;
  let figures: () => PoolFigures;
  let close: () => Promise<void>;
  beforeAll(async () => {
    proxy = await FaultProxy.open(location.uri);
  });
  beforeEach(async () => {
    const client = openClient(proxy.uri + options, { queryTime: time });
    figures = watchPool(client);
    const clock = { now: () => Date.now() };
    store = await openMongoStore({ client, prefix: location.prefix, realm: "test", clock, queryTime: time });
    await store.provision([people]);
    proxy.commands.length = 0;
    close = async () => {
      await store.close();
      await client.close();
    };
  });
  afterEach(async () => {
    await proxy.reset();
    await close();
    await dropTestDatabases(location);
  });
  afterAll(() => proxy.close());
  return {
    get proxy() {
      return proxy;
    },
    get store() {
      return store;
    },
    get people() {
      return store.collection("app.people");
    },
    get figures() {
      return figures;
    },
  };
}
