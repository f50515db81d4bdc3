/** Arguments of helpers: names of roles, ids. */
import { usedAs } from "../form/claims.ts";
import type { Value } from "../form/form.ts";
import { describe, textType } from "../form/types.ts";
import { typeOf } from "../form/values.ts";
import { type DeclaredRoles, type Environment, isDeclaredRole } from "../language/environment.ts";

type Reporting = Pick<Environment, "roles" | "report">;

/** An argument that names an organization or team. */
export function idOf(
  helper: string,
  place: "organization" | "team",
  value: Value,
  environment: Reporting,
): Value | undefined {
  const id = usedAs(value, textType);
  return isText(id, `${helper}() takes the id of ${withArticle(place)}`, environment) ? id : undefined;
}

/** `an organization`. */
export function withArticle(place: "organization" | "team"): string {
  return place === "organization" ? "an organization" : "a team";
}

/** Arguments that name roles. */
export function rolesOf(
  helper: string,
  heldIn: keyof DeclaredRoles,
  values: readonly Value[],
  environment: Reporting,
): readonly Value[] | undefined {
  const roles = values.map((value) => usedAs(value, textType));
  const valid = roles.filter((role) => isRole(role, helper, heldIn, environment));
  return valid.length === roles.length ? roles : undefined;
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
