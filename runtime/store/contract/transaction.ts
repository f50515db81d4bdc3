import type { DocumentReader, DocumentWriter } from "./collection.ts";
import type { DocumentWrite, StoredDocument } from "./document.ts";
import type { Lease } from "./lease.ts";

export interface TransactionOptions {
  /** What `work` holds while it waits for its turn, about. */
  readonly bytes?: number;
  /** On the strength of which it writes: nothing is written once somebody else may have it. */
  readonly lease?: Pick<Lease, "name" | "token"> | undefined;
}

export interface Transaction {
  collection(name: string): TransactionCollection;
}

/** A document in place of the one that has its id, if that is of this version. */
export interface Replacement {
  readonly expected: number;
  readonly document: DocumentWrite;
}

export interface TransactionCollection extends DocumentReader, DocumentWriter {
  /**
   * Inserts documents in their order, in as few commands as the engine can.
   * @throws InsertRefused for the first that is refused
   */
  insertAll(documents: readonly DocumentWrite[]): Promise<void>;
  /**
   * Replaces those of the documents that still have the expected versions (in any visibility), in as few commands as the
   * engine can; answers how many.
   * @throws UniqueViolation | DocumentTooLarge
   */
  replaceAll(replacements: readonly Replacement[]): Promise<number>;
  /**
   * As `insert`, for a document that says that something is being done: where another transaction is about to insert one
   * of its id, this one does not wait for its end, nor runs again.
   * @throws as `insert` | Claimed
   */
  claim(document: DocumentWrite): Promise<void>;
  /**
   * Removes for good those of the documents that still have these versions (in any visibility), in as few commands as the
   * engine can; answers how many.
   */
  removeAll(documents: readonly Pick<StoredDocument, "id" | "version">[]): Promise<number>;
}
