import { ApiError } from "../../errors.ts";
import type { DocumentWrite, StoredDocument } from "../../store/contract/document.ts";
import { DuplicateId } from "../../store/contract/errors.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import type { Read } from "../records.ts";

/** Attempts where others make, and remove, the same record at the same time. */
const attempts = 10;

/** Where a record goes. */
export interface Putting<Record> {
  readonly collection: string;
  readonly id: string;
  readonly read: (document: StoredDocument) => Read<Record>;
  readonly write: (record: Record, version: number) => DocumentWrite;
  /** The record, made from the one that it replaces, if any. */
  readonly next: (before: Record | undefined) => Record;
  /** Writes what belongs to the change, in its transaction. */
  readonly along: (transaction: Transaction, before: Record | undefined) => Promise<void>;
}

/**
 * Writes a record, in place of the one there is or as the first; answers it.
 * @throws ApiError `write_conflict`
 */
export async function putRecord<Record>(store: Store, putting: Putting<Record>): Promise<Record> {
  const { collection, id, read, write, next, along } = putting;
  for (let left = attempts; ; left -= 1) {
    try {
      return await store.transaction(async (transaction) => {
        const records = transaction.collection(collection);
        const document = await records.get(id, "live");
        const before = document === undefined ? undefined : read(document);
        const after = next(before?.record);
        if (before === undefined) await records.insert(write(after, 1));
        else if (!(await records.replace(before.version, write(after, before.version + 1))))
          throw new ApiError("write_conflict", "It was changed at the same time; try again.");
        await along(transaction, before?.record);
        return after;
      });
    } catch (error) {
      // Where the store is shared, another may have made it in between: the next attempt finds it.
      if (!(error instanceof DuplicateId && error.id === id) || left === 1) throw error;
    }
  }
}
