import type { RealmInstance } from "../../realm/exchange.ts";
import { longBackoff, once, optimistic, shortBackoff } from "../../retry.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import type { Access, WriteAction, Written } from "../access.ts";
import type { Collection, Documents } from "../collection.ts";

/** One attempt to write; undefined where somebody else has written in between. */
type Attempt<T extends Written> = (documents: Documents) => Promise<T | undefined>;

/** Makes single writes to a collection. */
export class Writer {
  readonly #store: Store;
  readonly #collection: Collection;

  constructor({ store }: RealmInstance, collection: Collection) {
    this.#store = store;
    this.#collection = collection;
  }

  /**
   * Tried again where others came in between; in a transaction where it leaves an audit record, or moves files.
   * @throws ApiError `write_conflict`, and as the attempt does
   */
  write<T extends Written>(access: Access, action: WriteAction, attempt: Attempt<T>): Promise<T> {
    if (access.audit !== undefined || this.#moves(action)) return this.alone(access, action, attempt);
    return optimistic(shortBackoff, () => attempt(this.#collection.documents));
  }

  /** Nobody comes in between. */
  alone<T extends Written>(access: Access, action: WriteAction, attempt: Attempt<T>): Promise<T> {
    const write = () =>
      this.#store.transaction((transaction) => this.within(transaction, access, action, attempt));
    return this.#moves(action) ? optimistic(longBackoff, write) : write();
  }

  /** Along with what else a transaction writes. */
  async within<T extends Written>(
    transaction: Transaction,
    { audit }: Access,
    action: WriteAction,
    attempt: Attempt<T>,
  ): Promise<T> {
    const { definition, storeName, files } = this.#collection;
    const written = await optimistic(once, () => attempt(transaction.collection(storeName)));
    const { id, version, text, details } = written;
    if (this.#moves(action)) await files?.ledger.follow(transaction, storeName, id, text);
    await audit?.(transaction, [
      { action, collection: definition, id, version, ...(details !== undefined && { details }) },
    ]);
    return written;
  }

  /** Whether it leaves a document's files elsewhere than they were. */
  #moves(action: WriteAction): boolean {
    return this.#collection.files !== undefined && moving.has(action);
  }
}

/** Others keep the files that a document has, or make one without any. */
const moving: ReadonlySet<WriteAction> = new Set(["delete", "purge", "restore", "transfer"]);
