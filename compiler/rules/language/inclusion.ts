/** `.includes(x)`, `.startsWith(x)` and `.endsWith(x)`: what may be looked for in what. */
import type { TextMatch } from "../../../runtime/filter/algebra.ts";
import { alternatives, didYouMean } from "../../../runtime/suggest.ts";
import { usedAs, usedWithin } from "../form/claims.ts";
import type { At, Condition, Value } from "../form/form.ts";
import { describe, textType } from "../form/types.ts";
import { classes, isDate, typeOf } from "../form/values.ts";
import { dateSide, isComparable, sharedClasses } from "./comparable.ts";
import { type Environment, isDeclaredRole } from "./environment.ts";

type Reporting = Pick<Environment, "roles" | "report">;

/** `text.startsWith(part)` and the like. */
export function textMatch(
  op: TextMatch,
  text: Value,
  part: Value,
  at: At,
  { report }: Reporting,
): Condition | undefined {
  const name = op === "contains" ? "includes" : op;
  const [whole, looked] = [usedAs(text, textType), usedAs(part, textType)];
  for (const value of [whole, looked]) {
    const type = typeOf(value);
    if (type.elements === undefined && type.kinds.length === 1 && type.kinds[0] === "text") continue;
    const what = value.kind === "null" ? "null" : describe(type);
    report("rule-type", value.at, {
      problem: value === whole ? `${name}() is not for ${what}` : `${name}() takes a string, not ${what}`,
    });
    return undefined;
  }
  return { kind: "text", op, text: whole, part: looked, at };
}

/** `list.includes(item)`. */
export function membership(
  container: Value,
  element: Value,
  at: At,
  environment: Reporting,
): Condition | undefined {
  const { report } = environment;
  const [list, item] = usedWithin(container, element);
  const { kinds, elements = [] } = typeOf(list);
  if (kinds.length > 0) {
    report("rule-type", list.at, { problem: `includes() is not for what may be ${describe(typeOf(list))}` });
    return undefined;
  }
  if (item.kind === "null") {
    report("rule-comparison", item.at, { problem: "no element of a list is null" });
    return undefined;
  }
  if (!isComparable(item, report)) return undefined;
  const dates = classes(elements).includes("date");
  const pair = {
    list: isDate(item) ? dateSide(list, report) : list,
    item: dates ? dateSide(item, report) : item,
  };
  if (pair.list === undefined || pair.item === undefined) return undefined;
  const found = typeOf(pair.list).elements ?? [];
  if (list.kind !== "list" || list.items.length > 0) {
    if (sharedClasses(found, typeOf(pair.item).kinds).length === 0) {
      const problem = `a list of ${describe({ kinds: found })} never includes ${describe(typeOf(item))}`;
      report("rule-comparison", at, { problem });
      return undefined;
    }
  }
  if (!areValues(list, item, environment)) return undefined;
  return { kind: "includes", list: pair.list, item: pair.item, at };
}

/** Texts written in the rule must be among the values that the other side can have. */
function areValues(list: Value, item: Value, environment: Reporting): boolean {
  if (item.kind === "literal" && typeof item.value === "string") {
    if (isRoles(list)) return isDeclaredRole(item.value, "realm", item.at, environment);
    return isValue(item.value, typeOf(list).values, item.at, environment);
  }
  if (list.kind !== "list") return true;
  const { values } = typeOf(item);
  return list.items.every(
    (element, at) =>
      typeof element !== "string" || isValue(element, values, list.places[at] ?? list.at, environment),
  );
}

function isRoles(value: Value): boolean {
  return value.kind === "read" && value.root === "user" && value.path.join(".") === "roles";
}

function isValue(
  text: string,
  values: readonly string[] | undefined,
  at: At,
  { report }: Pick<Reporting, "report">,
): boolean {
  if (values === undefined || values.includes(text)) return true;
  report(
    "rule-comparison",
    at,
    { problem: `'${text}' is never a value here` },
    didYouMean(text, values) ?? `values are ${alternatives(values)}`,
  );
  return false;
}
