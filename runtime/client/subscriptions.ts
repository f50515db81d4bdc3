import type { ApiError } from "./errors.ts";

/** What realtime streams need beside what every request does. */
export interface RealtimeOptions {
  /** Time as streams take it; for tests. */
  clock?: Clock | undefined;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, unless what it answers is called before. */
  after(milliseconds: number, callback: () => void): () => void;
}

/**
 * Why documents have to be loaded anew. All but `config_changed` keep the subscription; this client makes it again then, too.
 */
export type ResetReason =
  | "history_expired"
  | "slow_consumer"
  | "preimage_missing"
  | "config_changed"
  | "access_changed";

export type SessionEnd = "signed_out" | "revoked" | "disabled" | "deleted";

/** Why nothing more will come. */
export type SubscriptionEnd =
  /** The session, the user or the key behind the stream is no more. */
  | { readonly reason: "session_ended"; readonly why: SessionEnd }
  /** The server's answer, which will be the same when asked again. */
  | { readonly reason: "refused"; readonly error: ApiError }
  /** What came cannot be understood. */
  | { readonly reason: "failed"; readonly error: Error };

export interface Subscription {
  readonly db: string;
  readonly collection: string;
  readonly where?: object | undefined;
  readonly doc?: string | undefined;
}

export interface Versioned {
  id: string;
  _meta: object;
}

export type DocumentEvent<D extends Versioned> =
  | { readonly type: "created" | "updated"; readonly document: D }
  | { readonly type: "removed"; readonly id: string; readonly version: number };

/** What a stream tells of one subscription. */
export interface Follower {
  readonly subscription: Subscription;
  /** From here on events come; those of before are not known. `reason`: not for the first time. */
  started(reason: ResetReason | undefined): void;
  /** The stream is open again, and nothing was missed. */
  resumed(): void;
  event(event: DocumentEvent<Versioned>): void;
  /** All events that came together have been told. */
  settled(): void;
  reset(reason: ResetReason): void;
  /** No events come until it starts again or is resumed. */
  interrupted(): void;
  ended(end: SubscriptionEnd): void;
  /** What a read of these documents is refused with. */
  refusal(): Promise<ApiError | undefined>;
}

/** Whether asking again would be answered the same. */
export function isLasting({ status }: ApiError): boolean {
  return status < 500 && status !== 429 && status !== 408;
}

/** Runs what users gave: their errors are theirs, and nothing here stops at them. */
export function guarded(callback: () => unknown): void {
  new Promise((resolve) => resolve(callback())).catch((error: unknown) => console.error(error));
}
