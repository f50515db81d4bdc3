import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../clock.ts";
import type { StoreReader } from "./contract/beside.ts";
import type { Store } from "./contract/store.ts";
import type { MongoLocation, SqliteLocation, StoreLocation } from "./location.ts";
import type { PoolFigures } from "./pool-figures.ts";
import { openSqliteReader } from "./sqlite/beside.ts";
import { requireRestored } from "./sqlite/file.ts";
import { lockFolder } from "./sqlite/lock.ts";
import { openSqliteStore } from "./sqlite/store.ts";

/** The stores at one location, a realm each. */
export interface Stores {
  /** Opens a realm's. Nothing is provisioned, nor need the server be reachable. */
  open(realm: string): Promise<Store>;
  /**
   * Whether anything was ever stored for a realm.
   * @throws StoreUnavailable
   */
  holds(realm: string): Promise<boolean>;
  /**
   * Names of all for which anything was ever stored, as far as the server tells them; others' databases may be among them.
   * @throws StoreUnavailable
   */
  realms(): Promise<readonly string[]>;
  /**
   * Opens a realm's for reading, beside whoever serves it; undefined where nothing was ever stored for it.
   * @throws StoreUnavailable
   */
  reader(realm: string): Promise<StoreReader | undefined>;
  /** Of the connections that the stores share; absent where there are none. */
  readonly pool?: () => PoolFigures;
  /** Closes those that were opened, and what they share. */
  close(): Promise<void>;
}

export interface StoresOptions {
  readonly location: StoreLocation;
  /** What names the location where people see it, `SVC_STORE`. */
  readonly setting: string;
  readonly clock: Clock;
  /** Milliseconds that a list or a count may take. */
  readonly queryTime: number;
  /** The same of searches and aggregations; default: `queryTime`. */
  readonly searchTime?: number;
  /** Bytes of changes that an embedded store's feed keeps; default: any, for a day. */
  readonly feedBytes?: number;
  /** Hears of what goes wrong in a store's own background work, which is tried again. */
  readonly warn?: (error: unknown, message: string) => void;
  /** Takes an embedded store's folder for this process, which is called so; without it, works beside who has it. */
  readonly holder?: string;
}

/**
 * The engine of a location, which is loaded only here.
 * @throws FolderLocked when another process has the folder
 * @throws Error that begins with the setting, for a folder that cannot be made or a URI that cannot be used
 */
export function openStores(options: StoresOptions): Promise<Stores> {
  const { location } = options;
  return location.engine === "sqlite" ? sqliteStores(location, options) : mongoStores(location, options);
}

async function sqliteStores({ folder }: SqliteLocation, options: StoresOptions): Promise<Stores> {
  const { setting, holder, ...times } = options;
  const isKept = folder !== ":memory:";
  if (isKept) makeFolder(setting, folder);
  const lock = isKept && holder !== undefined ? lockFolder(folder, holder) : undefined;
  try {
    if (isKept) requireRestored(folder);
  } catch (error) {
    lock?.release();
    throw error;
  }
  const holds = async (realm: string) => existsSync(join(folder, `${realm}.sqlite`));
  return storesOf({
    open: (realm) => openSqliteStore({ ...times, location: folder, realm }),
    holds,
    realms: async () =>
      readdirSync(folder)
        .flatMap((name) => /^(?!lock\.)(.+)\.sqlite$/.exec(name)?.[1] ?? [])
        .sort(),
    reader: async (realm) =>
      (await holds(realm)) ? openSqliteReader(folder, realm, times.clock) : undefined,
    close: async () => lock?.release(),
  });
}

async function mongoStores(location: MongoLocation, options: StoresOptions): Promise<Stores> {
  const [{ openClient }, { openMongoReader }, { openMongoStore }, { storeError }, { watchPool }] =
    await Promise.all([
      import("./mongodb/client.ts"),
      import("./mongodb/beside.ts"),
      import("./mongodb/store.ts"),
      import("./mongodb/errors.ts"),
      import("./mongodb/pool.ts"),
    ]);
  const client = named(options.setting, () => openClient(location.uri, options));
  const { prefix } = location;
  const holds = async (realm: string) => {
    const collections = client.db(prefix + realm).listCollections({}, { nameOnly: true });
    try {
      return await collections.hasNext();
    } catch (error) {
      throw storeError(error);
    } finally {
      await collections.close();
    }
  };
  return storesOf({
    open: (realm) => openMongoStore({ ...options, client, prefix, realm }),
    holds,
    async realms() {
      try {
        const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true });
        const names = databases.map(({ name }) => name).filter((name) => name.startsWith(prefix));
        return names.map((name) => name.slice(prefix.length)).sort();
      } catch (error) {
        throw storeError(error);
      }
    },
    reader: async (realm) =>
      (await holds(realm)) ? openMongoReader({ ...options, database: client.db(prefix + realm) }) : undefined,
    pool: watchPool(client),
    close: () => client.close(),
  });
}

/** Those of an engine, which closes what they share; the stores themselves are closed before. */
function storesOf(engine: Stores): Stores {
  const stores: Pick<Store, "close">[] = [];
  return {
    ...engine,
    async open(realm) {
      const store = await engine.open(realm);
      stores.push(store);
      return store;
    },
    async reader(realm) {
      const reader = await engine.reader(realm);
      if (reader !== undefined) stores.push(reader);
      return reader;
    },
    async close() {
      for (const store of stores) await store.close();
      await engine.close();
    },
  };
}

/**
 * Makes a folder that is for nobody else's eyes.
 * @throws Error that begins with the setting whose folder cannot be made
 */
export function makeFolder(setting: string, folder: string): void {
  named(setting, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
}

function named<T>(setting: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Error(`${setting}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
