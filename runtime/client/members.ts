import type { Always } from "./documents.ts";
import type { RealmWithOrganizations } from "./realm.ts";

/** A role, and what it is held by: `direct`, `default`, and names of teams. */
export interface EffectiveRole<R extends RealmWithOrganizations> {
  role: R["organizationRole"];
  origin: string[];
}

export interface Member<R extends RealmWithOrganizations> {
  /** Id of the user. */
  user: string;
  /** Direct ones. */
  roles: R["organizationRole"][];
  effective_roles: EffectiveRole<R>[];
  /** Roles held both directly and through a team. */
  overlap: R["organizationRole"][];
  /** Ids. */
  teams: string[];
  /** For whom the realm shows it to. */
  email?: string | null;
  /** Whether the account has a second factor; for managers. */
  mfa?: boolean;
}

/** What every route of one organization may answer. */
export type MemberError = Always | "not_org_member" | "org_requires_mfa";

/** Below `_orgs` or `_admin/orgs`. */
export function pathOf(...segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join("");
}
