import { type Filter, TRUE } from "../../filter/algebra.ts";
import {
  type CollectionShape,
  type DocumentWrite,
  DuplicateId,
  type Find,
  type StoredDocument,
  UniqueViolation,
  type Visibility,
} from "../contract.ts";
import { arrayIndexFor } from "./arrays.ts";
import { type Connection, ticking } from "./connection.ts";
import { isUniqueViolation, type Value } from "./driver.ts";
import { recordChange } from "./feed.ts";
import { indexedPaths, isServed } from "./indexes.ts";
import { type ArrayIndex, lower } from "./lower.ts";
import { declaredName, quoted, tableName } from "./names.ts";
import { Parameters } from "./parameters.ts";
import { documentOf, valuesOf, wholeNumberOf } from "./rows.ts";

/** Rows that a statement may visit on the main thread, where everybody waits for it. */
export const INLINE_ROWS = 1000;

/** A statement and what is bound to it. */
export interface Query {
  readonly sql: string;
  readonly parameters: readonly Value[];
}

/** A statement made for a filter, and what the filter binds, after the parameters of its place. */
interface Lowered {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Statements by filter: rules give the same caller the same filter again, and spelling one out costs as much as a read. */
type Statements = Readonly<Record<Visibility, WeakMap<Filter, Lowered>>>;

const noStatements = (): Statements => ({ live: new WeakMap(), deleted: new WeakMap(), all: new WeakMap() });

const notExpired = "(purge_at IS NULL OR purge_at > ?1)";
/** `?1` is the time. The live and deleted conditions are those of the partial indexes. */
const visible: Readonly<Record<Visibility, string>> = {
  live: `deleted_at IS NULL AND ${notExpired}`,
  deleted: `deleted_at IS NOT NULL AND ${notExpired}`,
  all: notExpired,
};

/**
 * A collection's statements. Everything here runs at once, on the connection given; who calls decides about
 * transactions and threads.
 */
export class Table {
  readonly shape: CollectionShape;
  readonly #name: string;
  readonly #arrayIndex: ArrayIndex;
  /** Paths of fields that an index begins with. */
  readonly #indexed: ReadonlySet<string>;
  readonly #get: Readonly<Record<Visibility, string>>;
  readonly #gets = noStatements();
  readonly #pages = noStatements();
  readonly #insert: string;
  readonly #replaceText: string;
  readonly #replace: string;
  readonly #remove: string;
  readonly #removeExpired: string;
  readonly #clearWay: string;

  constructor(shape: CollectionShape) {
    const name = quoted(tableName(shape.name));
    const get = (visibility: Visibility) =>
      `SELECT version, doc FROM ${name} WHERE id = ?2 AND ${visible[visibility]}`;
    this.shape = shape;
    this.#name = name;
    this.#arrayIndex = arrayIndexFor(shape);
    this.#indexed = indexedPaths(shape);
    this.#get = { live: get("live"), deleted: get("deleted"), all: get("all") };
    this.#insert = `INSERT INTO ${name} (id, version, created_at, deleted_at, purge_at, doc) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`;
    // Setting only what changes on most writes leaves the indexes over the other columns alone.
    this.#replaceText = `UPDATE ${name} SET version = ?1, doc = ?2
      WHERE id = ?3 AND version = ?4 AND created_at = ?5 AND deleted_at IS NULL AND purge_at IS NULL`;
    this.#replace = `UPDATE ${name} SET version = ?2, created_at = ?3, deleted_at = ?4, purge_at = ?5, doc = ?6
      WHERE id = ?7 AND version = ?8 AND ${notExpired}`;
    // Only the feed wants to know what was removed.
    const returning = shape.feed ? " RETURNING id, version, doc" : "";
    this.#remove = `DELETE FROM ${name}
      WHERE id = ?2 AND (version = ?3 OR ?3 IS NULL AND deleted_at IS NULL) AND ${notExpired}${returning}`;
    this.#removeExpired = `DELETE FROM ${name}
      WHERE seq IN (SELECT seq FROM ${name} WHERE purge_at <= ?1 ORDER BY purge_at LIMIT ?2)${returning}`;
    this.#clearWay = `DELETE FROM ${name} WHERE purge_at <= ?1 AND (id = ?2 OR deleted_at IS NULL)${returning}`;
  }

  get(
    connection: Connection,
    now: number,
    id: string,
    visibility: Visibility,
    filter: Filter = TRUE,
  ): StoredDocument | undefined {
    let row: unknown;
    if (filter.op === "true") {
      row = connection.prepare(this.#get[visibility]).get(now, id);
    } else {
      const { sql, values } = this.#filteredGet(filter, visibility);
      row = connection.prepare(sql).get(now, id, ...values);
    }
    if (row === undefined) return undefined;
    const [version, text] = valuesOf(row);
    return documentOf(id, version, text);
  }

  #filteredGet(filter: Filter, visibility: Visibility): Lowered {
    const known = this.#gets[visibility].get(filter);
    if (known !== undefined) return known;
    const parameters = new Parameters(2);
    const sql = `${this.#get[visibility]} AND ${lower(filter, parameters, this.#arrayIndex)}`;
    const lowered = { sql, values: parameters.values };
    this.#gets[visibility].set(filter, lowered);
    return lowered;
  }

  /** Rows for {@link documentsOf}. */
  find(now: number, { filter, visibility, limit, skip }: Find): Query {
    const isDeep = skip + limit > INLINE_ROWS;
    const { sql, values } = isDeep
      ? this.#page(filter, visibility, isDeep)
      : this.#shallowPage(filter, visibility);
    return { sql, parameters: [now, limit, skip, ...values] };
  }

  #shallowPage(filter: Filter, visibility: Visibility): Lowered {
    const known = this.#pages[visibility].get(filter);
    if (known !== undefined) return known;
    const lowered = this.#page(filter, visibility, false);
    this.#pages[visibility].set(filter, lowered);
    return lowered;
  }

  #page(filter: Filter, visibility: Visibility, isDeep: boolean): Lowered {
    const parameters = new Parameters(3);
    const where = this.#where(filter, isDeep, parameters);
    const columns = visibility === "all" ? "SELECT id, version, doc, created_at" : "SELECT id, version, doc";
    // The trash has an order index of its own: both are walked side by side rather than everything sorted.
    const parts = visibility === "all" ? (["live", "deleted"] as const) : [visibility];
    const selects = parts.map((part) => `${columns} FROM ${this.#name} WHERE ${visible[part]}${where}`);
    const sql = `${selects.join(" UNION ALL ")} ORDER BY created_at, id LIMIT ?2 OFFSET ?3`;
    return { sql, values: parameters.values };
  }

  count(now: number, filter: Filter, visibility: Visibility): Query {
    const parameters = new Parameters(1);
    const where = this.#where(filter, true, parameters);
    return {
      sql: `SELECT count(*) FROM ${this.#name} WHERE ${visible[visibility]}${where}`,
      parameters: [now, ...parameters.values],
    };
  }

  /** @throws DuplicateId | UniqueViolation */
  insert(connection: Connection, now: number, document: DocumentWrite): void {
    const { id, version, createdAt, deletedAt = null, purgeAt = null, text } = document;
    const insert = connection.prepare(this.#insert);
    try {
      this.#insisting(connection, now, id, () =>
        insert.run(id, version, createdAt, deletedAt, purgeAt, text),
      );
    } catch (error) {
      // Of several constraints SQLite names any.
      const isTaken = error instanceof UniqueViolation && this.get(connection, now, id, "all") !== undefined;
      throw isTaken ? new DuplicateId(id) : error;
    }
    if (this.shape.feed) recordChange(connection, now, this.shape.name, { id, after: document });
  }

  /** @throws UniqueViolation */
  replace(connection: Connection, now: number, expected: number, document: DocumentWrite): boolean {
    const before = this.shape.feed ? this.get(connection, now, document.id, "all") : undefined;
    const replaced = this.#insisting(connection, now, document.id, () =>
      this.#update(connection, now, expected, document),
    );
    if (replaced && before !== undefined) {
      recordChange(connection, now, this.shape.name, { id: document.id, before, after: document });
    }
    return replaced;
  }

  #update(connection: Connection, now: number, expected: number, document: DocumentWrite): boolean {
    const { id, version, createdAt, deletedAt, purgeAt, text } = document;
    if (deletedAt === undefined && purgeAt === undefined) {
      const { changes } = connection.prepare(this.#replaceText).run(version, text, id, expected, createdAt);
      if (changes === 1) return true;
    }
    const replace = connection.prepare(this.#replace);
    const { changes } = replace.run(
      now,
      version,
      createdAt,
      deletedAt ?? null,
      purgeAt ?? null,
      text,
      id,
      expected,
    );
    return changes === 1;
  }

  remove(connection: Connection, now: number, id: string, expected: number | undefined): boolean {
    return this.#deleted(connection, this.#remove, now, id, expected ?? null) === 1;
  }

  removeExpired(connection: Connection, now: number, limit: number): number {
    return this.#deleted(connection, this.#removeExpired, now, limit);
  }

  /** Runs a `DELETE`; answers how many documents it removed. */
  #deleted(connection: Connection, sql: string, now: number, ...parameters: readonly Value[]): number {
    const statement = connection.prepare(sql);
    if (!this.shape.feed) return Number(statement.run(now, ...parameters).changes);
    const documents = documentsOf(statement.all(now, ...parameters));
    for (const before of documents) recordChange(connection, now, this.shape.name, { id: before.id, before });
    return documents.length;
  }

  /** Runs a write; where only documents past their `purge_at` stand in its way, they go first. */
  #insisting<T>(connection: Connection, now: number, id: string, write: () => T): T {
    try {
      return write();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    this.#deleted(connection, this.#clearWay, now, id);
    try {
      return write();
    } catch (error) {
      throw isUniqueViolation(error) ? this.#clash(error, id) : error;
    }
  }

  /** SQLite names the index when its keys are expressions, which those of our unique indexes are, else the columns. */
  #clash(error: Error, id: string): Error {
    const index = /index '(.*)'$/.exec(error.message)?.[1];
    const declared = index === undefined ? undefined : declaredName(this.shape.name, index);
    return declared === undefined ? new DuplicateId(id) : new UniqueViolation(declared);
  }

  /** @param everyRow whether rows that match count against the budget as well; else the query takes few of them */
  #where(filter: Filter, everyRow: boolean, parameters: Parameters): string {
    if (filter.op === "true") return everyRow ? ` AND ${ticking}` : "";
    const condition = lower(filter, parameters, this.#arrayIndex);
    // Counting costs a list of twenty as much as reading its owners; but no index serves a condition within an OR.
    return everyRow || isServed(filter, this.#indexed)
      ? ` AND ${ticking} AND ${condition}`
      : ` AND (${condition} OR NOT ${ticking})`;
  }
}

export function documentsOf(rows: readonly unknown[]): StoredDocument[] {
  return rows.map((row) => {
    const [id, version, text] = valuesOf(row);
    return documentOf(id, version, text);
  });
}

export function countOf(rows: readonly unknown[]): number {
  return wholeNumberOf(valuesOf(rows[0])[0]);
}
