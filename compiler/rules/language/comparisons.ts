/** What may be compared with what. */
import { alternatives, didYouMean } from "../../../runtime/suggest.ts";
import { isOpen } from "../form/claims.ts";
import type { At, Condition, OrderOperator, Value } from "../form/form.ts";
import { describe, numberType, scalarType } from "../form/types.ts";
import { typeOf } from "../form/values.ts";
import { comparable, sharedClasses } from "./comparable.ts";
import type { Environment } from "./environment.ts";
import { possible } from "./flow.ts";
import { words } from "./members.ts";
import { anyBoolean, disjoint, kindsOf, type Possible, possibleOf } from "./possible.ts";

type Reporting = Pick<Environment, "scope" | "flow" | "report">;

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
  const pair = comparable(left, right, scalarType, environment);
  if (pair === undefined) return undefined;
  const [first, second] = pair;
  const [a, b] = pair.map((side) => possible(side, environment.flow));
  if (!isOpen(left) && !isOpen(right) && isDisjoint(a, b, at, environment)) return undefined;
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
  const pair = comparable(left, right, numberType, environment);
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

function reportUnlike(a: Value, verb: string, b: Value, at: At, { report }: Pick<Reporting, "report">): void {
  report("rule-comparison", at, { problem: `${describe(typeOf(a))} ${verb} ${describe(typeOf(b))}` });
}
