import { ApiError } from "../errors.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";
import type { OrganizationRecord, TeamRecord } from "./records.ts";
import { isOrganizationRole, manages } from "./roles.ts";
import type { Standing } from "./route.ts";

/**
 * Who may give a role, directly or through a team that carries it (spec: Organization endpoints 3; api-decisions,
 * Organizations). Nobody takes from others what they could not give, either: it would be a way to be rid of those above.
 */

type Granter = Pick<Standing, "manage">;

/**
 * Whether somebody may give these roles and teams, and take them. Any role needs `manage: members` or `manage: roles`,
 * and one that manages something whatever it manages; a team counts as the roles it carries, so one without is free.
 */
export function mayGive(
  settings: OrganizationSettings,
  { manage }: Granter,
  roles: readonly string[],
  teams: readonly Pick<TeamRecord, "roles">[] = [],
): boolean {
  const given = [...roles, ...teams.flatMap((team) => team.roles)].filter((role) =>
    isOrganizationRole(settings, role),
  );
  if (given.length === 0) return true;
  if (!manage.has("members") && !manage.has("roles")) return false;
  return [...manages(settings, given)].every((entry) => manage.has(entry));
}

/** @throws ApiError `forbidden` where {@link mayGive} is false */
export function requireGivable(...asked: Parameters<typeof mayGive>): void {
  if (mayGive(...asked)) return;
  throw new ApiError("forbidden", "These roles manage more than you do, or you may not give roles.");
}

/** Whether roles, or teams that carry them, let their holders manage anything: an open link never gives such ones. */
export function isManaging(
  settings: OrganizationSettings,
  roles: readonly string[],
  teams: readonly Pick<TeamRecord, "roles">[] = [],
): boolean {
  return manages(settings, [...roles, ...teams.flatMap((team) => team.roles)]).size > 0;
}

/** The teams of an organization with these ids; those that it has not are left out. */
export function teamsOf(
  { teams }: Pick<OrganizationRecord, "teams">,
  ids: readonly string[],
): readonly TeamRecord[] {
  return teams.filter(({ id }) => ids.includes(id));
}

/** The difference of two sets of roles: those that one who makes `after` of `before` gives or takes. */
export function changedRoles(before: readonly string[], after: readonly string[]): readonly string[] {
  return [
    ...after.filter((role) => !before.includes(role)),
    ...before.filter((role) => !after.includes(role)),
  ];
}
