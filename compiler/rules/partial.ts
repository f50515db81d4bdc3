/** Partial evaluation: what a rule comes to when only the caller's side is known, or only that there is no caller. */
import {
  type Condition,
  isKnown,
  type Leaf,
  mapLeaves,
  mapOperands,
  operands,
  type Value,
  valuesIn,
} from "./form.ts";
import { constant, simplify } from "./simplify.ts";
import { typeOf } from "./values.ts";

/**
 * What must hold of the caller's side for some document and data to make the condition true (or, with `holds` false,
 * false). A comparison with a known value is possible unless that value is absent; its negation always is.
 */
export function possible(condition: Condition, holds = true): Condition {
  return simplify(possibly(condition, holds));
}

/**
 * What must hold of the caller's side for every document and data to make the condition true: the opposite of its being
 * possibly false.
 */
export function certain(condition: Condition): Condition {
  return simplify(inverse(possible(condition, false)));
}

/** The negation, with `not` at the leaves only. */
function inverse(condition: Condition): Condition {
  const { at } = condition;
  switch (condition.kind) {
    case "constant":
      return constant(!condition.holds, at);
    case "not":
      return condition.of;
    case "and":
    case "or":
      return { kind: condition.kind === "and" ? "or" : "and", of: condition.of.map(inverse), at };
    case "choice":
      return { ...condition, yes: inverse(condition.yes), no: inverse(condition.no) };
    default:
      return { kind: "not", of: condition, at };
  }
}

function possibly(condition: Condition, holds: boolean): Condition {
  const { at } = condition;
  if (isKnown(condition)) return holds ? condition : { kind: "not", of: condition, at };
  switch (condition.kind) {
    case "constant":
      return constant(condition.holds === holds, at);
    case "not":
      return possibly(condition.of, !holds);
    case "and":
    case "or":
      return {
        kind: (condition.kind === "and") === holds ? "and" : "or",
        of: condition.of.map((term) => possibly(term, holds)),
        at,
      };
    case "choice": {
      const { when } = condition;
      const yes = possibly(condition.yes, holds);
      const no = possibly(condition.no, holds);
      if (isKnown(when)) return { kind: "choice", when, yes, no, at };
      return {
        kind: "or",
        of: [
          { kind: "and", of: [possibly(when, true), yes], at },
          { kind: "and", of: [possibly(when, false), no], at },
        ],
        at,
      };
    }
    default:
      return holds ? possibleLeaf(condition) : constant(true, at);
  }
}

function possibleLeaf(leaf: Leaf): Condition {
  const { at } = leaf;
  if (leaf.kind === "absent") return constant(true, at);
  if (leaf.kind === "hasRole") return { kind: "nonEmpty", of: rolesOf(leaf), at };
  const needed = operands(leaf).filter(isKnown);
  return { kind: "and", of: needed.map((value) => presence(value)), at };
}

function presence(value: Value): Condition {
  const { at } = value;
  if (typeOf(value).elements !== undefined) return { kind: "nonEmpty", of: value, at };
  return { kind: "not", of: { kind: "absent", of: value, at }, at };
}

function rolesOf({ at }: Leaf): Value {
  return { kind: "read", root: "user", path: ["roles"], type: { kinds: [], elements: ["text"] }, at };
}

/** The rule as it is for anonymous callers. */
function asAnonymous(condition: Condition): Condition {
  return simplify(mapLeaves(condition, withoutUser));
}

function withoutUser(leaf: Leaf): Condition {
  if (leaf.kind === "hasRole") return constant(false, leaf.at);
  return mapOperands(leaf, valueWithoutUser);
}

function valueWithoutUser(value: Value): Value {
  switch (value.kind) {
    case "read":
      return value.root === "user" ? { kind: "null", at: value.at } : value;
    case "length":
    case "ends":
      return { ...value, of: valueWithoutUser(value.of) };
    case "pick":
      return { ...value, yes: valueWithoutUser(value.yes), no: valueWithoutUser(value.no) };
    default:
      return value;
  }
}

/** Whether an anonymous caller may satisfy the condition (or its negation) for some document. */
export function anonymousMay(condition: Condition, holds = true): boolean {
  return may(asAnonymous(condition), holds);
}

function may(condition: Condition, holds: boolean): boolean {
  switch (condition.kind) {
    case "constant":
      return condition.holds === holds;
    case "not":
      return may(condition.of, !holds);
    case "and":
    case "or": {
      const all = (condition.kind === "and") === holds;
      return all
        ? condition.of.every((term) => may(term, holds))
        : condition.of.some((term) => may(term, holds));
    }
    case "choice":
      return (
        (may(condition.when, true) && may(condition.yes, holds)) ||
        (may(condition.when, false) && may(condition.no, holds))
      );
    default:
      return true;
  }
}

/**
 * The comparison that lets anonymous callers in although nobody may have meant it: the rule holds for them only because
 * a value of `user` is absent under a negation. Undefined where that is not so.
 */
export function absentNegation(condition: Condition): Leaf | undefined {
  if (!anonymousMay(condition) || deliberately(condition, true)) return undefined;
  return negatedAbsence(condition, true);
}

/** `anonymousMay`, where a comparison with an absent value of `user` counts as neither true nor false. */
function deliberately(condition: Condition, holds: boolean): boolean {
  switch (condition.kind) {
    case "constant":
      return condition.holds === holds;
    case "not":
      return deliberately(condition.of, !holds);
    case "and":
    case "or": {
      const all = (condition.kind === "and") === holds;
      return all
        ? condition.of.every((term) => deliberately(term, holds))
        : condition.of.some((term) => deliberately(term, holds));
    }
    case "choice":
      return (
        (deliberately(condition.when, true) && deliberately(condition.yes, holds)) ||
        (anonymousMay(condition.when, false) && deliberately(condition.no, holds))
      );
    default:
      return !isAbsentForAnonymous(condition) && anonymousMay(condition, holds);
  }
}

function negatedAbsence(condition: Condition, holds: boolean): Leaf | undefined {
  switch (condition.kind) {
    case "constant":
      return undefined;
    case "not":
      return negatedAbsence(condition.of, !holds);
    case "and":
    case "or":
      return firstOf(condition.of, (term) => negatedAbsenceOf(term, holds));
    case "choice":
      return firstOf([condition.yes, condition.no], (term) => negatedAbsenceOf(term, holds));
    default:
      return !holds && isAbsentForAnonymous(condition) ? condition : undefined;
  }
}

/** Only of what anonymous callers get through at all. */
function negatedAbsenceOf(term: Condition, holds: boolean): Leaf | undefined {
  return anonymousMay(term, holds) ? negatedAbsence(term, holds) : undefined;
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A leaf other than a comparison with `null` that is false because there is no user. */
function isAbsentForAnonymous(leaf: Leaf): boolean {
  if (leaf.kind === "absent") return false;
  if (leaf.kind === "hasRole") return true;
  const reads = operands(leaf).some((operand) =>
    [...valuesIn(operand)].some((value) => value.kind === "read" && value.root === "user"),
  );
  return reads && !anonymousMay(leaf);
}
