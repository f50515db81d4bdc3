/**
 * What a caller is in organizations and teams, as rules ask for it. Whatever is made of memberships is made once for the
 * very same memberships, so that a document costs a look into a map, and a filter a list that is there already.
 */
import { and, eq, FALSE, type Filter, isIn, not, or } from "../filter/algebra.ts";
import type { Field } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import { kept } from "../kept.ts";
import type { Membership, Memberships } from "../realm/memberships.ts";

/** `inOrg(id)`: the caller is a member of the organization. */
export function inOrg(memberships: Memberships, org: unknown): boolean {
  return membershipIn(memberships, org) !== undefined;
}

/** `hasOrgRole(id, role…)`: the caller holds at least one of the roles in the organization. */
export function hasOrgRole(memberships: Memberships, org: unknown, ...roles: readonly unknown[]): boolean {
  return holdsAny(membershipIn(memberships, org)?.roles, roles);
}

/** `inTeam(id)`: the caller is a member of the team. */
export function inTeam(memberships: Memberships, team: unknown): boolean {
  return teams(memberships).has(team);
}

/** `hasTeamRole(id, role…)`: the caller holds at least one of the roles within the team. */
export function hasTeamRole(memberships: Memberships, team: unknown, ...roles: readonly unknown[]): boolean {
  return holdsAny(rolesByTeam(memberships).get(team), roles);
}

/** `orgClaims(id)`: the claims of an organization that the caller is a member of. */
export function orgClaims(memberships: Memberships, org: unknown): JsonObject | undefined {
  return membershipIn(memberships, org)?.claims;
}

function membershipIn(memberships: Memberships, org: unknown): Membership | undefined {
  return typeof org === "string" ? memberships.get(org) : undefined;
}

function holdsAny(held: ReadonlySet<unknown> | undefined, roles: readonly unknown[]): boolean {
  return held !== undefined && roles.some((role) => held.has(role));
}

/** Ids of the caller's organizations: for `inOrg(document.org_id)`. */
export function ownOrgs(memberships: Memberships): readonly string[] {
  return orgs(memberships);
}

/** Ids of the organizations in which the caller holds one of the roles: for `hasOrgRole(document.org_id, 'owner')`. */
export function ownOrgsAs(memberships: Memberships, ...roles: readonly unknown[]): readonly string[] {
  return placesOf(orgsByRole(memberships), roles);
}

/** The caller's roles in an organization: for `hasOrgRole(user.profile.org, document.needed_role)`. */
export function ownOrgRoles(memberships: Memberships, org: unknown): readonly string[] {
  return [...(membershipIn(memberships, org)?.roles ?? [])];
}

/** Ids of the caller's teams: for `inTeam(document.team_id)`. */
export function ownTeams(memberships: Memberships): readonly string[] {
  return teamList(memberships);
}

/** Ids of the teams within which the caller holds one of the roles: for `hasTeamRole(document.team_id, 'lead')`. */
export function ownTeamsAs(memberships: Memberships, ...roles: readonly unknown[]): readonly string[] {
  return placesOf(teamsByRole(memberships), roles);
}

/** The caller's roles within a team: for `hasTeamRole(user.profile.team, document.needed_role)`. */
export function ownTeamRoles(memberships: Memberships, team: unknown): readonly string[] {
  return [...(rolesByTeam(memberships).get(team) ?? [])];
}

/** `hasOrgRole(document.org_id, document.needed_role)`. */
export function orgRoleNamed(memberships: Memberships, org: Field, role: Field): Filter {
  return roleNamed(orgsByRole(memberships), org, role);
}

/** `hasTeamRole(document.team_id, document.needed_role)`. */
export function teamRoleNamed(memberships: Memberships, team: Field, role: Field): Filter {
  return roleNamed(teamsByRole(memberships), team, role);
}

/** There are few roles, however many places they are held in. */
function roleNamed(placesByRole: ReadonlyMap<string, readonly string[]>, place: Field, role: Field): Filter {
  return or(...[...placesByRole].map(([name, places]) => and(eq(role, name), isIn(place, places))));
}

/**
 * A condition with claims of the organization that a field names, as `orgClaims(document.org_id).plan == 'pro'`: of
 * organizations whose claims make the same of it, one filter.
 * @param filterOf what the condition becomes with these claims; undefined: of an organization that is not the caller's
 */
export function byClaims(
  memberships: Memberships,
  org: Field,
  filterOf: (claims: JsonObject | undefined) => Filter,
): Filter {
  const groups = new Map<string, { readonly filter: Filter; readonly ids: string[] }>();
  for (const [id, { claims }] of memberships) {
    const filter = filterOf(claims);
    if (filter.op !== "false") kept(groups, meaningOf(filter), () => ({ filter, ids: [] })).ids.push(id);
  }
  const ofOthers = filterOf(undefined);
  const others = ofOthers.op === "false" ? FALSE : and(not(isIn(org, orgs(memberships))), ofOthers);
  return or(...[...groups.values()].map(({ filter, ids }) => and(isIn(org, ids), filter)), others);
}

/** Equal for filters that mean the same, all made by one function: their fields differ by path. */
function meaningOf(filter: Filter): string {
  return JSON.stringify(filter, (name, value) => (name === "field" ? value.path : value));
}

const orgs = ofMemberships((memberships) => [...memberships.keys()]);

const orgsByRole = ofMemberships((memberships) =>
  grouped([...memberships].flatMap(([id, { roles }]) => [...roles].map((role) => [role, id] as const))),
);

const teamList = ofMemberships((memberships) => [
  ...new Set([...memberships.values()].flatMap((membership) => [...membership.teams])),
]);

const teams = ofMemberships((memberships): ReadonlySet<unknown> => new Set(teamList(memberships)));

const rolesByTeam = ofMemberships(
  (memberships): ReadonlyMap<unknown, ReadonlySet<string>> =>
    new Map([...memberships.values()].flatMap(({ teamRoles }) => [...teamRoles])),
);

const teamsByRole = ofMemberships((memberships) =>
  grouped(
    [...memberships.values()].flatMap(({ teamRoles }) =>
      [...teamRoles].flatMap(([id, roles]) => [...roles].map((role) => [role, id] as const)),
    ),
  ),
);

/** Made of memberships when it is first asked for. */
function ofMemberships<V>(make: (memberships: Memberships) => V): (memberships: Memberships) => V {
  const known = new WeakMap<Memberships, V>();
  return (memberships) => kept(known, memberships, () => make(memberships));
}

function grouped(
  pairs: readonly (readonly [role: string, place: string])[],
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const [role, place] of pairs) kept(groups, role, () => []).push(place);
  return groups;
}

/** The places that go with some of the roles. */
function placesOf(
  byRole: ReadonlyMap<unknown, readonly string[]>,
  roles: readonly unknown[],
): readonly string[] {
  const [only] = roles;
  if (roles.length === 1) return byRole.get(only) ?? [];
  return [...new Set(roles.flatMap((role) => byRole.get(role) ?? []))];
}
