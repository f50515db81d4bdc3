/** Helpers that ask what the caller holds: roles, organizations, teams, and what organizations claim. */
import { usedAs } from "../claims.ts";
import type { At, Condition, MembershipHelper, Value } from "../form.ts";
import { membershipHelpers } from "../helpers.ts";
import { describe, textType } from "../types.ts";
import { typeOf } from "../values.ts";
import { type DeclaredRoles, type Environment, isDeclaredRole } from "./environment.ts";

type Reporting = Pick<Environment, "roles" | "report">;

/** `hasRole('editor')`, `inOrg(id)` and the like; undefined where something is wrong with the arguments. */
export function held(
  helper: string,
  values: readonly Value[],
  at: At,
  environment: Reporting,
): Condition | undefined {
  if (helper === "hasRole") {
    const roles = rolesOf(helper, "realm", values, environment);
    return roles && { kind: "hasRole", roles, at };
  }
  if (!isMembershipHelper(helper)) return undefined;
  const [first, ...more] = values;
  const { of, roles: heldIn } = membershipHelpers[helper];
  const id = first && idOf(helper, of, first, environment);
  if (heldIn === undefined)
    return id && more.length === 0 ? { kind: "membership", helper, id, roles: [], at } : undefined;
  const roles = rolesOf(helper, heldIn, more, environment);
  return id && roles && { kind: "membership", helper, id, roles, at };
}

function isMembershipHelper(name: string): name is MembershipHelper {
  return Object.hasOwn(membershipHelpers, name);
}

/** `orgClaims(id)`. */
export function claimsOf(
  [first, ...more]: readonly Value[],
  at: At,
  environment: Reporting,
): Value | undefined {
  const org = first && idOf("orgClaims", "an organization", first, environment);
  if (org === undefined || more.length > 0) return undefined;
  return { kind: "claim", org, path: [], type: { kinds: ["object"] }, at };
}

function idOf(helper: string, of: string, value: Value, environment: Reporting): Value | undefined {
  const id = usedAs(value, textType);
  return isText(id, `${helper}() takes the id of ${of}`, environment) ? id : undefined;
}

function rolesOf(
  helper: string,
  heldIn: keyof DeclaredRoles,
  values: readonly Value[],
  environment: Reporting,
): readonly Value[] | undefined {
  const roles = values.map((value) => usedAs(value, textType));
  const valid = roles.filter((role) => isRole(role, helper, heldIn, environment));
  return roles.length > 0 && valid.length === roles.length ? roles : undefined;
}

function isRole(value: Value, helper: string, heldIn: keyof DeclaredRoles, environment: Reporting): boolean {
  if (value.kind === "pick")
    return [value.yes, value.no].every((branch) => isRole(branch, helper, heldIn, environment));
  if (value.kind === "literal" && typeof value.value === "string")
    return isDeclaredRole(value.value, heldIn, value.at, environment);
  return isText(value, `${helper}() takes names of roles`, environment);
}

/** Reports what is none; `takes` is what is wanted, in words. */
function isText(value: Value, takes: string, { report }: Pick<Reporting, "report">): boolean {
  const { kinds, elements } = typeOf(value);
  if (kinds.length === 1 && kinds[0] === "text" && elements === undefined) return true;
  const what = value.kind === "null" ? "null" : describe(typeOf(value));
  report("rule-type", value.at, { problem: `${takes}, not ${what}` });
  return false;
}
