import type { Field, FieldTable } from "../../filter/fields.ts";
import type { TextIndex } from "../../filter/search/text-index.ts";

export interface CollectionShape {
  /** `<database>.<collection>`, or `_svc.<name>` for the service's own. */
  readonly name: string;
  readonly fields: FieldTable;
  readonly indexes: readonly IndexShape[];
  /**
   * Documents are searched by it. Where its declaration is new or differs from the one that the store has indexed,
   * `provision` begins to index anew and returns; until that is done searches throw IndexBuilding.
   */
  readonly text?: TextIndex;
  /** Live documents are never given a `purgeAt`: only deleted ones are, if any. */
  readonly permanent?: boolean;
  /**
   * What the feed records of changes; collections that nothing follows (false) pay nothing. `ids`: that a document was
   * inserted, changed or removed, and none of its texts: these are nowhere copied, read or asked of the server for it.
   */
  readonly feed: false | "ids" | "documents";
  /** Number of the last migration of its documents: what is written is in its form unless it says another. Default: 0. */
  readonly form?: number;
}

export interface IndexShape {
  /** Without the engine's prefix. */
  readonly name: string;
  readonly keys: readonly { readonly field: Field; readonly descending: boolean }[];
  /**
   * Over live documents in which every key is present. Others take no part.
   */
  readonly unique: boolean;
  /** Deleted documents have one like it. Not for unique ones, and no key passes through an array. */
  readonly trash?: boolean;
}
