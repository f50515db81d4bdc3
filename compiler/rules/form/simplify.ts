/** Folds what is known when the rule is compiled. Meaning is kept for every caller, document and moment. */
import { absent } from "../../../runtime/rules/index.ts";
import { comparisonHelper, comparisons } from "../helpers/operators.ts";
import { type At, type Condition, type Leaf, mapOperands, operands, type Value } from "./form.ts";
import { isDate } from "./values.ts";

export function constant(holds: boolean, at: At): Condition {
  return { kind: "constant", holds, at };
}

export function simplify(condition: Condition): Condition {
  switch (condition.kind) {
    case "constant":
      return condition;
    case "and":
    case "or":
      return combined(condition.kind, condition.of.map(simplify), condition.at);
    case "not":
      return negated(simplify(condition.of), condition.at);
    case "choice":
      return chosen(condition, simplify(condition.when), simplify(condition.yes), simplify(condition.no));
    default:
      return simplifyLeaf(mapOperands(condition, simplifyValue));
  }
}

function combined(kind: "and" | "or", terms: readonly Condition[], at: At): Condition {
  const of: Condition[] = [];
  for (const term of terms) {
    if (term.kind === "constant") {
      if (term.holds === (kind === "or")) return constant(term.holds, at);
    } else if (term.kind === kind) {
      of.push(...term.of);
    } else {
      of.push(term);
    }
  }
  const distinct = of.filter((term, index) => of.findIndex((other) => alike(term, other)) === index);
  const [only] = distinct;
  if (only === undefined) return constant(kind === "and", at);
  return distinct.length === 1 ? only : { kind, of: distinct, at };
}

export function negated(of: Condition, at: At): Condition {
  if (of.kind === "constant") return constant(!of.holds, at);
  return of.kind === "not" ? of.of : { kind: "not", of, at };
}

function chosen(whole: Condition, when: Condition, yes: Condition, no: Condition): Condition {
  const { at } = whole;
  if (when.kind === "constant") return when.holds ? yes : no;
  if (alike(yes, no)) return yes;
  if (yes.kind === "constant" && no.kind === "constant") return yes.holds ? when : negated(when, at);
  if (no.kind === "constant" && !no.holds) return combined("and", [when, yes], at);
  if (yes.kind === "constant" && yes.holds) return combined("or", [when, no], at);
  return { kind: "choice", when, yes, no, at };
}

/** Whether two parts say the same, wherever they stand in the text. */
export function alike<T extends Condition | Value>(a: T, b: T): boolean {
  return withoutPlaces(a) === withoutPlaces(b);
}

function withoutPlaces(part: Condition | Value): string {
  return JSON.stringify(part, (key, value) =>
    key === "at" || key === "places" || key === "type" ? undefined : value,
  );
}

function simplifyValue(value: Value): Value {
  switch (value.kind) {
    case "length":
      return simplifyLength(simplifyValue(value.of), value.at);
    case "ends": {
      const of = simplifyValue(value.of);
      return of.kind === "null" ? of : { ...value, of };
    }
    case "claim": {
      const org = simplifyValue(value.org);
      return org.kind === "null" ? org : { ...value, org };
    }
    case "condition": {
      const of = simplify(value.of);
      return of.kind === "constant"
        ? { kind: "literal", value: of.holds, type: { kinds: ["boolean"] }, at: value.at }
        : { ...value, of };
    }
    case "pick": {
      const when = simplify(value.when);
      const yes = simplifyValue(value.yes);
      const no = simplifyValue(value.no);
      if (when.kind === "constant") return when.holds ? yes : no;
      return { ...value, when, yes, no };
    }
    default:
      return value;
  }
}

function simplifyLength(of: Value, at: At): Value {
  if (of.kind === "null") return of;
  const known =
    of.kind === "list"
      ? of.items
      : of.kind === "literal" && typeof of.value === "string"
        ? of.value
        : undefined;
  return known === undefined
    ? { kind: "length", of, at }
    : { kind: "literal", value: known.length, type: { kinds: ["number"] }, at };
}

function simplifyLeaf(leaf: Leaf): Condition {
  const { at } = leaf;
  const constants = operands(leaf).map(constantOf);
  const [a, b] = constants;
  switch (leaf.kind) {
    case "absent":
      return simplifyAbsent(leaf.of, at);
    case "nonEmpty":
      return a === undefined ? leaf : constant(Array.isArray(a.value) && a.value.length > 0, at);
    case "truth":
      if (leaf.of.kind === "condition") return leaf.of.of;
      return a === undefined ? leaf : constant(a.value === true, at);
    case "hasRole":
      return leaf;
    case "membership":
      return leaf.id.kind === "null" ? constant(false, at) : leaf;
    default: {
      if (constants.some((known) => known !== undefined && absent(known.value))) return constant(false, at);
      if (leaf.kind === "includes" && Array.isArray(a?.value) && a.value.length === 0)
        return constant(false, at);
      if (a === undefined || b === undefined)
        return leaf.kind === "equal" ? simplifyEqual(leaf.left, leaf.right, leaf) : leaf;
      // Dates of unlike precision are left to the run time.
      if (operands(leaf).some(isDate)) return leaf;
      return constant(comparisons[comparisonHelper(leaf)](a.value, b.value), at);
    }
  }
}

function constantOf(value: Value): { readonly value: unknown } | undefined {
  switch (value.kind) {
    case "null":
      return { value: null };
    case "literal":
      return { value: value.value };
    case "list":
      return { value: value.items };
    default:
      return undefined;
  }
}

/** `hasRole('a') == true`. */
function simplifyEqual(left: Value, right: Value, leaf: Leaf): Condition {
  const [condition, other] = left.kind === "condition" ? [left, right] : [right, left];
  if (condition.kind !== "condition" || other.kind !== "literal" || typeof other.value !== "boolean")
    return leaf;
  return other.value ? condition.of : negated(condition.of, leaf.at);
}

/** Members of `user` that every user has: they are absent for anonymous callers only. */
export const ofEveryUser: readonly string[] = ["id", "email", "email_verified", "roles", "mfa", "created_at"];

function simplifyAbsent(of: Value, at: At): Condition {
  switch (of.kind) {
    case "null":
      return constant(true, at);
    case "literal":
    case "list":
    case "now":
    case "moment":
    case "condition":
      return constant(false, at);
    case "read": {
      const [name] = of.path;
      const always =
        of.root === "user" && of.path.length === 1 && name !== undefined && ofEveryUser.includes(name);
      return { kind: "absent", of: always ? { ...of, path: [] } : of, at };
    }
    case "claim":
      // Organizations of the caller have claims, be they none.
      return of.path.length === 0
        ? negated({ kind: "membership", helper: "inOrg", id: of.org, roles: [], at }, at)
        : { kind: "absent", of, at };
    default:
      return { kind: "absent", of, at };
  }
}
