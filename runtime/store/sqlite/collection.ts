import type { Clock } from "../../clock.ts";
import type { Filter } from "../../filter/algebra.ts";
import type {
  DocumentReader,
  DocumentWrite,
  DocumentWriter,
  Find,
  StoreCollection,
  StoredDocument,
  Visibility,
} from "../contract.ts";
import type { Connection } from "./connection.ts";
import type { Pool } from "./pool.ts";
import type { Reads } from "./reads.ts";
import { countOf, documentsOf, INLINE_ROWS, type Query, type Table } from "./table.ts";
import type { Writer } from "./writer.ts";

/** What a collection works with. */
export interface Engine {
  readonly clock: Clock;
  readonly reads: Reads;
  readonly writer: Writer;
  readonly pool: Pool;
  /** Notes that the group of writes under way writes to the collection. */
  touch(table: Table): void;
}

export class SqliteCollection implements StoreCollection {
  readonly #engine: Engine;
  readonly #table: Table;

  constructor(engine: Engine, table: Table) {
    this.#engine = engine;
    this.#table = table;
  }

  async get(id: string, visibility: Visibility, filter?: Filter): Promise<StoredDocument | undefined> {
    const { reads, clock } = this.#engine;
    return this.#table.get(reads.reading(), clock.now(), id, visibility, filter);
  }

  async find(query: Find): Promise<StoredDocument[]> {
    return documentsOf(await this.#all(this.#table.find(this.#engine.clock.now(), query)));
  }

  async count(filter: Filter, visibility: Visibility): Promise<number> {
    return countOf(await this.#all(this.#table.count(this.#engine.clock.now(), filter, visibility)));
  }

  insert(document: DocumentWrite): Promise<void> {
    return this.#write((table, { reads, clock }) => table.insert(reads.writing, clock.now(), document));
  }

  replace(expected: number, document: DocumentWrite): Promise<boolean> {
    return this.#write((table, { reads, clock }) =>
      table.replace(reads.writing, clock.now(), expected, document),
    );
  }

  remove(id: string, expected?: number): Promise<boolean> {
    return this.#write((table, { reads, clock }) => table.remove(reads.writing, clock.now(), id, expected));
  }

  removeExpired(limit: number): Promise<number> {
    return this.#write((table, { reads, clock }) => table.removeExpired(reads.writing, clock.now(), limit));
  }

  /** Most queries touch few rows and are answered at once; those that turn out to touch many start again elsewhere. */
  async #all(query: Query): Promise<readonly unknown[]> {
    const rows = this.#engine.reads.reading().allWithin(INLINE_ROWS, query.sql, query.parameters);
    return rows ?? this.#engine.pool.all(query);
  }

  #write<T>(work: (table: Table, engine: Engine) => T): Promise<T> {
    const run = () => {
      this.#engine.touch(this.#table);
      return work(this.#table, this.#engine);
    };
    // The feed's record is a second statement, which must not be missing where the first is done.
    return this.#table.shape.feed
      ? this.#engine.writer.transaction(async () => run())
      : this.#engine.writer.write(run);
  }
}

/** A collection inside a transaction: everything happens at once, on the writing connection. */
export class TransactionCollection implements DocumentReader, DocumentWriter {
  readonly #engine: Engine;
  readonly #table: Table;
  /** Throws once the transaction has ended. */
  readonly #check: () => void;

  constructor(engine: Engine, table: Table, check: () => void) {
    this.#engine = engine;
    this.#table = table;
    this.#check = check;
  }

  async get(id: string, visibility: Visibility, filter?: Filter): Promise<StoredDocument | undefined> {
    this.#check();
    const { reads, clock } = this.#engine;
    return this.#table.get(reads.writing, clock.now(), id, visibility, filter);
  }

  // No `async` function for what a batch does a hundred times: each call of one costs as much as a validation.
  insert(document: DocumentWrite): Promise<void> {
    try {
      this.#table.insert(this.#writing(), this.#engine.clock.now(), document);
      return done;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async replace(expected: number, document: DocumentWrite): Promise<boolean> {
    return this.#table.replace(this.#writing(), this.#engine.clock.now(), expected, document);
  }

  async remove(id: string, expected?: number): Promise<boolean> {
    return this.#table.remove(this.#writing(), this.#engine.clock.now(), id, expected);
  }

  #writing(): Connection {
    this.#check();
    this.#engine.touch(this.#table);
    return this.#engine.reads.writing;
  }
}

const done = Promise.resolve();
