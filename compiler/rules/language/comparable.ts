/** What values must be to stand beside others. */
import { usedAlike } from "../form/claims.ts";
import type { Value } from "../form/form.ts";
import type { ValueType } from "../form/types.ts";
import { asDate, type Class, classes, isDate, typeOf } from "../form/values.ts";
import type { Environment } from "./environment.ts";
import type { Report } from "./report.ts";

/** Both sides as they compare: open ones are what they stand beside, literals beside dates are dates. */
export function comparable(
  left: Value,
  right: Value,
  ofBoth: ValueType,
  { report }: Pick<Environment, "report">,
): readonly [Value, Value] | undefined {
  const [a, b] = usedAlike(left, right, ofBoth);
  if (!isComparable(a, report) || !isComparable(b, report)) return undefined;
  const first = isDate(b) ? dateSide(a, report) : a;
  const second = isDate(a) ? dateSide(b, report) : b;
  return first && second && [first, second];
}

/** Whether the value can stand beside anything but `null`. */
export function isComparable(value: Value, report: Report): boolean {
  if (value.kind === "pick")
    return [value.yes, value.no].every((branch) => branch.kind === "null" || isComparable(branch, report));
  const problem = incomparable(value, typeOf(value));
  if (problem === undefined) return true;
  report("rule-comparison", value.at, { problem: problem.problem }, problem.hint);
  return false;
}

function incomparable(
  value: Value,
  { kinds, elements }: ValueType,
): { readonly problem: string; readonly hint?: string } | undefined {
  if (value.kind === "read" && value.root === "user" && value.path.length === 0) {
    return { problem: "user alone can only be compared with null", hint: "compare user.id" };
  }
  if (elements !== undefined && kinds.length > 0) {
    return { problem: "this value may be a list; it can only be compared with null" };
  }
  if (elements !== undefined)
    return { problem: "lists cannot be compared", hint: "use .includes(x) or .length" };
  if (kinds.length === 0) return { problem: "this value has no type; it can only be compared with null" };
  if (kinds.every((kind) => kind === "object"))
    return { problem: "objects cannot be compared", hint: "compare their members" };
  if (classes(kinds).includes("date") && kinds.includes("text")) {
    return { problem: "this value may be a date or any other text; it can only be compared with null" };
  }
  return undefined;
}

export function sharedClasses(a: ValueType["kinds"], b: ValueType["kinds"]): readonly Class[] {
  const others = classes(b);
  return classes(a).filter((kind) => kind !== "object" && others.includes(kind));
}

export function dateSide(value: Value, report: Report): Value | undefined {
  const date = asDate(value);
  if ("value" in date) return date.value;
  const { wrong } = date;
  report("rule-date", wrong.at, {
    value: wrong.kind === "literal" ? `'${wrong.value}'` : "one of these texts",
  });
  return undefined;
}
