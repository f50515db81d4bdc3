import type { JsonObject } from "../json.ts";
import type { AdminArea, Administration } from "./administration.ts";

/** What rules see as `user`. Absent for anonymous callers; for organization keys their service member. */
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

/** Somebody whom the rules are about. */
export interface UserCaller {
  readonly kind: "user";
  /** `key:<name>` of an organization key. */
  readonly actor: `user:${string}` | `key:${string}`;
  readonly user: RuleUser;
  readonly credential: SessionCredential | KeyCredential;
}

/** An API key by which somebody comes; its scopes limit what the rules allow. */
export type KeyCredential = DelegatedCredential | BoundCredential | ServiceCredential;

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

/** A key that always acts for its user: a personal token, or an operator's key that is pinned to them. */
export interface BoundCredential {
  readonly kind: "bound";
  readonly key: KeyCaller;
  /** The user has a second factor enrolled; no key uses one. */
  readonly enrolled: boolean;
  /** Of the areas in the token's scopes those that the user's roles give; undefined: none. */
  readonly administration: Administration | undefined;
}

/** An organization key, or an operator's key that is pinned to one: it acts as its own service member, there alone. */
export interface ServiceCredential {
  readonly kind: "service";
  readonly key: KeyCaller;
  /** Id of the organization. */
  readonly org: string;
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
  /** It may act for users; `required`: it does nothing else. */
  readonly delegates: boolean | "required";
  /** Epoch milliseconds; Infinity: never. */
  readonly expires: number;
}

/** Who comes by an organization key. */
export type ServiceCaller = UserCaller & { readonly credential: ServiceCredential };

export type BoundCaller = UserCaller & { readonly credential: BoundCredential };

export function isBound(caller: Caller): caller is BoundCaller {
  return caller.kind === "user" && caller.credential.kind === "bound";
}

/** What a key may do: on everything, or on the databases, collections and functions named. */
export interface KeyScopes {
  readonly read?: "*" | readonly string[];
  readonly write?: "*" | readonly string[];
  readonly call?: "*" | readonly string[];
}

/** Of a personal token, beside: areas of administration. */
export interface TokenScopes extends KeyScopes {
  readonly admin?: readonly AdminArea[];
}

export const anonymous: AnonymousCaller = { kind: "anonymous", actor: "anonymous" };

/** The API key that they came with. */
export function keyOf(caller: Caller): KeyCaller | undefined {
  if (caller.kind === "key") return caller;
  return caller.kind === "user" && caller.credential.kind !== "session" ? caller.credential.key : undefined;
}

/** The organization whose key they came with: the only one there is to them. */
export function ownOrganization(caller: Caller | undefined): string | undefined {
  return caller?.kind === "user" && caller.credential.kind === "service" ? caller.credential.org : undefined;
}

/**
 * Who they are, however they come: a user, or a key that is nobody else.
 * @returns undefined for anonymous callers
 */
export function identityOf(caller: Caller): string | undefined {
  switch (caller.kind) {
    case "anonymous":
      return undefined;
    case "key":
      return `key:${caller.keyId}`;
    case "user":
      return caller.credential.kind === "service" ? `key:${caller.credential.key.keyId}` : caller.actor;
  }
}

/**
 * The same, told apart by the key that they come with: its scopes may hide what was answered to them otherwise.
 * @returns undefined for anonymous callers
 */
export function credentialOf(caller: Caller): string | undefined {
  const identity = identityOf(caller);
  if (caller.kind !== "user" || caller.credential.kind === "session" || caller.credential.kind === "service")
    return identity;
  return `${identity} key:${caller.credential.key.keyId}`;
}

/**
 * Which organizations count for somebody, among those that require a second factor: `factor` all, `key` those that allow
 * keys, `none` none.
 */
export type Assurance = "factor" | "key" | "none";

/** A service member's organization made its key; whoever else comes by a key has used no second factor. */
export function assuranceOf({ user, credential }: UserCaller): Assurance {
  switch (credential.kind) {
    case "session":
      return user.mfa ? "factor" : "none";
    case "key":
      return "none";
    case "bound":
      return credential.enrolled ? "key" : "none";
    case "service":
      return "factor";
  }
}
