import type { Clock } from "../../clock.ts";
import { type Filter, searchIn } from "../../filter/algebra.ts";
import { Recent } from "../../kept.ts";
import type { Aggregate, Group } from "../contract/aggregate.ts";
import type { Decide, Modification, StoreCollection } from "../contract/collection.ts";
import type { DocumentWrite, StoredDocument, Visibility } from "../contract/document.ts";
import { InsertRefused } from "../contract/errors.ts";
import type { Find, Lookup } from "../contract/query.ts";
import type { Replacement, TransactionCollection } from "../contract/transaction.ts";
import type { Connection } from "./connection.ts";
import { INLINE_ROWS, type Sequence, single, type Way } from "./query.ts";
import { groupsOf } from "./read/aggregate.ts";
import type { Pool } from "./read/pool.ts";
import type { Reads } from "./reads.ts";
import { countOf, documentsOf } from "./rows.ts";
import type { Table } from "./table.ts";
import type { TextIndexes } from "./text/build.ts";
import type { Scope } from "./write/jobs.ts";
import type { Writer } from "./write/writer.ts";

/** What a collection works with. */
export interface Engine {
  readonly clock: Clock;
  readonly reads: Reads;
  readonly writer: Writer;
  readonly pool: Pool;
  readonly texts: TextIndexes;
  /** Milliseconds that a list or a count may take. */
  readonly queryTime: number;
  /** The same of searches and aggregations. */
  readonly searchTime: number;
  /** Notes that the group of writes under way writes to the collection. */
  touch(table: Table): unknown;
}

/** Shapes of queries of which the usual way is remembered. */
const WAYS = 400;

/** Entries of an index that are counted on the main thread; it takes a millisecond or two. */
const COUNTED_AT_ONCE = 50_000;

/** Ways tried for one query. */
const TRIES = 2;

/** Queries after which the ways are tried anew: values differ, and documents change. */
const USES = 100;

export class SqliteCollection implements StoreCollection {
  readonly #engine: Engine;
  readonly #table: Table;
  /** By the first statement of the first way, which of several ways was cheap last. */
  readonly #usualWays = new Recent<string, { readonly way: number; left: number }>(WAYS);

  /** By statement, how many times more it is not tried at once. */
  readonly #large = new Recent<string, number>(WAYS);

  constructor(engine: Engine, table: Table) {
    this.#engine = engine;
    this.#table = table;
  }

  async get(id: string, visibility: Visibility, filter?: Filter): Promise<StoredDocument | undefined> {
    const { reads, clock } = this.#engine;
    return this.#table.get(reads.reading(), clock.now(), id, visibility, filter);
  }

  async find(query: Find): Promise<StoredDocument[]> {
    const [way, ...others] = this.#table.pages.find(this.#engine.clock.now(), query);
    if (way === undefined) throw new Error("there is no way to find documents");
    if (searchIn(query.filter) !== undefined) return documentsOf(await this.#searched(way()));
    if (others.length === 0) return documentsOf(await this.#rows(way(), this.#engine.queryTime));
    return documentsOf(await this.#cheapest(way(), others));
  }

  async count(filter: Filter, visibility: Visibility): Promise<number> {
    const { clock, reads } = this.#engine;
    const quick =
      visibility === "live" ? this.#table.counts.upTo(clock.now(), filter, COUNTED_AT_ONCE) : undefined;
    if (quick !== undefined) {
      const counted = countOf(
        reads
          .reading()
          .prepare(quick.sql)
          .all(...quick.parameters),
      );
      if (counted < COUNTED_AT_ONCE) return counted;
    }
    const query = single(this.#table.counts.all(clock.now(), filter, visibility));
    const isSearch = searchIn(filter) !== undefined;
    return countOf(await (isSearch ? this.#searched(query) : this.#all(query, this.#engine.queryTime)));
  }

  async lookup(lookup: Lookup): Promise<StoredDocument[]> {
    const query = this.#table.lookups.lookup(this.#engine.clock.now(), lookup);
    const { pool, queryTime } = this.#engine;
    // As many rows as values: they are not to be given up half way.
    const rows = lookup.values.length > INLINE_ROWS ? undefined : this.#atOnce(query, 2 * INLINE_ROWS);
    return documentsOf(rows ?? (await pool.all(query, queryTime)));
  }

  async aggregate(query: Aggregate): Promise<{ groups: readonly Group[]; hasMore: boolean }> {
    const statement = single(this.#table.aggregate(this.#engine.clock.now(), query));
    const isSearch = searchIn(query.filter) !== undefined;
    const { searchTime } = this.#engine;
    return groupsOf(query, await (isSearch ? this.#searched(statement) : this.#all(statement, searchTime)));
  }

  insert(document: DocumentWrite): Promise<void> {
    return this.#write(
      (table, { reads, clock }) => table.insert(reads.writing, clock.now(), document),
      document.text.length,
    );
  }

  replace(expected: number, document: DocumentWrite): Promise<boolean> {
    return this.#write(
      (table, { reads, clock }) => table.replace(reads.writing, clock.now(), expected, document),
      document.text.length,
    );
  }

  remove(id: string, expected?: number): Promise<boolean> {
    return this.#write((table, { reads, clock }) => table.remove(reads.writing, clock.now(), id, expected));
  }

  /** One job among the writes. */
  modify<M extends Modification>(
    id: string,
    visibility: Visibility,
    decide: Decide<M>,
    bytes?: number,
  ): Promise<M | undefined> {
    return this.#write(
      (table, { reads, clock }) => table.modify(reads.writing, clock.now(), id, visibility, decide),
      bytes,
    );
  }

  removeExpired(limit: number): Promise<number> {
    return this.#write((table, { reads, clock }) => table.removeExpired(reads.writing, clock.now(), limit));
  }

  async scan(
    after: string | undefined,
    limit: number,
    characters?: number,
  ): Promise<readonly DocumentWrite[]> {
    const { reads, clock } = this.#engine;
    return this.#table.scan(reads.reading(), clock.now(), after, limit, characters);
  }

  load(documents: readonly DocumentWrite[]): Promise<void> {
    return this.#engine.writer.transaction(async () => {
      const { reads, clock } = this.#engine;
      this.#engine.touch(this.#table);
      for (const document of documents) this.#table.put(reads.writing, clock.now(), document);
    });
  }

  /** Most queries touch few rows and are answered at once; those that turn out to touch many start again elsewhere. */
  async #rows(query: Sequence, milliseconds: number): Promise<readonly unknown[]> {
    return this.#atOnce(query) ?? this.#engine.pool.all(query, milliseconds);
  }

  /** The same, of every row that there is: one that was too many last time is not tried at once for a while. */
  async #all(query: Sequence, milliseconds: number): Promise<readonly unknown[]> {
    const { sql } = query.first;
    const skipped = this.#large.get(sql) ?? 0;
    const rows = skipped > 0 ? undefined : this.#atOnce(query);
    if (rows !== undefined) return rows;
    this.#large.set(sql, skipped > 0 ? skipped - 1 : USES);
    return this.#engine.pool.all(query, milliseconds);
  }

  /**
   * Whichever of the ways is cheap enough to go at once, beginning with the one that was so last. Of several that are not,
   * others are tried the next time, so that a query never keeps everybody waiting for long.
   */
  async #cheapest(first: Sequence, others: readonly Way[]): Promise<readonly unknown[]> {
    const shape = first.first.sql;
    const ways = [() => first, ...others];
    const usual = this.#usualWay(shape) % ways.length;
    const inTurn = [...ways.slice(usual), ...ways.slice(0, usual)];
    for (const [tried, way] of inTurn.slice(0, TRIES).entries()) {
      const rows = this.#atOnce(way());
      if (rows === undefined) continue;
      if (tried > 0) this.#remember(shape, usual + tried);
      return rows;
    }
    if (ways.length > TRIES) this.#remember(shape, usual + TRIES);
    return this.#engine.pool.all(first, this.#engine.queryTime);
  }

  #usualWay(shape: string): number {
    const known = this.#usualWays.get(shape);
    if (known === undefined) return 0;
    if (--known.left === 0) this.#usualWays.delete(shape);
    return known.way;
  }

  #remember(shape: string, way: number): void {
    this.#usualWays.set(shape, { way, left: USES });
  }

  #atOnce(query: Sequence, rows = INLINE_ROWS): readonly unknown[] | undefined {
    return this.#engine.reads.reading().allWithin(rows, query);
  }

  /**
   * Never at once: the text index may go through a lot before it gives the first row.
   * @throws IndexBuilding
   */
  #searched(query: Sequence): Promise<readonly unknown[]> {
    this.#engine.texts.check(this.#table.shape.name);
    return this.#engine.pool.all(query, this.#engine.searchTime);
  }

  /** @param bytes what the work holds while it waits */
  #write<T>(work: (table: Table, engine: Engine) => T, bytes = 0): Promise<T> {
    const run = () => {
      this.#engine.touch(this.#table);
      return work(this.#table, this.#engine);
    };
    // The feed's record is a second statement, which must not be missing where the first is done.
    return this.#table.shape.feed !== false
      ? this.#engine.writer.transaction(async () => run(), bytes)
      : this.#engine.writer.write(run, bytes);
  }
}

/** A collection inside a transaction: everything happens at once, on the writing connection. */
export class SqliteTransactionCollection implements TransactionCollection {
  readonly #engine: Engine;
  readonly #table: Table;
  readonly #scope: Scope;

  constructor(engine: Engine, table: Table, scope: Scope) {
    this.#engine = engine;
    this.#table = table;
    this.#scope = scope;
  }

  async get(id: string, visibility: Visibility, filter?: Filter): Promise<StoredDocument | undefined> {
    this.#scope.check();
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

  /** One transaction runs after another. */
  claim(document: DocumentWrite): Promise<void> {
    return this.insert(document);
  }

  async insertAll(documents: readonly DocumentWrite[]): Promise<void> {
    const connection = this.#writing();
    for (const [at, document] of documents.entries()) {
      try {
        this.#table.insert(connection, this.#engine.clock.now(), document);
      } catch (error) {
        throw new InsertRefused(at, error);
      }
    }
  }

  async replace(expected: number, document: DocumentWrite): Promise<boolean> {
    return this.#table.replace(this.#writing(), this.#engine.clock.now(), expected, document);
  }

  async remove(id: string, expected?: number): Promise<boolean> {
    return this.#table.remove(this.#writing(), this.#engine.clock.now(), id, expected);
  }

  async modify<M extends Modification>(
    id: string,
    visibility: Visibility,
    decide: Decide<M>,
  ): Promise<M | undefined> {
    return this.#table.modify(this.#writing(), this.#engine.clock.now(), id, visibility, decide);
  }

  async replaceAll(replacements: readonly Replacement[]): Promise<number> {
    const connection = this.#writing();
    const now = this.#engine.clock.now();
    return replacements.filter(({ expected, document }) =>
      this.#table.replace(connection, now, expected, document),
    ).length;
  }

  async removeAll(documents: readonly Pick<StoredDocument, "id" | "version">[]): Promise<number> {
    const connection = this.#writing();
    const now = this.#engine.clock.now();
    return documents.filter(({ id, version }) => this.#table.remove(connection, now, id, version)).length;
  }

  #writing(): Connection {
    this.#scope.check();
    this.#engine.touch(this.#table);
    return this.#engine.reads.writing;
  }
}

const done = Promise.resolve();
