// Made of the contracts by scripts/contract/client.ts (UPDATE_GOLDEN=1). Do not edit.
import type { MergePatch } from "../../documents/shape.ts";
import type { PageOptions } from "../pages.ts";
import type { KeyScopes, RealmWithAccounts } from "../realm.ts";
import type { AdministrationArea, StoredScopes } from "./types.ts";

export type SignUp<R extends RealmWithAccounts> = {
  email: string;
  password: string;
  /** A language tag (BCP 47) such as `de-CH`. */
  locale?: string | null | undefined;
  profile?: R["profile"] | null | undefined;
} & R["bodies"]["signUp"];

export interface User<R extends RealmWithAccounts> {
  id: string;
  email: string;
  email_verified: boolean;
  /** A language tag (BCP 47) such as `de-CH`. */
  locale: string | null;
  roles: R["role"][];
  profile: R["profile"] | null;
  /** Whether the user has a second factor. */
  mfa: boolean;
  created_at: string;
}

export interface Session {
  /** The bearer token; absent when set as a cookie. */
  token?: string;
  id: string;
  expires_at: string;
}

export type LogIn<R extends RealmWithAccounts> = {
  email: string;
  password: string;
  /** Of the second factor: six digits, or a recovery code, which counts once. */
  code?: string | null | undefined;
} & R["bodies"]["logIn"];

export interface UserPatch<R extends RealmWithAccounts> {
  /** A language tag (BCP 47) such as `de-CH`. */
  locale?: string | null | undefined;
  profile?: MergePatch<R["profile"]> | null | undefined;
}

export interface SessionEntry {
  id: string;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  /** Whether this request came with it. */
  current: boolean;
  user_agent: string | null;
  address: string;
}

export interface PersonalToken {
  id: string;
  name: string;
  /**
   * What it may do: on everything, or on databases and collections named; `{}`: nothing; null:
   * everything, and no administration.
   */
  scopes: StoredScopes;
  /** Its first eight characters; null of an old one. */
  start: string | null;
  /** Where it may be used from: networks such as `10.0.0.0/8`, or addresses; null: anywhere. */
  networks: string[] | null;
  created_at: string;
  /** `user:<id>`, `key:<name>` or `command-line`; null of an old one. */
  created_by: string | null;
  /** Null: never. */
  expires_at: string | null;
  /** To the minute; null: not yet, or not known. */
  last_used_at: string | null;
  /** Where it was used from then. */
  last_used_address: string | null;
}

export interface NewPersonalToken<R extends RealmWithAccounts> {
  /** Unique among the user's tokens, without control characters and without space at its ends. */
  name: string;
  /**
   * What it may do of what its user may: on everything, or on databases, collections and functions
   * named; `{}`: nothing; null: as much as personal tokens may in this realm, and no administration.
   * `admin`: areas that it administers, as long as its user does.
   */
  scopes?: (KeyScopes<R> & { admin?: readonly AdministrationArea[] | undefined }) | null | undefined;
  /** A duration such as `30d`, at most what the realm allows, which it is unless given. */
  expires_in?: string | null | undefined;
  /** Where it may be used from: networks such as `10.0.0.0/8`, or addresses; null: anywhere. */
  networks?: readonly string[] | null | undefined;
}

export interface MadePersonalToken extends PersonalToken {
  /** `svk_…`, shown this once. */
  key: string;
}

export interface UserOptions<R extends RealmWithAccounts> extends PageOptions {
  /** Part of the e-mail address. */
  q?: string | undefined;
  /** Users with this role. */
  role?: R["role"] | undefined;
  status?: "active" | "disabled" | undefined;
}

export interface Account<R extends RealmWithAccounts> extends User<R> {
  status: "active" | "disabled";
}

export interface NewAccount<R extends RealmWithAccounts> {
  email: string;
  /** Without one a mail lets the user choose it. */
  password?: string | null | undefined;
  /** The realm's default roles unless given. */
  roles?: readonly R["role"][] | undefined;
  /** A language tag (BCP 47) such as `de-CH`. */
  locale?: string | null | undefined;
  profile?: R["profile"] | null | undefined;
  /** False when left out. */
  email_verified?: boolean | undefined;
}

export interface RuleUser<R extends RealmWithAccounts> extends User<R> {}

export interface RuleMembership {
  id: string;
  /** Direct ones, default ones, and those that teams give. */
  roles: string[];
  /** Ids. */
  teams: string[];
  /** Those whose time window is open, by the team's id. */
  team_roles: Record<string, unknown>;
  /** Facts about an organization, written by administrators; rules read them by `orgClaims`. */
  claims: Record<string, unknown>;
}

export interface UserAccess<R extends RealmWithAccounts> {
  user: RuleUser<R>;
  now: string;
  organizations: RuleMembership[];
}

export interface AccountPatch<R extends RealmWithAccounts> {
  roles?: readonly R["role"][] | undefined;
  /** Disabling ends the user's sessions. */
  disabled?: boolean | undefined;
  /** A new one is unverified. */
  email?: string | undefined;
  /** A language tag (BCP 47) such as `de-CH`. */
  locale?: string | null | undefined;
  profile?: MergePatch<R["profile"]> | null | undefined;
}

export interface Invitation<R extends RealmWithAccounts> {
  id: string;
  /** Who may use it; null: whoever has it. */
  email: string | null;
  roles: R["role"][];
  status: "pending" | "accepted" | "expired" | "revoked";
  expires_at: string;
  created_at: string;
  /** `user:<id>` or `key:<name>`. */
  created_by: string;
}

export interface NewInvitation<R extends RealmWithAccounts> {
  /** Who may use it; null: whoever has it. */
  email?: string | null | undefined;
  /** Given beside the realm's default roles. */
  roles?: readonly R["role"][] | undefined;
  /** A duration of at most `30d`; `7d` unless given. */
  expires_in?: string | null | undefined;
}

export interface MadeInvitation<R extends RealmWithAccounts> extends Invitation<R> {
  /** `svi_…`, shown this once. */
  token: string;
}
