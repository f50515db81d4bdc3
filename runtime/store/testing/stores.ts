import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "../../clock.ts";
import type { CollectionShape } from "../contract/shape.ts";
import type { Store } from "../contract/store.ts";
import { DATABASE_PREFIX, type StoreLocation } from "../location.ts";
import {
  databaseBytes,
  dropDatabases,
  lentLocation,
  mongoUri,
  openTestMongoStore,
  type Provisioning,
  randomName,
  testLocation,
} from "../mongodb/testing/server.ts";
import { openSqliteStore } from "../sqlite/store.ts";

/** Whether the tests run on the embedded engine: for those about its files, `it.runIf(isEmbedded)`. */
export const isEmbedded = mongoUri === undefined;

/** A place for stores of one test, on the engine that the tests run on. */
export interface TestPlace {
  readonly location: StoreLocation;
  /** All that is stored there. */
  bytes(): Promise<Buffer>;
  /** Removes it. */
  discard(): Promise<void>;
}

/** Where stores last until they are discarded. */
export function testPlace(): TestPlace {
  return mongoUri === undefined ? embeddedPlace() : mongoPlace();
}

/**
 * Where stores end with whoever has them open, as far as the engine can.
 * @param wanted what they will be provisioned for, and nothing else
 */
export function passingPlace(wanted?: readonly Provisioning[]): Pick<TestPlace, "location" | "discard"> {
  if (mongoUri !== undefined) {
    const { location, giveBack } = lentLocation(wanted);
    return { location, discard: giveBack };
  }
  return { location: { engine: "sqlite", folder: ":memory:" }, discard: async () => undefined };
}

/** A folder, whatever the tests run on. */
export interface EmbeddedPlace extends TestPlace {
  /** `SVC_STORE`. */
  readonly setting: string;
}

export function embeddedPlace(): EmbeddedPlace {
  const folder = mkdtempSync(join(tmpdir(), "realmc-store-"));
  return {
    setting: `sqlite:${folder}`,
    location: { engine: "sqlite", folder },
    bytes: async () => {
      const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
      return Buffer.concat(files.map(({ name }) => readFileSync(join(folder, name))));
    },
    discard: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

function mongoPlace(): TestPlace {
  const location = testLocation();
  const { prefix } = location;
  return { location, bytes: () => databaseBytes(prefix), discard: () => dropDatabases(prefix) };
}

/** For tests of processes, which know a store by `SVC_STORE` alone. */
export interface ProcessPlace extends TestPlace {
  /** `SVC_STORE`. */
  readonly setting: string;
  /** What a realm is called, so that nobody else's has its database. */
  readonly realm: string;
}

export function processPlace(): ProcessPlace {
  const realm = `t${randomName()}`;
  if (mongoUri === undefined) return { ...embeddedPlace(), realm };
  const database = `${DATABASE_PREFIX}${realm}`;
  return {
    location: { engine: "mongodb", uri: mongoUri, prefix: DATABASE_PREFIX },
    realm,
    setting: mongoUri,
    bytes: () => databaseBytes(database),
    discard: () => dropDatabases(database),
  };
}

export interface TestStoreOptions {
  readonly clock?: Clock;
  /** Milliseconds. */
  readonly queryTime?: number;
  /** Provisioned before the store is given. */
  readonly collections?: readonly CollectionShape[];
}

/** A fresh store for a test, on the engine that the tests run on, gone when it is closed. */
export async function testStore(options: TestStoreOptions = {}): Promise<Store> {
  const { clock = systemClock, queryTime = 5_000, collections = [] } = options;
  const store = await openTestStore({ clock, queryTime, collections });
  await store.provision(collections);
  return store;
}

/** The same, yet to be provisioned; for `collections`, where they are named. */
export function openTestStore(options: {
  readonly clock: Clock;
  readonly queryTime: number;
  readonly collections?: readonly CollectionShape[];
}): Promise<Store> {
  if (mongoUri !== undefined) return openTestMongoStore(options);
  return openSqliteStore({ location: ":memory:", realm: "test", ...options });
}
