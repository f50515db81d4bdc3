import type { StoredDocument } from "./document.ts";

/**
 * An ordered history of changes of collections whose shape asks for it, kept for a day, longer for who holds it back, or
 * as long as the server of a shared store keeps it. There changes come a moment after they were acknowledged. A stretch in
 * which a collection was not recorded as its shape says now is no history of it: positions before may be expired.
 */
export interface ChangeFeed {
  /** The position after the newest change. */
  head(): Promise<string>;
  /** One as far back as history is known to reach. */
  oldest(): Promise<string>;
  /**
   * A text that is never greater than those of later positions, compared by its code units; of some that are near each other
   * it is the same. Undefined for what can be no position.
   */
  order(position: string): string | undefined;
  /**
   * Keeps what comes after a position for whoever is called so, in place of the one that they held before; undefined: for
   * them no longer. History is held for {@link HELD} milliseconds and within its bound of bytes, not beyond. Where the
   * server of a shared store keeps it, that alone decides.
   */
  hold(name: string, position: string | undefined): Promise<void>;
  /**
   * Changes after `position`, oldest first: at most `limit`, or fewer, the last of which makes their texts longer than so
   * many bytes (default: {@link FEED_BYTES}); none only where there are no more yet.
   * @throws HistoryExpired when the history no longer reaches back to it.
   */
  read(position: string, limit: number, bytes?: number): Promise<ChangePage>;
  /**
   * Calls back after each commit that recorded changes, or, where the store is shared, when changes came or the history
   * was lost, and when the feed begins; answers how to stop.
   */
  onCommit(listener: () => void): () => void;
}

/** Milliseconds for which history that somebody holds back is kept. */
export const HELD = 7 * 24 * 60 * 60 * 1000;

/** Bytes of documents' texts after which what is read of the feed at once ends. */
export const FEED_BYTES = 8 * 1024 * 1024;

export interface ChangePage {
  readonly changes: readonly Change[];
  /** From where to go on: after the last change, or where nothing was recorded for long, later. */
  readonly position: string;
}

export type Change = DocumentChange | IdChange;

interface Recorded {
  readonly position: string;
  /**
   * The same of all that was committed together, whose changes come one after another; of no others but, on a sharded
   * cluster, those made elsewhere at the same instant of the cluster's time.
   */
  readonly commit: string;
  /** Whether it is the last of its commit. */
  readonly isLast: boolean;
  /** Epoch milliseconds, by the store's own clock where it is shared. */
  readonly at: number;
  readonly collection: string;
  readonly id: string;
}

/** A change of a collection whose `feed` is `ids`: that it happened, whatever it was. */
export interface IdChange extends Recorded {
  readonly recorded: "ids";
}

/** A change of a collection whose `feed` is `documents`. */
export interface DocumentChange extends Recorded {
  readonly recorded: "documents";
  /** Before the change; absent for an insert, `unknown` where a shared store no longer has it. */
  readonly before?: StoredDocument | "unknown";
  /** After the change; absent for a removal. */
  readonly after?: StoredDocument;
}
