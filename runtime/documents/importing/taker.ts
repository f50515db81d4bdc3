import type { DocumentWrite, StoredDocument } from "../../store/contract/document.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import type { Incoming } from "./incoming.ts";
import type { Rejected } from "./rejected.ts";

/** What becomes of what has an id that there is. */
export type Mode = "create" | "replace" | "merge";

/** What a line is, before it is known what there is. */
export interface Drafted {
  readonly line: number;
  readonly id: string;
}

/** What fits, before it is known whether the store takes it. */
export interface Writable {
  readonly line: number;
  readonly document: DocumentWrite;
  /** The version of what it takes the place of; absent: there must be none. */
  readonly expected?: number;
}

/** Makes what is stored of what comes: documents of a collection, or records of the service. */
export interface Taker<Draft extends Drafted, Prepared extends Writable> {
  /** The collection, as the store has it. */
  readonly name: string;
  /** @throws Rejected */
  draft(incoming: Incoming): Draft;
  /** What was found in the form that {@link prepared} takes; absent: as it was found. */
  newest?(found: readonly StoredDocument[]): Promise<readonly StoredDocument[]>;
  /**
   * @param found what there is of its id
   * @throws Rejected
   */
  prepared(draft: Draft, found: StoredDocument | undefined): Prepared;
  /** Of those that name what is not there why they cannot be imported, by their lines. */
  missing(prepared: readonly Prepared[]): Promise<ReadonlyMap<number, Rejected>>;
  /** Why there is no room for an id that is taken. */
  readonly taken: string;
  /** Why the store has refused one. */
  reason(error: Error): string;
  /** Writes what belongs to those that are written, in their transaction. */
  along?(transaction: Transaction, prepared: readonly Prepared[]): Promise<void>;
}
