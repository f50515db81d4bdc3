import type { AuditAction } from "../auth/administration/audit.ts";
import type { ContractHandler } from "../auth/contracted.ts";
import * as contract from "../contract/teams.ts";
import { ApiError, invalidBody } from "../errors.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";
import { memberDecision } from "./member-change.ts";
import { requireMember } from "./members.ts";
import { heldTeamRoles } from "./memberships.ts";
import type { MemberRecord, TeamRoleRecord } from "./records.ts";
import { changeAs, memberRoute, type OrganizationRealm, type Standing } from "./route.ts";
import { inTeamsOf, requireTeam } from "./teams.ts";

/**
 * Roles held within a team (spec: Organization endpoints): given, changed and taken by who manages teams, and by members
 * who hold a role in this team that grants it. Whoever holds one is a member of the organization; of the team they need
 * not be.
 */

type RoleContract =
  | typeof contract.giveTeamRole
  | typeof contract.changeTeamRole
  | typeof contract.takeTeamRole;

type Window = Pick<TeamRoleRecord, "from" | "until">;

/** Whose role, and what of its window is said. */
type Said = { readonly user: string } & { readonly [Bound in keyof Window]?: Window[Bound] | undefined };

/** What becomes of the role; `held` and the answer are undefined where it is not held. */
type Change = (asked: Said, held: TeamRoleRecord | undefined) => Window | undefined;

export const giveTeamRole = memberRoute(contract.giveTeamRole, (realm) =>
  changesRole(realm, "org.team.role.give", ({ from = null, until = null }, held) => {
    if (held !== undefined) throw new ApiError("conflict", "They have this role in the team already.");
    return { from, until };
  }),
);

export const changeTeamRole = memberRoute(contract.changeTeamRole, (realm) =>
  changesRole(realm, "org.team.role.change", (asked, held) => {
    if (held === undefined) throw notHeld();
    const { from = held.from, until = held.until } = asked;
    return { from, until };
  }),
);

export const takeTeamRole = memberRoute(contract.takeTeamRole, (realm) =>
  changesRole(realm, "org.team.role.take", (_, held) => {
    if (held === undefined) throw notHeld();
    return undefined;
  }),
);

function notHeld(): ApiError {
  return new ApiError("not_found", "They do not have this role in the team.");
}

function changesRole(
  realm: OrganizationRealm,
  action: AuditAction & `org.team.role.${string}`,
  change: Change,
): ContractHandler<RoleContract, Standing> {
  return async ({ exchange, params, body }, standing) => {
    requireTeamGranter(realm, standing, params.team);
    const asked = body();
    const { user, role } = asked;
    const window = await changeAs(realm, standing, async (now) => {
      const { org, caller } = now;
      requireTeamGranter(realm, now, params.team, role);
      const { id: team } = requireTeam(org.record, params.team);
      const before = await requireMember(realm, org.record, user);
      const held = before.record.team_roles.find((each) => each.team === team && each.role === role);
      const window = change(asked, held);
      if (window !== undefined) requireOrder(window);
      const after = withTeamRole(inTeamsOf(org.record, before.record), { team, role }, window);
      const write = { org, user, before, after, action, details: { team, role, ...window } };
      return memberDecision(realm, exchange, caller, write, window);
    });
    return { user, role, ...window };
  };
}

/**
 * @param role undefined: one or another
 * @throws ApiError `forbidden` for who neither manages teams nor holds a role in this team, now, that grants it
 */
export function requireTeamGranter(
  { settings, clock }: OrganizationRealm,
  { org, member, manage }: Standing,
  team: string | undefined,
  role?: string,
): void {
  if (manage.has("teams")) return;
  const held = heldTeamRoles(settings, org.record, member.record, clock.now()).get(team ?? "");
  const grants = settings.teamRoles.flatMap(({ name, grants }) => (held?.has(name) ? grants : []));
  if (role === undefined ? grants.length > 0 : grants.includes(role)) return;
  throw new ApiError(
    "forbidden",
    "This needs a role that manages teams, or one in this team that grants it.",
  );
}

/** @throws ApiError `validation_error` */
function requireOrder({ from, until }: Window): void {
  if (from === null || until === null || from < until) return;
  throw invalidBody([{ path: "until", reason: "must be later than from" }]);
}

/** @param window undefined: without the role */
function withTeamRole(
  member: MemberRecord,
  { team, role }: Pick<TeamRoleRecord, "team" | "role">,
  window: Window | undefined,
): MemberRecord {
  const others = member.team_roles.filter((held) => held.team !== team || held.role !== role);
  return { ...member, team_roles: window === undefined ? others : [...others, { team, role, ...window }] };
}

export function isTeamRole({ teamRoles }: OrganizationSettings, name: string): boolean {
  return teamRoles.some((role) => role.name === name);
}

/** The roles that a member was given in a team and that the configuration has, whenever they hold them. */
export function teamRolesIn(
  settings: OrganizationSettings,
  { team_roles }: MemberRecord,
  team: string,
): readonly TeamRoleRecord[] {
  return team_roles.filter((held) => held.team === team && isTeamRole(settings, held.role));
}
