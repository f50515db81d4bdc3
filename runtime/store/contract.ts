import type { Filter, Scalar } from "../filter/algebra.ts";
import type { BucketUnit } from "../filter/buckets.ts";
import type { Field, FieldTable } from "../filter/fields.ts";
import type { Order, Position } from "../filter/order.ts";
import type { TextIndex } from "../filter/search/text-index.ts";

/**
 * The store contract: what an engine gives the document layer. One store holds one realm. Its own, engine-independent
 * test suite is `contract.suite.ts`.
 *
 * Reads see every write acknowledged before them. An acknowledged write survives the death of the process.
 */
export interface Store {
  /**
   * Makes tables and indexes, drops indexes of ours that are declared no longer. Idempotent; called once before use.
   * @throws UniqueIndexViolated when stored documents violate a declared unique index; nothing is lost.
   */
  provision(collections: readonly CollectionShape[]): Promise<void>;
  /** @throws Error for a collection that was not provisioned. */
  collection(name: string): StoreCollection;
  /**
   * Runs `work` atomically: all of its writes become visible and durable together, or, when it throws, none.
   * `work` awaits nothing but the transaction's own operations, one after another, which see the writes before them.
   * Where the store is shared it runs again, from its beginning, when another transaction came in between: it changes
   * nothing outside. Once an operation has thrown, the transaction can only be given up.
   * @throws TransactionConflict when others came in between again and again
   * @throws LeaseLost where somebody else may have its lease by now
   * @throws StoreBusy where so much waits to be written that this is not to wait, too
   * @throws TransactionTimeout where `work` awaits something else and that takes too long
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * A mark held by at most one holder at a time, gone at `release`, at the end of the process (or `ttl` milliseconds
   * after it was taken or last renewed where the store is shared, by the store's clock). Undefined when somebody holds it.
   */
  lease(name: string, ttl: number): Promise<Lease | undefined>;
  /**
   * A number that changes whenever anything in the collection may have changed, whoever wrote it; undefined where the
   * engine cannot know, and then nothing read from it may be kept.
   */
  revision(collection: string): number | undefined;
  readonly feed: ChangeFeed;
  /** @throws when the store cannot be reached, or would not write. */
  health(): Promise<void>;
  /** Waits for writes under way, then releases everything. */
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** What `work` holds while it waits for its turn, about. */
  readonly bytes?: number;
  /** On the strength of which it writes: nothing is written once somebody else may have it. */
  readonly lease?: Pick<Lease, "name" | "token"> | undefined;
}

export interface Lease {
  readonly name: string;
  /**
   * Fences off whoever lost the lease without knowing: given to `transaction`, nothing is committed then. What is harmless
   * when two do it, and what the version of a document guards, needs none.
   */
  readonly token: string;
  /** Holds it for another `ttl`; false when it was lost meanwhile. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

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
  /** Whether changes are recorded in the feed; collections that nothing follows pay nothing. */
  readonly feed: boolean;
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

/** A document as responses carry it: `text` is its JSON. `version` is 0 for one written before versioning. */
export interface StoredDocument {
  readonly id: string;
  readonly version: number;
  readonly text: string;
  /** How well it matches the search, greater is better; only where documents are found by relevance. */
  readonly score?: number;
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

export interface Find {
  readonly filter: Filter;
  readonly visibility: Visibility;
  /** Absent: the default order. `relevance`: by score, greatest first, then id; the filter must hold a search. */
  readonly order?: Order | "relevance" | undefined;
  /** Only documents after this position of the order, all of whose keys must be seekable (see `isSeekable`). */
  readonly after?: Position | undefined;
  readonly limit: number;
  readonly skip: number;
  /** Of the documents' texts; default: no bound. The document that makes them longer is the last, unless it is the first. */
  readonly characters?: number | undefined;
}

/** Which documents one of their values names. */
export interface Lookup {
  /** `id`, or a field with a unique index of its own. */
  readonly key: Field;
  readonly values: readonly string[];
  readonly filter: Filter;
  /** At most so many documents are answered. */
  readonly limit: number;
  /** As in {@link Find}. */
  readonly characters?: number;
}

export interface Aggregate {
  readonly filter: Filter;
  readonly visibility: Visibility;
  /** None: exactly one group. */
  readonly groupBy: readonly GroupKey[];
  readonly metrics: readonly Metric[];
  /** Columns count the keys of `groupBy`, then the metrics, from 0. Ties come in the order of the group keys. */
  readonly order: readonly { readonly column: number; readonly descending: boolean }[];
  readonly limit: number;
}

export interface GroupKey {
  /**
   * Passes through no array, but may hold one: then a document is, once, in the group of each different element, in that
   * of null without any.
   */
  readonly field: Field;
  /** Of a date field that holds no array: groups by the start of the period, in an IANA time zone. */
  readonly bucket?: { readonly unit: BucketUnit; readonly zone: string };
}

export type Metric =
  | { readonly op: "count" }
  | { readonly op: "sum" | "avg" | "min" | "max"; readonly field: Field }
  /** Different values, or elements where the field holds an array; null is none. */
  | { readonly op: "distinct"; readonly field: Field };

/** Null groups missing and null together. A bucket is its start: an instant, or a day for fields that hold days. */
export interface Group {
  readonly key: readonly (Scalar | null)[];
  /** Sum of nothing is 0; average, minimum and maximum of nothing are null. */
  readonly metrics: readonly (string | number | null)[];
}

/** Groups, or distinct values in one of them, that an aggregation may make. */
export const MAX_GROUPS = 50_000;

/** Operations that a transaction offers too. */
export interface DocumentReader {
  /** The document if it exists, is visible so and satisfies the filter (default: any). */
  get(id: string, visibility: Visibility, filter?: Filter): Promise<StoredDocument | undefined>;
}

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
   */
  scan(after: string | undefined, limit: number): Promise<readonly DocumentWrite[]>;
  /**
   * Writes documents as they are, each in place of the one that has its id, if any; some may be written when it throws.
   * @throws UniqueViolation | DocumentTooLarge
   */
  load(documents: readonly DocumentWrite[]): Promise<void>;
}

export interface Transaction {
  collection(name: string): TransactionCollection;
}

/** A collection in a transaction. */
export interface TransactionCollection extends DocumentReader, DocumentWriter {
  /**
   * Inserts documents in their order, in as few commands as the engine can.
   * @throws InsertRefused for the first that is refused
   */
  insertAll(documents: readonly DocumentWrite[]): Promise<void>;
  /**
   * Removes for good those of the documents that still have these versions (in any visibility), in as few commands as the
   * engine can; answers how many.
   */
  removeAll(documents: readonly Pick<StoredDocument, "id" | "version">[]): Promise<number>;
}

/**
 * An ordered history of changes of collections whose shape asks for it, kept for a day, or as long as the server of a
 * shared store keeps it. There changes come a moment after they were acknowledged.
 */
export interface ChangeFeed {
  /** The position after the newest change. */
  head(): Promise<string>;
  /**
   * Changes after `position`, oldest first: at most `limit`, or fewer, the last of which makes their texts longer than
   * {@link FEED_CHARACTERS}; none only where there are no more yet.
   * @throws HistoryExpired when the history no longer reaches back to it.
   */
  read(position: string, limit: number): Promise<readonly Change[]>;
  /**
   * Calls back after each commit that recorded changes, or, where the store is shared, when changes came or the history
   * was lost, and when the feed begins; answers how to stop.
   */
  onCommit(listener: () => void): () => void;
}

/** Characters of documents' texts after which what is read of the feed at once ends. */
export const FEED_CHARACTERS = 8 * 1024 * 1024;

export interface Change {
  readonly position: string;
  /** Epoch milliseconds, by the store's own clock where it is shared. */
  readonly at: number;
  readonly collection: string;
  readonly id: string;
  /** Before the change; absent for an insert, `unknown` where a shared store no longer has it. */
  readonly before?: StoredDocument | "unknown";
  /** After the change; absent for a removal. */
  readonly after?: StoredDocument;
}

/** A document with this id exists, live or soft-deleted. */
export class DuplicateId extends Error {
  readonly id: string;
  constructor(id: string) {
    super(`a document with id ${JSON.stringify(id)} exists`);
    this.name = "DuplicateId";
    this.id = id;
  }
}

/** Of several documents one was refused; the cause is what `insert` would have thrown. */
export class InsertRefused extends Error {
  /** Its place among them, from 0. */
  readonly at: number;
  constructor(at: number, cause: unknown) {
    super(`document ${at} cannot be inserted`, { cause });
    this.name = "InsertRefused";
    this.at = at;
  }
}

/** A write would give two live documents the same values under a unique index; of several, the one declared first. */
export class UniqueViolation extends Error {
  /** The index's name as in its {@link IndexShape}. */
  readonly index: string;
  constructor(index: string) {
    super(`unique index ${index} violated`);
    this.name = "UniqueViolation";
    this.index = index;
  }
}

/** Stored documents violate a unique index that is to be made. */
export class UniqueIndexViolated extends Error {
  readonly collection: string;
  readonly index: string;
  /** Up to 10 ids of documents that clash. */
  readonly ids: readonly string[];
  constructor(collection: string, index: string, ids: readonly string[]) {
    super(`unique index ${index} of ${collection} is violated by documents ${ids.join(", ")}`);
    this.name = "UniqueIndexViolated";
    this.collection = collection;
    this.index = index;
    this.ids = ids;
  }
}

/** A query ran longer than the store's time limit and was interrupted. */
export class QueryTimeout extends Error {
  constructor() {
    super("the query exceeded its time limit");
    this.name = "QueryTimeout";
  }
}

/** The collection's text index is being made. */
export class IndexBuilding extends Error {
  /** Seconds after which trying again is worth while. */
  readonly retryAfter: number;
  constructor(retryAfter: number) {
    super("the text index is being built");
    this.name = "IndexBuilding";
    this.retryAfter = retryAfter;
  }
}

/** An aggregation makes more than {@link MAX_GROUPS} groups, has more distinct values, or answers with too much text. */
export class TooManyGroups extends Error {
  constructor() {
    super(`the aggregation makes more than ${MAX_GROUPS} groups or distinct values, or too much text`);
    this.name = "TooManyGroups";
  }
}

/**
 * The store cannot be reached, or lost its primary while it worked. Of a write nobody knows whether it was done, unless
 * it is tried again.
 */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super("the store is unavailable", { cause });
    this.name = "StoreUnavailable";
  }
}

/** The store does not let us in, or not do what the service needs; an operator must see to it. */
export class StoreRefused extends Error {
  /** @param reason repeats neither a credential nor anything of a document */
  constructor(reason: string) {
    super(`the store refuses access: ${reason}`);
    this.name = "StoreRefused";
  }
}

/** A transaction met others, again and again until its time was over; nothing of it is written. */
export class TransactionConflict extends Error {
  constructor(cause: unknown) {
    super("other transactions came in between", { cause });
    this.name = "TransactionConflict";
  }
}

/** A transaction rested on a lease that its holder has given up or lost; nothing of it is written. */
export class LeaseLost extends Error {
  constructor(name: string) {
    super(`lease ${name} is held no longer`);
    this.name = "LeaseLost";
  }
}

/** The engine cannot hold a document of this size. */
export class DocumentTooLarge extends Error {
  constructor() {
    super("the document is larger than the store can hold");
    this.name = "DocumentTooLarge";
  }
}

/** Too many expensive queries run or wait, or too much waits to be written. */
export class StoreBusy extends Error {
  readonly by: "queries" | "writes";
  constructor(by: "queries" | "writes" = "queries") {
    super(by === "queries" ? "too many expensive queries are under way" : "too many writes are under way");
    this.name = "StoreBusy";
    this.by = by;
  }
}

/** A transaction awaited for too long what is none of its own operations; nothing of it is written. */
export class TransactionTimeout extends Error {
  constructor() {
    super("the transaction awaited something else than its own operations for too long");
    this.name = "TransactionTimeout";
  }
}

/** The work of a transaction asked for a write outside of it, which would have to wait for its end. */
export class ForeignWrite extends Error {
  constructor() {
    super("within a transaction only its own operations write");
    this.name = "ForeignWrite";
  }
}

/** The feed no longer reaches back to a position. */
export class HistoryExpired extends Error {
  constructor() {
    super("the change history no longer reaches this position");
    this.name = "HistoryExpired";
  }
}
