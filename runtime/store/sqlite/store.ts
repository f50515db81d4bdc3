import { access } from "node:fs/promises";
import { availableParallelism } from "node:os";
import type { Clock } from "../../clock.ts";
import type { CollectionShape, Lease, Store, StoreCollection, Transaction } from "../contract.ts";
import { type Engine, SqliteCollection, SqliteTransactionCollection } from "./collection.ts";
import { forgetExpired, SqliteFeed } from "./feed.ts";
import { type StoreFile, storeFile } from "./file.ts";
import { Pool } from "./pool.ts";
import { provision } from "./provision.ts";
import { Reads } from "./reads.ts";
import { Table } from "./table.ts";
import { TextIndexes } from "./text-build.ts";
import { Writer } from "./writer.ts";

/** Milliseconds between looks for changes that the feed may forget. */
const FORGET_EVERY = 60_000;

export interface SqliteStoreOptions {
  /** A folder, or `:memory:` for a store that ends with the process. */
  readonly location: string;
  readonly realm: string;
  readonly clock: Clock;
  /** Milliseconds that a list or a count may take. */
  readonly queryTime: number;
  /** The same of searches and aggregations; default: `queryTime`. */
  readonly searchTime?: number;
  /** Threads for expensive queries; default: one less than processors, at least 1 and at most 4. */
  readonly readers?: number;
}

/** Opens the realm's store: `<location>/<realm>.sqlite`. The folder itself is guarded by `lockFolder`. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const file = storeFile(options.location, options.realm);
  try {
    return new SqliteStore(file, options);
  } catch (error) {
    file.remove();
    throw error;
  }
}

class SqliteStore implements Store {
  readonly feed: SqliteFeed;
  readonly #file: StoreFile;
  readonly #reads: Reads;
  readonly #writer: Writer;
  readonly #pool: Pool;
  readonly #texts: TextIndexes;
  readonly #engine: Engine;
  readonly #collections = new Map<string, { readonly table: Table; readonly collection: SqliteCollection }>();
  readonly #leases = new Set<string>();
  readonly #revisions = new Map<string, number>();
  /** Collections that the group of writes under way has written to. */
  readonly #touched = new Set<Table>();
  /** When changes are looked through for old ones again; epoch milliseconds. */
  #nextForgetting = 0;
  #closed: Promise<void> | undefined;

  constructor(file: StoreFile, { clock, queryTime, searchTime, readers }: SqliteStoreOptions) {
    this.#file = file;
    this.#reads = new Reads(file);
    this.#writer = new Writer(this.#reads, () => this.#committed());
    this.#pool = new Pool(this.#file.path, readers ?? Math.min(4, Math.max(1, availableParallelism() - 1)));
    this.#texts = new TextIndexes(this.#reads, this.#writer);
    this.#engine = {
      clock,
      reads: this.#reads,
      writer: this.#writer,
      pool: this.#pool,
      texts: this.#texts,
      queryTime,
      searchTime: searchTime ?? queryTime,
      touch: (table) => {
        this.#touched.add(table);
        this.#writer.wrote();
      },
    };
    this.feed = new SqliteFeed(() => this.#reads.reading());
  }

  async provision(shapes: readonly CollectionShape[]): Promise<void> {
    await this.#writer.transaction(async () => {
      provision(this.#reads.writing, shapes);
      this.#texts.provision(shapes);
      forgetExpired(this.#reads.writing, this.#engine.clock.now());
    });
    for (const shape of shapes) {
      const table = new Table(shape);
      this.#collections.set(shape.name, { table, collection: new SqliteCollection(this.#engine, table) });
      this.#revisions.set(shape.name, 0);
    }
    this.#texts.build();
  }

  collection(name: string): StoreCollection {
    return this.#provisioned(name).collection;
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#writer.transaction(async () => {
      let ended = false;
      const check = () => {
        if (ended) throw new Error("the transaction has ended");
        if (!this.#reads.writing.database.isTransaction)
          throw new Error("the store has undone the transaction");
      };
      try {
        return await work({
          collection: (name) =>
            new SqliteTransactionCollection(this.#engine, this.#provisioned(name).table, check),
        });
      } finally {
        ended = true;
      }
    });
  }

  /** The folder is served by one process, so what is held in its memory is held by nobody else. */
  async lease(name: string): Promise<Lease | undefined> {
    if (this.#leases.has(name)) return undefined;
    this.#leases.add(name);
    let held = true;
    return {
      renew: async () => held,
      release: async () => {
        if (held) this.#leases.delete(name);
        held = false;
      },
    };
  }

  revision(collection: string): number | undefined {
    if (this.#reads.foreignWrites()) for (const name of this.#revisions.keys()) this.#revise(name);
    return this.#revisions.get(collection);
  }

  async health(): Promise<void> {
    await access(this.#file.path);
    this.#reads.reading().prepare("SELECT count(*) FROM sqlite_schema").get();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#texts.close();
    await this.#writer.close();
    await this.#pool.close();
    this.#reads.close();
    this.#file.remove();
  }

  #provisioned(name: string): { readonly table: Table; readonly collection: SqliteCollection } {
    const found = this.#collections.get(name);
    if (found === undefined) throw new Error(`collection ${name} is not provisioned`);
    return found;
  }

  #committed(): void {
    let recorded = false;
    for (const { shape } of this.#touched) {
      this.#revise(shape.name);
      recorded ||= shape.feed;
    }
    this.#touched.clear();
    if (!recorded) return;
    this.feed.announce();
    if (this.#engine.clock.now() >= this.#nextForgetting) this.#forget();
  }

  /** A little at a time, in groups of their own, as long as there is something to forget. */
  #forget(): void {
    const now = this.#engine.clock.now();
    this.#nextForgetting = now + FORGET_EVERY;
    const forgotten = this.#writer.write(() => forgetExpired(this.#reads.writing, now));
    forgotten.then(
      (some) => {
        if (some) this.#nextForgetting = now;
      },
      () => {
        // The store closes, or the disk is full: what is not forgotten now is forgotten after a later commit.
      },
    );
  }

  #revise(collection: string): void {
    this.#revisions.set(collection, (this.#revisions.get(collection) ?? 0) + 1);
  }
}
