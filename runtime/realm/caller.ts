import type { JsonObject } from "../json.ts";
import type { Administration } from "./administration.ts";

/** What rules see as `user`. Absent for anonymous callers. */
export interface RuleUser {
  readonly id: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly roles: readonly string[];
  readonly locale: string | null;
  /** This session used a second factor. */
  readonly mfa: boolean;
  /** RFC 3339, UTC, milliseconds. */
  readonly created_at: string;
  readonly profile: JsonObject | null;
}

/** Who sends a request. In realms with `auth: disabled` only API keys are known, and only `_admin` asks. */
export type Caller = AnonymousCaller | UserCaller | KeyCaller;

export interface AnonymousCaller {
  readonly kind: "anonymous";
  /** The form of `_meta.created_by` and `_meta.updated_by`. */
  readonly actor: "anonymous";
}

export interface UserCaller {
  readonly kind: "user";
  readonly actor: `user:${string}`;
  readonly user: RuleUser;
  readonly credential: SessionCredential | DelegatedCredential;
}

/** The user's own session. */
export interface SessionCredential {
  readonly kind: "session";
  /** The session's id, which clients see. */
  readonly id: string;
  /** SHA-256 of its token: the id of its record. */
  readonly hash: string;
  /** When it ends however much it is used; epoch milliseconds. */
  readonly expires: number;
  /** It came in a cookie, not in `Authorization`. */
  readonly cookie: boolean;
  /** What the user's roles give; undefined: nothing. */
  readonly administration: Administration | undefined;
  /** Its administration is over until the user proves who they are again (`admin_idle_timeout`, `admin_max_lifetime`). */
  readonly lapsed: boolean;
}

/** An API key that acts for the user (spec: Authentication 5): the rules apply, limited further by its scopes. */
export interface DelegatedCredential {
  readonly kind: "key";
  /** The key itself; its administration is not lent. */
  readonly key: KeyCaller;
}

export type SessionCaller = UserCaller & { readonly credential: SessionCredential };

export function isSession(caller: Caller): caller is SessionCaller {
  return caller.kind === "user" && caller.credential.kind === "session";
}

export interface KeyCaller {
  readonly kind: "key";
  readonly actor: `key:${string}`;
  readonly keyId: string;
  /** Absent: everything. */
  readonly scopes: KeyScopes | undefined;
  /** Undefined: none. */
  readonly administration: Administration | undefined;
  /** It may act for users. */
  readonly delegates: boolean;
  /** Epoch milliseconds; Infinity: never. */
  readonly expires: number;
}

/** What a key may do: on everything, or on the databases, collections and functions named. */
export interface KeyScopes {
  readonly read?: "*" | readonly string[];
  readonly write?: "*" | readonly string[];
  readonly call?: "*" | readonly string[];
}

export const anonymous: AnonymousCaller = { kind: "anonymous", actor: "anonymous" };

/** The API key that they came with. */
export function keyOf(caller: Caller): KeyCaller | undefined {
  if (caller.kind === "key") return caller;
  return caller.kind === "user" && caller.credential.kind === "key" ? caller.credential.key : undefined;
}
