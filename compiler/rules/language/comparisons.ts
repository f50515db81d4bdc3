/** What may be compared with what. */
import type { TextMatch } from "../../../runtime/filter/algebra.ts";
import { alternatives, didYouMean } from "../../diagnostics/suggest.ts";
import { isOpen, usedAlike, usedAs, usedWithin } from "../form/claims.ts";
import type { At, Condition, OrderOperator, Value } from "../form/form.ts";
import { describe, numberType, scalarType, textType, type ValueType } from "../form/types.ts";
import { asDate, type Class, classes, isDate, typeOf } from "../form/values.ts";
import { type Environment, isDeclaredRole } from "./environment.ts";
import { possible } from "./flow.ts";
import { words } from "./members.ts";
import { anyBoolean, disjoint, kindsOf, type Possible, possibleOf } from "./possible.ts";

type Reporting = Pick<Environment, "scope" | "roles" | "flow" | "report">;

type Operator = "==" | "===" | "!=" | "!==" | OrderOperator;

const operators: readonly string[] = ["==", "===", "!=", "!==", "<", "<=", ">", ">="] satisfies Operator[];

export function isComparison(operator: string): operator is Operator {
  return operators.includes(operator);
}

export function comparison(
  operator: Operator,
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
    default:
      return ordering(operator, left, right, at, environment);
  }
}

function equality(left: Value, right: Value, at: At, environment: Reporting): Condition | undefined {
  if (left.kind === "null" || right.kind === "null")
    return absence(left.kind === "null" ? right : left, at, environment);
  const [a, b] = usedAlike(left, right, scalarType);
  if (!isComparable(a, environment) || !isComparable(b, environment)) return undefined;
  const pair = datesAlike(a, b, environment);
  if (pair === undefined) return undefined;
  const [first, second] = pair;
  const areKnown = !isOpen(left) && !isOpen(right);
  if (
    areKnown &&
    isDisjoint(possible(first, environment.flow), possible(second, environment.flow), at, environment)
  )
    return undefined;
  if (sharedClasses(typeOf(first).kinds, typeOf(second).kinds).length > 0)
    return { kind: "equal", left: first, right: second, at };
  reportUnlike(first, "never equals", second, at, environment);
  return undefined;
}

/** `!a == b` says `(!a) == b`: whether it is reported as that. */
export function isMisplacedNegation(
  operator: Operator,
  right: Value,
  at: At,
  environment: Reporting,
): boolean {
  const hint = "! belongs to what stands right behind it; write a != b, or !(a == b)";
  const isEquality = /^[!=]/.test(operator);
  return isEquality && isDisjoint(anyBoolean, possible(right, environment.flow), at, environment, hint);
}

/** Whether a comparison is reported as one that no values can satisfy. */
function isDisjoint(
  a: Possible | undefined,
  b: Possible | undefined,
  at: At,
  { report }: Pick<Reporting, "report">,
  hint?: string,
): boolean {
  if (a === undefined || b === undefined) return false;
  const apart = disjoint(a, b);
  if (apart === undefined) return false;
  const problem = `this comparison always has the same outcome: ${apart.join(" and ")} have no overlap`;
  report("rule-comparison", at, { problem }, hint ?? valueHint(a, b) ?? valueHint(b, a));
  return true;
}

/** For a text that is not among several: which they are. */
function valueHint(a: Possible, b: Possible): string | undefined {
  const texts = (of: Possible) => [...of.of].filter((value) => typeof value === "string");
  const [values, [text, ...others]] = [texts(a), texts(b)];
  const isChoice = values.length > 1 && a.any.size === 0 && values.length === a.of.size;
  if (!isChoice || text === undefined || others.length > 0 || b.any.size > 0) return undefined;
  return didYouMean(text, values) ?? `its values are ${alternatives(values)}`;
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
  const kinds = [left, right].map((value) => kindsFor(value, environment));
  if (!areOrdered(kinds)) {
    const problem = `${op} cannot compare ${kinds.map(words).join(" with ")}`;
    report("rule-comparison", at, { problem });
    return undefined;
  }
  const [a, b] = usedAlike(left, right, numberType);
  if (!isComparable(a, environment) || !isComparable(b, environment)) return undefined;
  const pair = datesAlike(a, b, environment);
  if (pair === undefined) return undefined;
  const [first, second] = pair;
  const shared = sharedClasses(typeOf(first).kinds, typeOf(second).kinds);
  if (shared.length !== 1) {
    reportUnlike(first, "has no order with", second, at, environment);
    return undefined;
  }
  if (shared.includes("boolean")) {
    report("rule-comparison", at, { problem: "true and false have no order" });
    return undefined;
  }
  return { kind: "order", op, left: first, right: second, at };
}

/** `string`, `number` and `boolean`, or `list`; none where it is not known, or of objects. */
function kindsFor(value: Value, { flow }: Pick<Reporting, "flow">): readonly string[] {
  const can = possible(value, flow);
  if (can !== undefined) return kindsOf(can);
  const { kinds, elements } = typeOf(value);
  if (elements !== undefined) return ["list"];
  const scalars = possibleOf({ kinds: kinds.filter((kind) => kind !== "object") });
  return scalars === undefined ? [] : kindsOf(scalars);
}

/** Numbers have an order with numbers only, other values with what may be like them. */
function areOrdered([a = [], b = []]: readonly (readonly string[])[]): boolean {
  if (a.length === 0 || b.length === 0) return true;
  const [isNumber, isOther] = [a, b].map((kinds) => kinds.join() === "number");
  // Lists beside texts are spoken of as lists.
  const areLists =
    [a, b].some((kinds) => kinds.includes("list")) && [a, b].some((kinds) => kinds.includes("string"));
  return isNumber === isOther && (areLists || a.some((kind) => b.includes(kind)));
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

/** Both sides in comparable form: literals beside dates become dates. */
function datesAlike(
  left: Value,
  right: Value,
  { report }: Pick<Reporting, "report">,
): readonly [Value, Value] | undefined {
  const a = isDate(right) ? dateSide(left, report) : left;
  const b = isDate(left) ? dateSide(right, report) : right;
  return a && b && [a, b];
}

function reportUnlike(a: Value, verb: string, b: Value, at: At, { report }: Pick<Reporting, "report">): void {
  report("rule-comparison", at, { problem: `${describe(typeOf(a))} ${verb} ${describe(typeOf(b))}` });
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
