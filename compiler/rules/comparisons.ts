/** What may be compared with what. */
import type { TextMatch } from "../../runtime/filter/algebra.ts";
import { alternatives, didYouMean } from "../diagnostics/suggest.ts";
import { usedAlike, usedAs, usedWithin } from "./claims.ts";
import { type Environment, isDeclaredRole } from "./environment.ts";
import type { At, Condition, OrderOperator, Value } from "./form.ts";
import { describe, numberType, scalarType, textType, type ValueType } from "./types.ts";
import { asDate, type Class, classes, isDate, typeOf } from "./values.ts";

type Reporting = Pick<Environment, "scope" | "roles" | "report">;

/** `left <operator> right`, both sides present in the language already. */
export function comparison(
  operator: string,
  left: Value,
  right: Value,
  at: At,
  environment: Reporting,
): Condition | undefined {
  switch (operator) {
    case "==":
    case "===":
      return equality(left, right, at, environment);
    case "!=":
    case "!==": {
      const of = equality(left, right, at, environment);
      return of && { kind: "not", of, at };
    }
    case "<":
    case "<=":
    case ">":
    case ">=":
      return ordering(operator, left, right, at, environment);
    default:
      return undefined;
  }
}

function equality(left: Value, right: Value, at: At, environment: Reporting): Condition | undefined {
  if (left.kind === "null" || right.kind === "null")
    return absence(left.kind === "null" ? right : left, at, environment);
  const [a, b] = usedAlike(left, right, scalarType);
  if (!isComparable(a, environment) || !isComparable(b, environment)) return undefined;
  const pair = comparablePair(a, b, "equal", at, environment);
  return pair && { kind: "equal", left: pair.left, right: pair.right, at };
}

/** `value == null`. */
function absence(value: Value, at: At, { scope, report }: Reporting): Condition | undefined {
  if (value.kind !== "read") return { kind: "absent", of: value, at };
  const { root, path } = value;
  const always =
    path.length === 0
      ? root === "data" || root === "appConfig" || (root === "document" && !scope.documentMayBeAbsent)
      : isMeta(value);
  if (!always) return { kind: "absent", of: value, at };
  report("rule-comparison", at, { problem: `${[root, ...path].join(".")} is always there` });
  return undefined;
}

function isMeta({ root, path }: { readonly root: string; readonly path: readonly string[] }): boolean {
  return root === "document" && path.length === 1 && path[0] === "_meta";
}

function ordering(
  op: OrderOperator,
  left: Value,
  right: Value,
  at: At,
  environment: Reporting,
): Condition | undefined {
  const { report } = environment;
  if (left.kind === "null" || right.kind === "null") {
    report("rule-comparison", (left.kind === "null" ? left : right).at, {
      problem: "only == and != compare with null",
    });
    return undefined;
  }
  const [a, b] = usedAlike(left, right, numberType);
  if (!isComparable(a, environment) || !isComparable(b, environment)) return undefined;
  const pair = comparablePair(a, b, "order", at, environment);
  if (pair === undefined) return undefined;
  if (pair.shared.includes("boolean")) {
    report("rule-comparison", at, { problem: "true and false have no order" });
    return undefined;
  }
  return { kind: "order", op, left: pair.left, right: pair.right, at };
}

/** Whether the value can stand beside anything but `null`. */
function isComparable(value: Value, { report }: Pick<Reporting, "report">): boolean {
  if (value.kind === "pick")
    return [value.yes, value.no].every(
      (branch) => branch.kind === "null" || isComparable(branch, { report }),
    );
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

interface Pair {
  readonly left: Value;
  readonly right: Value;
  readonly shared: readonly Class[];
}

/** Both sides in comparable form: literals beside dates become dates. */
function comparablePair(
  left: Value,
  right: Value,
  use: "equal" | "order",
  at: At,
  { report }: Pick<Reporting, "report">,
): Pair | undefined {
  const a = isDate(right) ? dateSide(left, report) : left;
  const b = isDate(left) ? dateSide(right, report) : right;
  if (a === undefined || b === undefined) return undefined;
  const shared = sharedClasses(typeOf(a).kinds, typeOf(b).kinds);
  if (shared.length === 0 || (use === "order" && shared.length > 1)) {
    const verb = use === "equal" ? "never equals" : "has no order with";
    report("rule-comparison", at, { problem: `${describe(typeOf(a))} ${verb} ${describe(typeOf(b))}` });
    return undefined;
  }
  return { left: a, right: b, shared };
}

function sharedClasses(a: ValueType["kinds"], b: ValueType["kinds"]): readonly Class[] {
  const others = classes(b);
  return classes(a).filter((kind) => kind !== "object" && others.includes(kind));
}

function dateSide(value: Value, report: Environment["report"]): Value | undefined {
  const date = asDate(value);
  if ("value" in date) return date.value;
  const { wrong } = date;
  report("rule-date", wrong.at, {
    value: wrong.kind === "literal" ? `'${wrong.value}'` : "one of these texts",
  });
  return undefined;
}

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
  if (!isComparable(item, environment)) return undefined;
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
