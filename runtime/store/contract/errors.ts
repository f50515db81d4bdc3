import { MAX_GROUPS } from "./aggregate.ts";

/** A document with this id exists, live or soft-deleted. */
export class DuplicateId extends Error {
  readonly id: string;
  constructor(id: string) {
    super(`a document with id ${JSON.stringify(id)} exists`);
    this.name = "DuplicateId";
    this.id = id;
  }
}

/** Another transaction, which is under way, inserts a document of this id; nothing of this one is written. */
export class Claimed extends Error {
  constructor(id: string) {
    super(`another transaction claims id ${JSON.stringify(id)}`);
    this.name = "Claimed";
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

/** The engine cannot hold a document of this size, or not write so much at once. */
export class DocumentTooLarge extends Error {
  readonly what: "document" | "transaction";
  constructor(what: "document" | "transaction" = "document") {
    super(
      what === "document" ? "the document is larger than the store can hold" : "the transaction is too large",
    );
    this.name = "DocumentTooLarge";
    this.what = what;
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
