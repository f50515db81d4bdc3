import type { Filter } from "../../filter/algebra.ts";
import type { Aggregate, Group } from "./aggregate.ts";
import type { DocumentWrite, StoredDocument, Visibility } from "./document.ts";
import type { Find, Lookup } from "./query.ts";

/** Operations that a transaction offers too. */
export interface DocumentReader {
  /** The document if it exists, is visible so and satisfies the filter (default: any). */
  get(id: string, visibility: Visibility, filter?: Filter): Promise<StoredDocument | undefined>;
}

/** What becomes of a document that was found. */
export type Modification =
  /** By one of the same id. */
  | { readonly kind: "replace"; readonly document: DocumentWrite }
  /** It goes for good. */
  | { readonly kind: "remove" }
  | { readonly kind: "keep" };

/** Judges a document, or that there is none, by what is at hand: it awaits nothing and changes nothing. */
export type Decide<M extends Modification> = (found: StoredDocument | undefined) => M;

/** Outside of a transaction each throws TransactionConflict where one holds, for too long, what is to be written. */
export interface DocumentWriter {
  /** @throws DuplicateId | UniqueViolation, the first where both hold | DocumentTooLarge */
  insert(document: DocumentWrite): Promise<void>;
  /**
   * Replaces the document if its version is `expected` (in any visibility); false if it is gone or has another.
   * @throws UniqueViolation | DocumentTooLarge
   */
  replace(expected: number, document: DocumentWrite): Promise<boolean>;
  /**
   * Removes it for good if its version is `expected` (in any visibility), or without one if it is live; false if it is
   * gone or not so.
   */
  remove(id: string, expected?: number): Promise<boolean>;
  /**
   * Finds a document, and makes of it what `decide` says. Nobody writes to it meanwhile; or, where the store is shared and
   * somebody did, nothing is done.
   * @param bytes what `decide` holds while it waits, about
   * @returns what was decided, and done; undefined when somebody else has written in between
   * @throws what `decide` throws | UniqueViolation | DocumentTooLarge
   */
  modify<M extends Modification>(
    id: string,
    visibility: Visibility,
    decide: Decide<M>,
    bytes?: number,
  ): Promise<M | undefined>;
}

export interface StoreCollection extends DocumentReader, DocumentWriter {
  /**
   * Runs under the store's query time limit, or, where the filter holds a search, under that of searches.
   * @throws QueryTimeout | StoreBusy | IndexBuilding
   */
  find(query: Find): Promise<StoredDocument[]>;
  /** As `find`. */
  count(filter: Filter, visibility: Visibility): Promise<number>;
  /**
   * Live documents that a value names, in any order, each once. One query.
   * @throws QueryTimeout | StoreBusy
   */
  lookup(lookup: Lookup): Promise<StoredDocument[]>;
  /**
   * At most `limit` groups, and whether there are more. Runs under the time limit of searches.
   * @throws TooManyGroups | QueryTimeout | StoreBusy | IndexBuilding
   */
  aggregate(query: Aggregate): Promise<{ readonly groups: readonly Group[]; readonly hasMore: boolean }>;
  /** Removes for good up to `limit` documents whose `purgeAt` has passed; answers how many. */
  removeExpired(limit: number): Promise<number>;
  /**
   * What was written, deleted documents too, in the order of ids from after this one on: how a collection is moved to
   * another store. Documents past their `purgeAt` are left out.
   * @param characters as in {@link Find}
   */
  scan(after: string | undefined, limit: number, characters?: number): Promise<readonly DocumentWrite[]>;
  /**
   * Writes documents as they are, each in place of the one that has its id, if any; some may be written when it throws.
   * @throws UniqueViolation | DocumentTooLarge
   */
  load(documents: readonly DocumentWrite[]): Promise<void>;
}
