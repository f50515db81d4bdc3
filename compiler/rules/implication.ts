import type { Condition } from "./form.ts";
import { alike } from "./simplify.ts";

/** Whether all that satisfies one condition satisfies another too, as far as their forms tell. */
export function implies(given: Condition, wanted: Condition): boolean {
  if (given.kind === "constant" && !given.holds) return true;
  if (wanted.kind === "constant" && wanted.holds) return true;
  if (alike(given, wanted)) return true;
  if (given.kind === "or") return given.of.every((term) => implies(term, wanted));
  if (wanted.kind === "and") return wanted.of.every((term) => implies(given, term));
  if (given.kind === "and" && given.of.some((term) => implies(term, wanted))) return true;
  if (wanted.kind === "or") return wanted.of.some((term) => implies(given, term));
  if (given.kind !== "hasRole" || wanted.kind !== "hasRole") return false;
  const enough = new Set(wanted.roles.flatMap((role) => (role.kind === "literal" ? [role.value] : [])));
  return given.roles.every((role) => role.kind === "literal" && enough.has(role.value));
}
