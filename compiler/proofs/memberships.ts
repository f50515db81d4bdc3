/** What callers may be in organizations and teams, for all that two rules ask of that. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { type Memberships, noMemberships } from "../../runtime/realm/memberships.ts";
import { type Condition, leavesIn, type Membership, type Value, valuesIn } from "../rules/form/form.ts";
import { membershipHelpers } from "../rules/helpers/memberships.ts";
import { choicesOf } from "./choices.ts";

/** The organization and the team that witnesses are in, where the rules name none. */
export const org = "o1";
const team = "t1";

/** Places that are tried: those that take least. */
const MAX_PLACES = 100;

/** One organization that a caller is in, as it is chosen and told; what it claims is chosen by itself. */
type Place = {
  readonly org: string;
  readonly roles: string[];
  /** Of one team of the organization: whether the caller is in it, and their roles within it. */
  readonly team: string;
  readonly inTeam: boolean;
  readonly teamRoles: string[];
};

/** None first, then the more, the later. */
export function membershipCandidates(conditions: readonly Condition[]): readonly (JsonValue | undefined)[] {
  const asked = conditions.flatMap((condition) =>
    [...leavesIn(condition)].filter((leaf) => leaf.kind === "membership"),
  );
  const claims = conditions.flatMap((condition) =>
    [...valuesIn(condition)].flatMap((value) => (value.kind === "claim" ? [value.org] : [])),
  );
  const orgs = idsOf([...idsOfHelpers(asked, "organization"), ...claims], org);
  const teams = idsOf(idsOfHelpers(asked, "team"), team);
  const asksTeams = idsOfHelpers(asked, "team").length > 0;
  const places = orgs.flatMap((id) =>
    teams.flatMap((ofTeam) =>
      (asksTeams ? [false, true] : [false]).flatMap((inTeam) =>
        choicesOf(rolesIn(asked, "team")).flatMap((teamRoles) =>
          choicesOf(rolesIn(asked, "organization")).map((roles) => ({
            org: id,
            roles,
            team: ofTeam,
            inTeam,
            teamRoles,
          })),
        ),
      ),
    ),
  );
  return [undefined, ...places.sort((a, b) => extent(a) - extent(b)).slice(0, MAX_PLACES)];
}

/** How much it takes to be this. */
function extent({ roles, inTeam, teamRoles }: Place): number {
  return roles.length + Number(inTeam) + teamRoles.length;
}

/** Ids that values beside helpers are tried with. */
export function idsIn(leaf: Membership): readonly string[] {
  return idsOf([leaf.id], membershipHelpers[leaf.helper].in === "organization" ? org : team);
}

function idsOfHelpers(asked: readonly Membership[], place: "organization" | "team"): readonly Value[] {
  return asked.filter(({ helper }) => membershipHelpers[helper].in === place).map(({ id }) => id);
}

/** The ids that are written in the rules, and one of values that are not. */
function idsOf(values: readonly Value[], other: string): readonly string[] {
  const written = textsIn(values);
  return [...new Set(written.length < values.length || values.length === 0 ? [...written, other] : written)];
}

/** The roles that are written in the rules; of what documents call a role no other than that has a meaning here. */
function rolesIn(asked: readonly Membership[], place: "organization" | "team"): readonly string[] {
  const values = asked.flatMap(({ helper, roles }) => (membershipHelpers[helper].in === place ? roles : []));
  const written = textsIn(values);
  return [...new Set(written.length === 0 && values.length > 0 ? ["a"] : written)];
}

/** Those that are written in the rules. */
function textsIn(values: readonly Value[]): readonly string[] {
  return values.flatMap((value) =>
    value.kind === "literal" && typeof value.value === "string" ? [value.value] : [],
  );
}

/** @param claims of the organization */
export function membershipsOf(chosen: JsonValue | undefined, claims: JsonObject): Memberships {
  const place = placeOf(chosen);
  if (place === undefined) return noMemberships;
  const membership = {
    org: place.org,
    roles: new Set(place.roles),
    teams: new Set(place.inTeam ? [place.team] : []),
    teamRoles: new Map([[place.team, new Set(place.teamRoles)]]),
    claims,
  };
  return new Map([[place.org, membership]]);
}

/** `in organization o1 as owner, in team t1`. */
export function membershipInWords(chosen: JsonValue | undefined, claims: readonly string[]): string {
  const place = placeOf(chosen);
  if (place === undefined) return "in no organization";
  const as = (roles: readonly string[]) => (roles.length === 0 ? "" : ` as ${roles.join(" and ")}`);
  const parts = [`in organization ${place.org}${as(place.roles)}`, ...claims];
  if (place.inTeam) parts.push(`in team ${place.team}${as(place.teamRoles)}`);
  else if (place.teamRoles.length > 0) parts.push(`${as(place.teamRoles).trim()} within team ${place.team}`);
  return parts.join(", ");
}

function placeOf(chosen: JsonValue | undefined): Place | undefined {
  if (!isJsonObject(chosen)) return undefined;
  const texts = (value: JsonValue | undefined) =>
    Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  return {
    org: String(chosen["org"]),
    roles: texts(chosen["roles"]),
    team: String(chosen["team"]),
    inTeam: chosen["inTeam"] === true,
    teamRoles: texts(chosen["teamRoles"]),
  };
}
