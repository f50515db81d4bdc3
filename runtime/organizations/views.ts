import type { UserRecord } from "../auth/records.ts";
import type { JsonObject } from "../json.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";
import { teamsOf } from "./granting.ts";
import type { MemberRecord, OrganizationRecord } from "./records.ts";
import { effectiveRoles, isOrganizationRole } from "./roles.ts";
import type { Standing } from "./route.ts";

/** An organization as answers carry it (spec: Organization). */
export function organizationView(org: OrganizationRecord): JsonObject {
  const { id, name, slug, status, require_mfa, allow_keys = false, claims } = org;
  return { id, name, slug, status, require_mfa, allow_keys, claims };
}

/**
 * An organization in the list of a member's own. To a session without the second factor that it requires it shows what
 * the member was given, but nothing that members have by it (api-decisions: Organizations).
 * @param mfa whether the session used a second factor
 */
export function ownOrganizationView(
  settings: OrganizationSettings,
  org: OrganizationRecord,
  member: MemberRecord,
  mfa: boolean,
): JsonObject {
  const mfa_met = mfa || !org.require_mfa;
  return {
    ...organizationView(org),
    ...(!mfa_met && { claims: {} }),
    ...givenView(settings, org, member),
    effective_roles: mfa_met ? effectiveRolesView(settings, org, member) : [],
    mfa_met,
  };
}

/**
 * A member as other members see them (spec: Organization). `email`, what the realm shows of the `profile`, and `mfa`,
 * whether the account has a second factor, are there for whom they are shown to; a service member has none of these, but
 * the name of its key.
 * @param user undefined where the account has just been deleted
 */
export function memberView(
  settings: OrganizationSettings,
  org: OrganizationRecord,
  member: MemberRecord,
  user: Pick<UserRecord, "email" | "totp" | "profile"> | undefined,
  viewer: Pick<Standing, "manage">,
): JsonObject {
  const { membersVisibleTo, membersShow } = settings;
  const isManager = viewer.manage.size > 0;
  const seesEmail = membersVisibleTo === "members" || (membersVisibleTo === "managers" && isManager);
  const roles = directRoles(settings, member);
  const carried = teamsOf(org, member.teams).flatMap((team) => team.roles);
  const isService = member.service !== undefined;
  return {
    user: member.user,
    kind: isService ? "service" : "user",
    ...(isService && { name: member.service }),
    roles,
    effective_roles: effectiveRolesView(settings, org, member),
    overlap: roles.filter((role) => carried.includes(role)),
    teams: teamIds(org, member),
    ...(seesEmail && !isService && { email: user?.email ?? null }),
    ...(membersShow.length > 0 && !isService && { profile: shownProfile(user?.profile ?? {}, membersShow) }),
    ...(isManager && !isService && { mfa: (user?.totp ?? null) !== null }),
  };
}

/** @param names of its members, which are there as far as the user has them */
function shownProfile(profile: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(profile).filter(([name]) => names.includes(name)));
}

/** What a member was given directly. */
export function givenView(
  settings: OrganizationSettings,
  org: OrganizationRecord,
  member: MemberRecord,
): JsonObject {
  return { roles: directRoles(settings, member), teams: teamIds(org, member) };
}

/** Those that the configuration has. */
function directRoles(settings: OrganizationSettings, { roles }: MemberRecord): readonly string[] {
  return roles.filter((role) => isOrganizationRole(settings, role));
}

function effectiveRolesView(...of: Parameters<typeof effectiveRoles>): readonly JsonObject[] {
  return effectiveRoles(...of).map(({ role, origin }) => ({ role, origin }));
}

/** Those that the organization has. */
function teamIds(org: OrganizationRecord, { teams }: MemberRecord): readonly string[] {
  return teamsOf(org, teams).map(({ id }) => id);
}
