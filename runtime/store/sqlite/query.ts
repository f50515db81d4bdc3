import type { CollectionShape, Visibility } from "../contract.ts";
import type { Value } from "./driver.ts";

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
  /** In a reader thread, of rows of documents: the one that makes their texts longer than this is the last. */
  readonly characters?: number | undefined;
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
