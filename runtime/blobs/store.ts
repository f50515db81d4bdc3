/**
 * The contract of storage drivers: bytes of one realm under keys that say what they are. Its suite is `testing/suite.ts`.
 * Bytes that `put` has acknowledged survive the death of the process.
 */
import type { ByteSource } from "../realm/exchange.ts";

/** `<sha256>` of a file, `<sha256>/<version>` of an image's version, `uploads/<id>` of what is being uploaded directly. */
export type BlobKey = string;

/** Bytes, from the first to the last of them. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Bytes that were taken in whole: in a file of the spool, or in memory where they are few. */
export type Spooled = Digest &
  ({ readonly kind: "file"; readonly path: string } | { readonly kind: "memory"; readonly bytes: Buffer });

export interface Digest {
  /** Bytes. */
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

export interface BlobStore {
  /**
   * Stores what was spooled, in place of what has that key, if anything. The spooled file may be gone then.
   * @throws StorageUnavailable
   */
  put(key: BlobKey, spooled: Spooled, type: string): Promise<void>;
  /** Bytes; undefined where there are none. @throws StorageUnavailable */
  size(key: BlobKey): Promise<number | undefined>;
  /**
   * Costs the same for any range of it, however large it is.
   * @throws BlobMissing | StorageUnavailable; what breaks off later is thrown in reading
   */
  open(key: BlobKey, range: ByteRange | undefined, signal: AbortSignal): Promise<ByteSource>;
  /**
   * With all that lies below a key: a file goes with its versions. What is not there is no mistake.
   * @throws StorageUnavailable
   */
  remove(keys: readonly BlobKey[]): Promise<void>;
  /** Present where bytes are files of this machine: the one with a key's, whether or not there is one, to be read alone. */
  fileOf?(key: BlobKey): string;
  /** All that there is, in any order: for checks and copies. @throws StorageUnavailable */
  list(): AsyncIterable<{ readonly key: BlobKey; readonly size: number; readonly changedAt: number }>;
  /**
   * Removes what a process has left that died while it put something, or that nobody has ended.
   * @param before epoch milliseconds; what began later may be under way
   * @returns how many
   * @throws StorageUnavailable
   */
  removeLeftovers(before: number): Promise<number>;
  /** Present where clients can be sent to the storage itself. */
  readonly signed?: SignedAccess;
  /** @throws StorageUnavailable where it cannot be read or written */
  health(): Promise<void>;
  close(): Promise<void>;
}

/** Requests that the storage answers without us; times in seconds. */
export interface SignedAccess {
  /** Bytes that it takes in one request. */
  readonly most: number;
  /** The storage itself refuses other sizes and, where it can, other bytes. */
  put(
    key: BlobKey,
    of: { readonly size: number; readonly sha256: string; readonly type: string },
    seconds: number,
  ): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }>;
  get(
    key: BlobKey,
    as: { readonly disposition: string; readonly type: string },
    seconds: number,
  ): Promise<string>;
}

/** There are no bytes under the key. */
export class BlobMissing extends Error {
  constructor(key: BlobKey) {
    super(`no bytes are stored under ${key}`);
    this.name = "BlobMissing";
  }
}

/** The storage cannot be reached, refuses us, or has no room. */
export class StorageUnavailable extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, { cause });
    this.name = "StorageUnavailable";
  }
}
