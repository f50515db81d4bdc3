import type { JsonObject } from "../json.ts";

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

/** Who sends a request, in a realm with authentication. Realms without know no callers. */
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
  readonly sessionId: string;
  /** The session came in a cookie, not in `Authorization`. */
  readonly cookie: boolean;
}

export interface KeyCaller {
  readonly kind: "key";
  readonly actor: `key:${string}`;
  readonly keyId: string;
  /** Absent: everything. */
  readonly scopes: KeyScopes | undefined;
  readonly admin: boolean;
}

/** What a key may do: on everything, or on the databases, collections and functions named. */
export interface KeyScopes {
  readonly read?: "*" | readonly string[];
  readonly write?: "*" | readonly string[];
  readonly call?: "*" | readonly string[];
}

export const anonymous: AnonymousCaller = { kind: "anonymous", actor: "anonymous" };
