import type { ChainStep } from "./chain.ts";
import type { StoreCollection } from "./collection.ts";
import type { StoredDocument } from "./document.ts";
import type { ChangeFeed } from "./feed.ts";
import type { Lease } from "./lease.ts";
import type { CollectionShape } from "./shape.ts";
import type { Transaction, TransactionOptions } from "./transaction.ts";

/**
 * The store contract: what an engine gives the document layer. One store holds one realm. Its own, engine-independent
 * test suite is `testing/suite.ts`.
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
   * Documents of several collections that name one another, in one command where the store is shared: those of each step,
   * in any order. Where the first step finds none, the others are not asked.
   */
  chain(steps: readonly ChainStep[]): Promise<readonly (readonly StoredDocument[])[]>;
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
  /** Whether other processes work on it, too: what one of them leaves undone another one does. */
  readonly isShared: boolean;
  /** The time by the store's own clock, where it is shared the server's; epoch milliseconds. @throws StoreUnavailable */
  now(): Promise<number>;
  /**
   * Collections whose text index lacks documents that were there before it, so that searches throw IndexBuilding: whoever
   * runs the store brings them in by {@link fillText}. None where instances share the store: they see to it among themselves.
   */
  unfilledTexts(): readonly string[];
  /**
   * Brings more of the documents of such a collection into its text index, for some milliseconds, and durably.
   * @returns whether it lacks any yet
   */
  fillText(collection: string): Promise<boolean>;
  /**
   * Removes a collection for good, with its indexes and all that the engine remembers of it, where it has exactly so many
   * documents (as a `StoreReader` counts them); false where it has not, or there is none. It is one that this store was not
   * provisioned with, and nobody writes to it.
   * @throws Error where an instance runs that has it
   */
  drop(collection: string, documents: number): Promise<boolean>;
  readonly feed: ChangeFeed;
  /** @throws when the store cannot be reached, or would not write. */
  health(): Promise<void>;
  /** Waits for writes under way, then releases everything. */
  close(): Promise<void>;
}
