/** What emitted rules depend on besides the document, in a form in which equal things are equal as JSON. */
import type { JsonObject } from "../json.ts";
import { kept } from "../kept.ts";
import type { Memberships } from "../realm/memberships.ts";

/** A list of which only matters what is in it; absent lists are empty. */
export function unordered(list: Iterable<unknown> | null | undefined): readonly unknown[] {
  const items = new Map([...(list ?? [])].map((item) => [JSON.stringify(item), item]));
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

/** What matters only where the condition holds. */
export function ifSo(holds: boolean, ...rest: readonly unknown[]): unknown {
  return holds && rest;
}

/** What matters only where the condition does not hold. */
export function unlessSo(holds: boolean, ...rest: readonly unknown[]): unknown {
  return holds || rest;
}

/** What is made of the claims of each organization; of all others, what is made of none. */
export function claimsByOrg(
  memberships: Memberships,
  of: (claims: JsonObject | undefined) => unknown,
): readonly unknown[] {
  const others = JSON.stringify(of(undefined)) ?? null;
  const own = [...memberships].map(([org, { claims }]) => [org, JSON.stringify(of(claims)) ?? null]);
  return [others, ...unordered(own.filter(([, value]) => value !== others))];
}

/** The organizations in which each role is held: for `hasOrgRole(document.org_id, document.needed_role)`. */
export function ownRolesByOrg(memberships: Memberships): readonly unknown[] {
  return byRole([...memberships].map(([org, { roles }]) => [org, roles]));
}

/** The teams within which each role is held: for `hasTeamRole(document.team_id, document.needed_role)`. */
export function ownRolesByTeam(memberships: Memberships): readonly unknown[] {
  return byRole([...memberships.values()].flatMap(({ teamRoles }) => [...teamRoles]));
}

function byRole(held: readonly (readonly [place: string, roles: ReadonlySet<string>])[]): readonly unknown[] {
  const places = new Map<string, string[]>();
  for (const [place, roles] of held) for (const role of roles) kept(places, role, () => []).push(place);
  return unordered([...places].map(([role, ids]) => [role, unordered(ids)]));
}
