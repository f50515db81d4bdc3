import type { StoredDocument } from "./document.ts";

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
