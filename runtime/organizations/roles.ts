import { kept } from "../kept.ts";
import { type Manage, manageEntries, type OrganizationSettings, origins } from "../realm/organizations.ts";
import { compareText } from "../text-order.ts";
import type { MemberRecord, OrganizationRecord } from "./records.ts";

/** A role that a member has, and through what. */
export interface EffectiveRole {
  readonly role: string;
  /** {@link origins}, and names of teams. */
  readonly origin: readonly string[];
}

/**
 * What a member may do (spec: Organization endpoints 7): direct roles, the realm's default ones and those of the
 * member's teams, sorted by role. Roles that the configuration no longer has, and teams that the organization no longer
 * has, count for nothing.
 */
export function effectiveRoles(
  settings: OrganizationSettings,
  { teams }: Pick<OrganizationRecord, "teams">,
  member: Pick<MemberRecord, "roles" | "teams">,
): readonly EffectiveRole[] {
  const managed = managedBy(settings);
  const through = new Map<string, string[]>();
  const give = (roles: readonly string[], origin: string) => {
    for (const role of new Set(roles)) if (managed.has(role)) kept(through, role, () => []).push(origin);
  };
  give(member.roles, origins.direct);
  give(settings.defaultRoles, origins.byDefault);
  for (const { id, name, roles } of teams) if (member.teams.includes(id)) give(roles, name);
  return [...through]
    .map(([role, origin]) => ({ role, origin }))
    .sort((one, other) => compareText(one.role, other.role));
}

/** What these roles let their holders manage. */
export function manages(settings: OrganizationSettings, roles: Iterable<string>): ReadonlySet<Manage> {
  const managed = managedBy(settings);
  const entries = new Set([...roles].flatMap((role) => managed.get(role) ?? []));
  return new Set(manageEntries.filter((entry) => entries.has(entry)));
}

/** A service member has the roles, for rules that ask for them, and manages nothing. */
export function managesAs(
  settings: OrganizationSettings,
  org: Pick<OrganizationRecord, "teams">,
  member: Pick<MemberRecord, "roles" | "teams" | "service">,
): ReadonlySet<Manage> {
  const roles = member.service === undefined ? effectiveRoles(settings, org, member) : [];
  return manages(
    settings,
    roles.map(({ role }) => role),
  );
}

export function isOrganizationRole(settings: OrganizationSettings, name: string): boolean {
  return managedBy(settings).has(name);
}

const managedByRole = new WeakMap<OrganizationSettings, ReadonlyMap<string, readonly Manage[]>>();

/** By role. */
function managedBy(settings: OrganizationSettings): ReadonlyMap<string, readonly Manage[]> {
  return kept(
    managedByRole,
    settings,
    () => new Map(settings.roles.map(({ name, manage }) => [name, manage] as const)),
  );
}
