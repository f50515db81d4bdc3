import type { Caller } from "./caller.ts";

/** Why a credential ended before its lifetime was over (design: `session_ended`). */
export type EndReason =
  /** The session's own logout. */
  | "signed_out"
  /** Ended by its owner elsewhere, by an administrator, by a new password; of a key: removed, or not good from there. */
  | "revoked"
  /** The account was. */
  | "disabled"
  /** The account was. */
  | "deleted";

/**
 * What a request that goes on for long, such as a stream, asks of the credential that it began with. Whether it still is
 * one, `authenticate` says; a cookie that is none any longer makes the caller anonymous there.
 */
export interface Credentials {
  /**
   * When its lifetime is over whatever is done with it; epoch milliseconds, Infinity: never. Of who acts for a user, the
   * key's. That a session idles is not in it.
   */
  expiry(caller: Caller): number;
  /**
   * Notes that it is used now, as a request does: in memory, and in the store once a minute. Called oftener than
   * `sessionIdleTimeout` it keeps a session from ending here; on other instances, which know of it up to 70 seconds later,
   * where that much is left.
   */
  used(caller: Caller): void;
  /**
   * Why it is good no longer, by the store as it is now; undefined: it is, or its time is over, or nobody asks by one.
   * `signed_out` is known for ten minutes, from then on it is `revoked`.
   * @param from where the request came from
   * @throws (rejects with) what reading the store does
   */
  ended(caller: Caller, from: { readonly address: string }): Promise<EndReason | undefined>;
}
