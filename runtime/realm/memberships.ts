import type { JsonObject } from "../json.ts";

/** What a caller is in one organization, at this moment. */
export interface Membership {
  /** Id of the organization, which is active. */
  readonly org: string;
  /** Effective: direct, default and through teams (spec: Organization endpoints 7). */
  readonly roles: ReadonlySet<string>;
  /** Ids. */
  readonly teams: ReadonlySet<string>;
  /** Roles held within teams, whose time windows are open: by the team's id. */
  readonly teamRoles: ReadonlyMap<string, ReadonlySet<string>>;
  readonly claims: JsonObject;
}

/**
 * The organizations that count for a caller, by id: active ones whose member they are. One that requires a second factor
 * does not count for a session that used none (spec: Organization endpoints 6).
 */
export type Memberships = ReadonlyMap<string, Membership>;

/** Of anonymous callers and API keys. */
export const noMemberships: Memberships = new Map();
