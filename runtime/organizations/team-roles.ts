import type { AuditAction } from "../auth/administration/audit.ts";
import { BodyReader, invalid } from "../auth/input.ts";
import { ApiError } from "../errors.ts";
import { storedDate } from "../filter/dates.ts";
import type { Received, Route } from "../realm/exchange.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";
import { memberDecision } from "./member-change.ts";
import { requireMember } from "./members.ts";
import { heldTeamRoles } from "./memberships.ts";
import type { MemberRecord, TeamRoleRecord } from "./records.ts";
import { changeAs, type OrganizationRealm, organizationRoute, type Standing } from "./route.ts";
import { inTeamsOf, requireTeam } from "./teams.ts";

/**
 * Roles held within a team (spec: Organization endpoints): given, changed and taken by who manages teams, and by members
 * who hold a role in this team that grants it. Whoever holds one is a member of the organization; of the team they need
 * not be.
 */

/** A time as it is stored; null: without end there; undefined: not said. */
type Bound = TeamRoleRecord["from"] | undefined;

/** Which role of whom, and what is said of its window. */
interface Asked {
  readonly user: string;
  readonly role: string;
  readonly from: Bound;
  readonly until: Bound;
}

/** What becomes of the role; `held` and the answer are undefined where it is not held. */
type Change = (asked: Asked, held: TeamRoleRecord | undefined) => Window | undefined;

type Window = Pick<TeamRoleRecord, "from" | "until">;

/** POST `/_orgs/{org}/teams/{team}/roles`: 201 with the role, held from `from` to `until`. */
export function giveTeamRole(realm: OrganizationRealm): Route {
  const read = (exchange: Received) =>
    readWithWindow(realm.settings, new BodyReader(exchange, "application/json"));
  const give: Change = ({ from = null, until = null }, held) => {
    if (held !== undefined) throw new ApiError("conflict", "They have this role in the team already.");
    return { from, until };
  };
  return teamRoleRoute(realm, "org.team.role.give", read, give, 201);
}

/** PATCH `/_orgs/{org}/teams/{team}/roles`: 200 with another window; a bound that is not said stays. */
export function changeTeamRole(realm: OrganizationRealm): Route {
  const read = (exchange: Received) => readWithWindow(realm.settings, new BodyReader(exchange, "either"));
  const change: Change = (asked, held) => {
    if (held === undefined) throw notHeld();
    const { from = held.from, until = held.until } = asked;
    return { from, until };
  };
  return teamRoleRoute(realm, "org.team.role.change", read, change, 200);
}

/** DELETE `/_orgs/{org}/teams/{team}/roles`: 204; `user` and `role` come in the body. */
export function takeTeamRole(realm: OrganizationRealm): Route {
  const read = (exchange: Received): Asked => {
    const body = new BodyReader(exchange, "application/json");
    const asked = { user: body.string("user"), role: body.string("role"), from: undefined, until: undefined };
    body.finish();
    return asked;
  };
  const take: Change = (_, held) => {
    if (held === undefined) throw notHeld();
    return undefined;
  };
  return teamRoleRoute(realm, "org.team.role.take", read, take, 204);
}

function notHeld(): ApiError {
  return new ApiError("not_found", "They do not have this role in the team.");
}

/** `user`, `role`, and optional `from` and `until`: RFC 3339 times, or null. */
function readWithWindow(settings: OrganizationSettings, body: BodyReader): Asked {
  const user = body.string("user");
  const role = body.string("role");
  if (!isTeamRole(settings, role)) body.problem("role", "is no team role of this realm");
  const asked = { user, role, from: readBound(body, "from"), until: readBound(body, "until") };
  body.finish();
  return asked;
}

function readBound(body: BodyReader, name: "from" | "until"): Bound {
  const value = body.optionalString(name);
  if (typeof value !== "string") return value;
  const stored = storedDate(value, "date-time");
  if (stored === undefined) body.problem(name, "must be an RFC 3339 time such as 2030-01-31T00:00:00Z");
  return stored;
}

function teamRoleRoute(
  realm: OrganizationRealm,
  action: AuditAction & `org.team.role.${string}`,
  read: (exchange: Received) => Asked,
  change: Change,
  status: 200 | 201 | 204,
): Route {
  return organizationRoute(realm, {}, async (exchange, standing) => {
    const { params } = exchange;
    requireGranter(realm, standing, params.team);
    const asked = read(exchange);
    const { user, role } = asked;
    const window = await changeAs(realm, {}, standing, async (now) => {
      const { org, caller } = now;
      requireGranter(realm, now, params.team, role);
      const { id: team } = requireTeam(org.record, params.team);
      const before = await requireMember(realm, org.record, user);
      const held = before.record.team_roles.find((each) => each.team === team && each.role === role);
      const window = change(asked, held);
      if (window !== undefined) requireOrder(window);
      const after = withTeamRole(inTeamsOf(org.record, before.record), { team, role }, window);
      const write = { org, user, before, after, action, details: { team, role, ...window } };
      return memberDecision(realm, exchange, caller, write, window);
    });
    return { status, body: window && JSON.stringify({ user, role, ...window }) };
  });
}

/**
 * @param role undefined: one or another
 * @throws ApiError `forbidden` for who neither manages teams nor holds a role in this team, now, that grants it
 */
function requireGranter(
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
  throw invalid([{ path: "until", reason: "must be later than from" }]);
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
