import { mkdirSync } from "node:fs";
import { hostname } from "node:os";
import type { Clock } from "../clock.ts";
import { checkExpandLimits } from "../documents/expand/limits.ts";
import type { Observer } from "../http/dispatcher.ts";
import { createMetrics } from "../http/metrics.ts";
import { createServer } from "../http/server.ts";
import type { Log, RealmInstance, RealmModule } from "../realm/exchange.ts";
import type { Store } from "../store/contract.ts";
import { lockFolder } from "../store/sqlite/lock.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { keysIn, newKey } from "./keys.ts";
import { assembleRealm, realmCollections } from "./realm.ts";
import { type Every, every, type RetentionJob, startRetention } from "./retention.ts";
import { BadSettings, type Settings } from "./settings.ts";

export interface InstanceOptions {
  /** Of the configuration. */
  readonly fingerprint: string;
  readonly realms: readonly RealmModule[];
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every answer. */
  readonly observe?: Observer | undefined;
  /** Repeats the retention job. */
  readonly repeat?: Every;
}

/** A running server process's worth: stores, server, background work. */
export interface Instance {
  /** Where it listens, for example `http://127.0.0.1:8080`. */
  readonly url: string;
  /**
   * Resolves when every realm is provisioned and answers; rejects when one cannot be.
   * Rejects with UniqueIndexViolated when stored documents violate a declared unique index.
   */
  readonly ready: Promise<void>;
  /** The store of a realm. */
  store(realm: string): Store;
  /** Finishes requests under way (for at most `grace` milliseconds), then background work, then closes the stores. */
  stop(grace: number): Promise<void>;
}

/**
 * Locks the store's folder, opens the stores and listens; provisioning goes on after it returns.
 * @throws BadSettings where a configuration asks for more than the instance allows
 * @throws FolderLocked when another process serves the folder
 */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { realms, settings, clock } = options;
  const beyond = realms.flatMap(({ definition }) =>
    checkExpandLimits(definition.collections, settings.expandLimits),
  );
  if (beyond.length > 0) throw new BadSettings(beyond);
  if (settings.data !== undefined) makeFolder("SVC_DATA", settings.data);
  const lock = holdFolder(settings);
  const stores = new Map<string, Store>();
  const release = async () => {
    for (const store of stores.values()) await store.close();
    lock?.release();
  };
  try {
    for (const { definition } of realms) {
      const { store: location, queryTime, searchTime } = settings;
      const realm = definition.name;
      stores.set(realm, await openSqliteStore({ location, realm, clock, queryTime, searchTime }));
    }
    return await listen(options, stores, keysOf(settings), release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function listen(
  options: InstanceOptions,
  stores: ReadonlyMap<string, Store>,
  keys: readonly Uint8Array[],
  release: () => Promise<void>,
): Promise<Instance> {
  const { realms, settings, clock, log } = options;
  const { maxBodyBytes, addressOf, adminApi } = settings;
  const metrics = settings.metrics ? await createMetrics() : undefined;
  const background = new Background(log);
  const server = createServer({
    realms,
    fingerprint: options.fingerprint,
    maxBodyBytes,
    adminApi,
    addressOf,
    log,
    metrics,
    observe: options.observe,
    reachable: async () => {
      for (const store of stores.values()) await store.health();
    },
  });
  const url = await server.listen(settings.host, settings.port);

  let stopping = false;
  const provisioned = provision();
  const ready = provisioned.then(() => undefined);
  // Whoever waits for it hears of a failure; nobody has to.
  ready.catch(() => undefined);
  return {
    url,
    ready,
    store: storeOf,
    async stop(grace) {
      stopping = true;
      await server.close(grace);
      const retention = await provisioned.catch(() => undefined);
      await retention?.stop();
      await background.settled();
      await release();
    },
  };

  /** Realm by realm; each answers as soon as it can. Then the retention job begins. */
  async function provision(): Promise<RetentionJob | undefined> {
    const instances: RealmInstance[] = [];
    for (const { definition } of realms) {
      if (stopping) return undefined;
      const store = storeOf(definition.name);
      await store.provision(realmCollections(definition));
      const realm = assembleRealm({
        definition,
        store,
        clock,
        log,
        expandLimits: settings.expandLimits,
        keys,
        background: (work) => background.hold(work),
        countIdConflict: (...labels) => metrics?.countIdConflict(...labels),
      });
      server.serve(realm);
      instances.push(realm);
    }
    return startRetention(instances, log, options.repeat ?? every);
  }

  function storeOf(realm: string): Store {
    const store = stores.get(realm);
    if (store === undefined) throw new Error(`no realm ${realm}`);
    return store;
  }
}

/** A store in memory leaves nothing behind, its keys included, unless a data folder is named. */
function keysOf({ keys, data, store }: Settings): readonly Uint8Array[] {
  if (keys !== undefined) return keys;
  const folder = data ?? store;
  return folder === ":memory:" ? [newKey()] : keysIn(folder);
}

function holdFolder({ store, host, port }: Settings): { release(): void } | undefined {
  if (store === ":memory:") return undefined;
  makeFolder("SVC_STORE", store);
  return lockFolder(store, `process ${process.pid} on ${hostname()}, serving ${host}:${port}`);
}

/**
 * Makes a folder that is for nobody else's eyes.
 * @throws Error that names the setting whose folder cannot be made.
 */
export function makeFolder(setting: "SVC_DATA" | "SVC_STORE", folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new Error(`${setting}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** Work that outlives its request, and that the shutdown waits for. */
class Background {
  readonly #work = new Set<Promise<void>>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  hold(work: Promise<unknown>): void {
    const held = work
      .then(() => undefined)
      .catch((err: unknown) => this.#log.error({ err }, "background work failed"))
      .finally(() => this.#work.delete(held));
    this.#work.add(held);
  }

  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
}
