import type { Visibility } from "../contract/document.ts";
import type { CollectionShape } from "../contract/shape.ts";
import type { Value } from "./driver.ts";
import { quoted, tableName } from "./names.ts";

/** Rows that a statement may visit on the main thread, where everybody waits for it. */
export const INLINE_ROWS = 1000;

/** A statement and what is bound to it. */
export interface Query {
  readonly sql: string;
  readonly parameters: readonly Value[];
}

/**
 * Statements that answer together: in one snapshot, one after the other until they have given `limit` rows. `?2` is in
 * each of them how many rows are still wanted. They are spelled out as they are needed.
 */
export interface Sequence {
  readonly first: Query;
  readonly others: readonly (() => Query)[];
  readonly limit: number;
  /** Of rows of documents: how the texts that they leave out are read. */
  readonly texts?: Texts | undefined;
}

/** The texts of documents that a statement finds without them (see {@link documentColumns}). */
export interface Texts {
  /** SQL that reads one by its id. */
  readonly sql: string;
  /** As in a `Find`. */
  readonly characters: number;
}

/** Bytes of a document from which on a statement leaves its text out. */
const LONG = 16_384;

/**
 * The columns of a document. A statement gives all of its rows at once, and a hundred of them may be too large to be at
 * hand together: so that the text of a long one is left out (NULL), and read by itself if the answer has room for it.
 */
export const documentColumns = `id, version, CASE WHEN octet_length(doc) <= ${LONG} THEN doc END`;

export function textsOf({ name }: CollectionShape): (characters: number | undefined) => Texts {
  const sql = `SELECT doc FROM ${quoted(tableName(name))} WHERE id = ?1`;
  return (characters = Number.POSITIVE_INFINITY) => ({ sql, characters });
}

/**
 * Fills in the texts that rows left out, up to the row that makes the texts longer than `characters`, and drops the
 * others. Reader threads are made of text (see reader.ts), so that it is self-contained.
 * @param textOf undefined where another process has removed the document meanwhile
 */
export function fillIn(
  rows: readonly unknown[],
  characters: number,
  textOf: (id: unknown) => unknown,
): readonly unknown[] {
  let length = 0;
  let gone = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at];
    if (!Array.isArray(row)) throw new TypeError("a row is an array");
    row[2] ??= textOf(row[0]);
    if (typeof row[2] === "string") length += row[2].length;
    else gone += 1;
    if (length > characters && at > gone) {
      rows = rows.slice(0, at + 1);
      break;
    }
  }
  return gone === 0 ? rows : rows.filter((row) => Array.isArray(row) && typeof row[2] === "string");
}

/** One statement, all of whose rows are wanted. */
export function single(query: Query): Sequence {
  return { first: query, others: [], limit: Number.POSITIVE_INFINITY };
}

/** A way to rows to which there may be others. */
export type Way = () => Sequence;

/**
 * SQL for at most as many rows as a parameter says. Bare, SQLite would look at its value to plan the statement, and so
 * prepare it anew for every run.
 */
export function limitTo(parameter: string): string {
  return `LIMIT +${parameter}`;
}

/** SQL for a page of a list: `?2` is how many rows, `?3` what is skipped. */
export const pageLimit = `${limitTo("?2")} OFFSET ?3`;

export const notExpired = "(purge_at IS NULL OR purge_at > ?1)";

/** `?1` is the time. The live and deleted conditions are those of the partial indexes. */
export const visible: Readonly<Record<Visibility, string>> = {
  live: `deleted_at IS NULL AND ${notExpired}`,
  deleted: `deleted_at IS NOT NULL AND ${notExpired}`,
  all: notExpired,
};

/** The same, without what need not be asked in this collection; `?1` may not occur. */
export function visibleIn({ permanent = false }: CollectionShape): Readonly<Record<Visibility, string>> {
  return permanent ? { ...visible, live: "deleted_at IS NULL" } : visible;
}
