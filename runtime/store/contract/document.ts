/** A document as responses carry it: `text` is its JSON. `version` is 0 for one written before versioning. */
export interface StoredDocument {
  readonly id: string;
  readonly version: number;
  readonly text: string;
  /** How well it matches the search, greater is better; only where documents are found by relevance. */
  readonly score?: number;
  /**
   * Number of the last migration that its text is in the form of. Of what is read: said by `get`, `modify` and `scan`, and
   * absent for 0 where the shape has no `form`. Of what is written, absent: the shape's `form`.
   */
  readonly form?: number;
}

/**
 * What is written: the text, and beside it what the engine keeps in columns of its own. Times in epoch milliseconds. A
 * text that has a `_meta` says the same there: `version` (none for 0), `created_at`, `deleted_at` and `purge_at`.
 */
export interface DocumentWrite extends StoredDocument {
  readonly createdAt: number;
  /** Present on soft-deleted documents: they leave `live` and every unique index. */
  readonly deletedAt?: number | undefined;
  /** From then on the document is gone for every read, and its id is free. */
  readonly purgeAt?: number | undefined;
}

/** Which documents are looked at. Soft-deleted documents past their `purgeAt` are in none. */
export type Visibility = "live" | "deleted" | "all";

/** Something for each. */
export function byVisibility<T>(make: (visibility: Visibility) => T): Record<Visibility, T> {
  return { live: make("live"), deleted: make("deleted"), all: make("all") };
}
