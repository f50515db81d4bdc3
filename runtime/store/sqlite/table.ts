import { type Filter, TRUE } from "../../filter/algebra.ts";
import { kept } from "../../kept.ts";
import type { Aggregate } from "../contract/aggregate.ts";
import type { Decide, Modification } from "../contract/collection.ts";
import {
  byVisibility,
  type DocumentWrite,
  type StoredDocument,
  type Visibility,
} from "../contract/document.ts";
import { DuplicateId, UniqueViolation } from "../contract/errors.ts";
import type { CollectionShape } from "../contract/shape.ts";
import { formWritten, requireWritable, withForm } from "../writable.ts";
import { arrayIndexFor } from "./arrays.ts";
import { type Connection, ticking } from "./connection.ts";
import { isUniqueViolation, type Value } from "./driver.ts";
import { documentKey } from "./expressions.ts";
import { recordChange, type Written } from "./feed/feed.ts";
import { declaredName, quoted, tableName } from "./names.ts";
import { Parameters } from "./parameters.ts";
import { limitTo, notExpired, type Query, visibleIn } from "./query.ts";
import { aggregateSql } from "./read/aggregate.ts";
import { Counts } from "./read/counts.ts";
import { IndexAlone } from "./read/index-alone.ts";
import { Lookups } from "./read/lookups.ts";
import { type Indexes, lower, unindexed } from "./read/lower.ts";
import { Pages } from "./read/pages.ts";
import { Source } from "./read/source.ts";
import { type Lowered, noStatements } from "./read/statements.ts";
import { documentOf, documentsOf, textOf, valuesOf, wholeNumberOf, writeOf } from "./rows.ts";
import { textSearchFor } from "./text/text.ts";

/**
 * A collection's statements. Everything here runs at once, on the connection given; who calls decides about
 * transactions and threads.
 */
export class Table {
  readonly shape: CollectionShape;
  readonly #unindexed: Indexes;
  readonly #source: Source;
  readonly #alone: IndexAlone;
  readonly pages: Pages;
  readonly counts: Counts;
  readonly lookups: Lookups;
  readonly #get: Readonly<Record<Visibility, string>>;
  readonly #gets = noStatements();
  readonly #insert: string;
  readonly #put: string;
  readonly #scan: string;
  readonly #replaceText: string;
  readonly #replace: string;
  readonly #remove: string;
  readonly #removeExpired: string;
  readonly #clearWay: string;
  /** Of each unique index, what finds another document with the values that a text has under it. */
  readonly #unique: readonly { readonly name: string; readonly alike: string }[];

  /** @param hasForm whether the table, of an earlier release, has been given the column */
  constructor(shape: CollectionShape, hasForm = true) {
    const name = quoted(tableName(shape.name));
    const visible = visibleIn(shape);
    const get = (visibility: Visibility) =>
      `SELECT version, doc, form FROM ${name} WHERE id = ?2 AND ${visible[visibility]}`;
    this.shape = shape;
    const indexes = { array: arrayIndexFor(shape), text: textSearchFor(shape), spelled: true };
    this.#unindexed = unindexed(indexes);
    this.#source = new Source(shape, indexes);
    this.pages = new Pages(shape, indexes, this.#source);
    this.#alone = new IndexAlone(shape, indexes);
    this.counts = new Counts(shape, this.#alone, this.#source);
    this.lookups = new Lookups(shape, indexes);
    this.#get = byVisibility(get);
    this.#insert = `INSERT INTO ${name} (id, version, created_at, deleted_at, purge_at, doc, form) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`;
    this.#put = `${this.#insert} ON CONFLICT (id) DO UPDATE SET version = excluded.version, created_at = excluded.created_at,
      deleted_at = excluded.deleted_at, purge_at = excluded.purge_at, doc = excluded.doc, form = excluded.form`;
    this.#scan = `SELECT id, version, created_at, deleted_at, purge_at, doc, ${hasForm ? "form" : "0"} FROM ${name}
      WHERE id > ?2 AND ${notExpired} ORDER BY id ${limitTo("?3")}`;
    // Setting only what changes on most writes leaves the indexes over the other columns alone.
    this.#replaceText = `UPDATE ${name} SET version = ?1, doc = ?2, form = ?6
      WHERE id = ?3 AND version = ?4 AND created_at = ?5 AND deleted_at IS NULL AND purge_at IS NULL`;
    this.#replace = `UPDATE ${name} SET version = ?2, created_at = ?3, deleted_at = ?4, purge_at = ?5, doc = ?6, form = ?9
      WHERE id = ?7 AND version = ?8 AND ${notExpired}`;
    // Only the feed wants to know what was removed.
    const returning = { false: "", ids: " RETURNING id", documents: " RETURNING id, version, doc" }[
      `${shape.feed}`
    ];
    this.#remove = `DELETE FROM ${name}
      WHERE id = ?2 AND (version = ?3 OR ?3 IS NULL AND deleted_at IS NULL) AND ${notExpired}${returning}`;
    this.#removeExpired = `DELETE FROM ${name}
      WHERE seq IN (SELECT seq FROM ${name} WHERE purge_at <= ?1 ORDER BY purge_at ${limitTo("?2")})${returning}`;
    this.#clearWay = `DELETE FROM ${name} WHERE purge_at <= ?1 AND (id = ?2 OR deleted_at IS NULL)${returning}`;
    this.#unique = shape.indexes
      .filter(({ unique }) => unique)
      .map((index) => {
        const keys = index.keys.map(({ field }) => documentKey(field)).join(", ");
        const alike = `SELECT 1 FROM ${name}
          WHERE deleted_at IS NULL AND id <> ?2 AND (${keys}) = (SELECT ${keys} FROM (SELECT ?1 AS doc))`;
        return { name: index.name, alike };
      });
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
    const [version, text, form] = valuesOf(row);
    return withForm(this.shape, documentOf(id, version, text), wholeNumberOf(form));
  }

  #filteredGet(filter: Filter, visibility: Visibility): Lowered {
    return kept(this.#gets[visibility], filter, () => {
      const parameters = new Parameters(2);
      const sql = `${this.#get[visibility]} AND ${lower(filter, parameters, this.#unindexed)}`;
      return { sql, values: parameters.values };
    });
  }

  /** Rows for {@link groupsOf}. */
  aggregate(now: number, query: Aggregate): Query {
    const { filter, visibility } = query;
    const parameters = new Parameters(1);
    const rows = (values: readonly string[]): string => {
      const isServed = this.#source.serves(filter, visibility);
      const index =
        visibility !== "live"
          ? undefined
          : isServed
            ? this.#alone.leading(filter, values)
            : this.#alone.holding(filter, values);
      return index === undefined
        ? this.#source.rows(filter, visibility, parameters)
        : `${this.#alone.within(index, filter, parameters)} AND ${ticking}`;
    };
    return { sql: aggregateSql(query, rows, parameters), parameters: [now, ...parameters.values] };
  }

  /** @throws DuplicateId | UniqueViolation | DocumentTooLarge */
  insert(connection: Connection, now: number, document: DocumentWrite): void {
    requireWritable(this.shape, document);
    const { id, version, createdAt, deletedAt = null, purgeAt = null, text } = document;
    const form = formWritten(this.shape, document);
    const insert = connection.prepare(this.#insert);
    try {
      this.#insisting(connection, now, document, () =>
        insert.run(id, version, createdAt, deletedAt, purgeAt, text, form),
      );
    } catch (error) {
      // Of several constraints SQLite names any.
      const isTaken = error instanceof UniqueViolation && this.get(connection, now, id, "all") !== undefined;
      throw isTaken ? new DuplicateId(id) : error;
    }
    this.#record(connection, now, { id, after: document });
  }

  /**
   * @param before what it replaces, where that was read
   * @throws UniqueViolation | DocumentTooLarge
   */
  replace(
    connection: Connection,
    now: number,
    expected: number,
    document: DocumentWrite,
    before = this.#before(connection, now, document.id),
  ): boolean {
    const replaced = this.#insisting(connection, now, document, () =>
      this.#update(connection, now, expected, document),
    );
    if (replaced) this.#record(connection, now, { id: document.id, before, after: document });
    return replaced;
  }

  /** @throws what `decide` throws | UniqueViolation | DocumentTooLarge */
  modify<M extends Modification>(
    connection: Connection,
    now: number,
    id: string,
    visibility: Visibility,
    decide: Decide<M>,
  ): M | undefined {
    const found = this.get(connection, now, id, visibility);
    const modification = decide(found);
    if (found === undefined || modification.kind === "keep") return modification;
    const isDone =
      modification.kind === "replace"
        ? this.replace(connection, now, found.version, modification.document, found)
        : this.remove(connection, now, id, found.version);
    return isDone ? modification : undefined;
  }

  /** Inserts the document, or replaces the one that has its id. @throws UniqueViolation | DocumentTooLarge */
  put(connection: Connection, now: number, document: DocumentWrite): void {
    requireWritable(this.shape, document);
    const { id, version, createdAt, deletedAt = null, purgeAt = null, text } = document;
    const before = this.#before(connection, now, id);
    const form = formWritten(this.shape, document);
    const put = connection.prepare(this.#put);
    this.#insisting(connection, now, document, () =>
      put.run(id, version, createdAt, deletedAt, purgeAt, text, form),
    );
    this.#record(connection, now, { id, before, after: document });
  }

  /** What was written, in the order of ids after this one; one at a time, since nobody knows how long the next one is. */
  scan(
    connection: Connection,
    now: number,
    after: string | undefined,
    limit: number,
    characters = Number.POSITIVE_INFINITY,
  ): readonly DocumentWrite[] {
    const rows: Iterable<unknown> = connection.prepare(this.#scan).iterate(now, after ?? "", limit);
    const found: DocumentWrite[] = [];
    let length = 0;
    for (const row of rows) {
      const write = withForm(this.shape, writeOf(row), wholeNumberOf(valuesOf(row)[6]));
      found.push(write);
      length += write.text.length;
      if (length > characters && found.length > 1) break;
    }
    return found;
  }

  #update(connection: Connection, now: number, expected: number, document: DocumentWrite): boolean {
    requireWritable(this.shape, document);
    const { id, version, createdAt, deletedAt, purgeAt, text } = document;
    const form = formWritten(this.shape, document);
    if (deletedAt === undefined && purgeAt === undefined) {
      const replaceText = connection.prepare(this.#replaceText);
      const { changes } = replaceText.run(version, text, id, expected, createdAt, form);
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
      form,
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
    if (this.shape.feed === false) return Number(statement.run(now, ...parameters).changes);
    const rows = statement.all(now, ...parameters);
    const removed: readonly Written[] =
      this.shape.feed === "ids"
        ? rows.map((row) => ({ id: textOf(valuesOf(row)[0]) }))
        : documentsOf(rows).map((before) => ({ id: before.id, before }));
    for (const one of removed) this.#record(connection, now, one);
    return removed.length;
  }

  /** The document that a write is about to change, where the feed is to tell it. */
  #before(connection: Connection, now: number, id: string): StoredDocument | undefined {
    return this.shape.feed === "documents" ? this.get(connection, now, id, "all") : undefined;
  }

  #record(connection: Connection, now: number, written: Written): void {
    const { name, feed } = this.shape;
    if (feed !== false) recordChange(connection, now, name, feed === "ids" ? { id: written.id } : written);
  }

  /** Runs a write; where only documents past their `purge_at` stand in its way, they go first. */
  #insisting<T>(connection: Connection, now: number, document: DocumentWrite, write: () => T): T {
    try {
      return write();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    this.#deleted(connection, this.#clearWay, now, document.id);
    try {
      return write();
    } catch (error) {
      throw isUniqueViolation(error) ? this.#clash(connection, error, document) : error;
    }
  }

  /**
   * SQLite names the index when its keys are expressions, which those of our unique indexes are, else the columns; of
   * several that are violated any.
   */
  #clash(connection: Connection, error: Error, { id, text }: DocumentWrite): Error {
    const index = /index '(.*)'$/.exec(error.message)?.[1];
    const declared = index === undefined ? undefined : declaredName(this.shape.name, index);
    if (declared === undefined) return new DuplicateId(id);
    const isViolated = (alike: string) => connection.prepare(alike).get(text, id) !== undefined;
    const first = this.#unique.find(({ name, alike }) => name === declared || isViolated(alike));
    return new UniqueViolation(first?.name ?? declared);
  }
}
