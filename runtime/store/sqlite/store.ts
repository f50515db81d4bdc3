import { randomUUID } from "node:crypto";
import { access } from "node:fs/promises";
import { availableParallelism } from "node:os";
import type { Clock } from "../../clock.ts";
import { readChain } from "../chain.ts";
import type { ChainStep } from "../contract/chain.ts";
import type { StoreCollection } from "../contract/collection.ts";
import type { StoredDocument } from "../contract/document.ts";
import { LeaseLost } from "../contract/errors.ts";
import type { Lease } from "../contract/lease.ts";
import type { CollectionShape } from "../contract/shape.ts";
import type { Store } from "../contract/store.ts";
import type { Transaction, TransactionOptions } from "../contract/transaction.ts";
import { type Engine, SqliteCollection, SqliteTransactionCollection } from "./collection.ts";
import { dropCollection } from "./drop.ts";
import { SqliteFeed } from "./feed/feed.ts";
import { Forgetting } from "./feed/forgetting.ts";
import { type StoreFile, storeFile } from "./file.ts";
import { provision } from "./provision.ts";
import { Pool } from "./read/pool.ts";
import { Reads } from "./reads.ts";
import { Table } from "./table.ts";
import { TextIndexes } from "./text/build.ts";
import type { Scope } from "./write/jobs.ts";
import { Writer } from "./write/writer.ts";

export interface SqliteStoreOptions {
  /** A folder, or `:memory:` for a store that ends with the process. */
  readonly location: string;
  readonly realm: string;
  readonly clock: Clock;
  /** Milliseconds that a list or a count may take. */
  readonly queryTime: number;
  /** The same of searches and aggregations; default: `queryTime`. */
  readonly searchTime?: number;
  /** Threads for expensive queries; default: as many as processors, at least 2 and at most 8. */
  readonly readers?: number;
  /** Bytes of changes that the feed keeps; default: any, for a day. */
  readonly feedBytes?: number | undefined;
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
  /** The folder is served by one process. */
  readonly isShared = false;
  readonly feed: SqliteFeed;
  readonly #file: StoreFile;
  readonly #reads: Reads;
  readonly #writer: Writer;
  readonly #pool: Pool;
  readonly #texts: TextIndexes;
  readonly #forgetting: Forgetting;
  readonly #engine: Engine;
  readonly #collections = new Map<string, { readonly table: Table; readonly collection: SqliteCollection }>();
  /** Their tokens, by name. */
  readonly #leases = new Map<string, string>();
  readonly #revisions = new Map<string, number>();
  /** Collections that the group of writes under way has written to. */
  readonly #touched = new Set<Table>();
  #closed: Promise<void> | undefined;

  constructor(file: StoreFile, options: SqliteStoreOptions) {
    const { clock, queryTime, searchTime, readers, feedBytes = Number.MAX_SAFE_INTEGER } = options;
    this.#file = file;
    this.#reads = new Reads(file);
    this.#writer = new Writer(this.#reads, () => this.#committed());
    this.#pool = new Pool(this.#file.path, readers ?? Math.min(8, Math.max(2, availableParallelism())));
    this.#texts = new TextIndexes(this.#reads, this.#writer);
    this.#forgetting = new Forgetting(this.#reads, this.#writer, clock, feedBytes);
    this.#engine = {
      clock,
      reads: this.#reads,
      writer: this.#writer,
      pool: this.#pool,
      texts: this.#texts,
      queryTime,
      searchTime: searchTime ?? queryTime,
      touch: (table) => this.#touched.add(table),
    };
    this.feed = new SqliteFeed(
      () => this.#reads.reading(),
      (work) => this.#writer.write(() => work(this.#reads.writing)),
    );
  }

  async provision(shapes: readonly CollectionShape[]): Promise<void> {
    await this.#writer.transaction(async () => {
      provision(this.#reads.writing, shapes);
      this.#texts.provision(shapes);
    });
    await this.#forgetting.all();
    for (const shape of shapes) {
      const table = new Table(shape);
      this.#collections.set(shape.name, { table, collection: new SqliteCollection(this.#engine, table) });
      this.#revisions.set(shape.name, 0);
    }
  }

  collection(name: string): StoreCollection {
    return this.#provisioned(name).collection;
  }

  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    { bytes = 0, lease }: TransactionOptions = {},
  ): Promise<T> {
    const run = async (scope: Scope) => {
      const answer = await work({
        collection: (name) =>
          new SqliteTransactionCollection(this.#engine, this.#provisioned(name).table, scope),
      });
      if (lease !== undefined && !this.#isHeld(lease)) throw new LeaseLost(lease.name);
      return answer;
    };
    return this.#writer.transaction(run, bytes);
  }

  chain(steps: readonly ChainStep[]): Promise<readonly (readonly StoredDocument[])[]> {
    return readChain(this, steps);
  }

  /** The folder is served by one process, so what is held in its memory is held by nobody else. */
  async lease(name: string): Promise<Lease | undefined> {
    if (this.#leases.has(name)) return undefined;
    const lease = { name, token: randomUUID() };
    this.#leases.set(name, lease.token);
    return {
      ...lease,
      renew: async () => this.#isHeld(lease),
      release: async () => {
        if (this.#isHeld(lease)) this.#leases.delete(name);
      },
    };
  }

  #isHeld({ name, token }: Pick<Lease, "name" | "token">): boolean {
    return this.#leases.get(name) === token;
  }

  async now(): Promise<number> {
    return this.#engine.clock.now();
  }

  revision(collection: string): number | undefined {
    if (this.#reads.foreignWrites()) for (const name of this.#revisions.keys()) this.#revise(name);
    return this.#revisions.get(collection);
  }

  unfilledTexts(): readonly string[] {
    return this.#texts.unfilled();
  }

  fillText(collection: string): Promise<boolean> {
    return this.#texts.fill(collection);
  }

  async drop(collection: string, documents: number): Promise<boolean> {
    if (this.#collections.has(collection)) throw new Error(`collection ${collection} is provisioned`);
    const now = this.#engine.clock.now();
    return this.#writer.transaction(async () =>
      dropCollection(this.#reads.writing, collection, documents, now),
    );
  }

  async health(): Promise<void> {
    await access(this.#file.path);
    this.#reads.reading().prepare("SELECT count(*) FROM sqlite_schema").get();
    await this.#writer.check();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#forgetting.close();
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
      recorded ||= shape.feed !== false;
    }
    this.#touched.clear();
    if (!recorded) return;
    this.feed.announce();
    void this.#forgetting.all();
  }

  #revise(collection: string): void {
    this.#revisions.set(collection, (this.#revisions.get(collection) ?? 0) + 1);
  }
}
