/** Partial evaluation: what a rule comes to when only the caller's side is known, or only that there is no caller. */
import {
  asksMemberships,
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

/** Tells of which parts of a condition the caller's side decides. */
type Decided = (part: Condition | Value) => boolean;

/** What a caller is in organizations and teams may change nothing about whether a rule is possible. */
const withoutMemberships: Decided = (part) => isKnown(part) && !asksMemberships(part);

/**
 * What must hold of the caller's side for some document, data and memberships to make the condition true (or, with
 * `holds` false, false). A comparison with a known value is possible unless that value is absent; its negation always is.
 */
export function possible(condition: Condition, holds = true): Condition {
  return simplify(possibly(condition, holds, withoutMemberships));
}

/**
 * What must hold of the caller's side for every document and data to make the condition true: the opposite of its being
 * possibly false.
 */
export function certain(condition: Condition): Condition {
  return simplify(inverse(simplify(possibly(condition, false, isKnown))));
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

function possibly(condition: Condition, holds: boolean, isDecided: Decided): Condition {
  const { at } = condition;
  if (isDecided(condition)) return holds ? condition : { kind: "not", of: condition, at };
  const part = (inner: Condition, as: boolean) => possibly(inner, as, isDecided);
  switch (condition.kind) {
    case "constant":
      return constant(condition.holds === holds, at);
    case "not":
      return part(condition.of, !holds);
    case "and":
    case "or":
      return {
        kind: (condition.kind === "and") === holds ? "and" : "or",
        of: condition.of.map((term) => part(term, holds)),
        at,
      };
    case "choice": {
      const { when } = condition;
      const yes = part(condition.yes, holds);
      const no = part(condition.no, holds);
      if (isDecided(when)) return { kind: "choice", when, yes, no, at };
      return {
        kind: "or",
        of: [
          { kind: "and", of: [part(when, true), yes], at },
          { kind: "and", of: [part(when, false), no], at },
        ],
        at,
      };
    }
    default:
      return holds ? possibleLeaf(condition) : possiblyNot(condition);
  }
}

function possiblyNot(leaf: Leaf): Condition {
  return leaf.kind === "absent" && isOfClaims(leaf.of) ? presence(userAt(leaf)) : constant(true, leaf.at);
}

function possibleLeaf(leaf: Leaf): Condition {
  const { at } = leaf;
  if (leaf.kind === "absent") return constant(true, at);
  if (leaf.kind === "hasRole") return { kind: "nonEmpty", of: rolesOf(leaf), at };
  const needed = leaf.kind === "membership" ? [leaf.id] : operands(leaf);
  const present = needed.filter(withoutMemberships).map(presence);
  const users = leaf.kind === "membership" || needed.some(isOfClaims) ? [presence(userAt(leaf))] : [];
  return { kind: "and", of: [...users, ...present], at };
}

/** Absent for callers without memberships. */
function isOfClaims(value: Value): boolean {
  if (value.kind === "length" || value.kind === "ends") return isOfClaims(value.of);
  return value.kind === "claim";
}

function presence(value: Value): Condition {
  const { at } = value;
  if (typeOf(value).elements !== undefined) return { kind: "nonEmpty", of: value, at };
  return { kind: "not", of: { kind: "absent", of: value, at }, at };
}

function userAt({ at }: Leaf): Value {
  return { kind: "read", root: "user", path: [], type: { kinds: ["object"] }, at };
}

function rolesOf({ at }: Leaf): Value {
  return { kind: "read", root: "user", path: ["roles"], type: { kinds: [], elements: ["text"] }, at };
}

function withoutUser(leaf: Leaf): Condition {
  if (leaf.kind === "hasRole" || leaf.kind === "membership") return constant(false, leaf.at);
  return mapOperands(leaf, valueWithoutUser);
}

function valueWithoutUser(value: Value): Value {
  switch (value.kind) {
    case "read":
      return value.root === "user" ? { kind: "null", at: value.at } : value;
    case "claim":
      return { kind: "null", at: value.at };
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
  return may(simplify(mapLeaves(condition, withoutUser)), holds);
}

/**
 * Whether a condition without the caller's side may hold, or, with `holds` false, may not.
 * @param ofLeaf the same of one comparison
 * @param fails whether the condition of a choice may not hold
 */
function may(
  condition: Condition,
  holds: boolean,
  ofLeaf: (leaf: Leaf, holds: boolean) => boolean = () => true,
  fails: (when: Condition) => boolean = (when) => may(when, false),
): boolean {
  const part = (inner: Condition, as: boolean): boolean => may(inner, as, ofLeaf, fails);
  switch (condition.kind) {
    case "constant":
      return condition.holds === holds;
    case "not":
      return part(condition.of, !holds);
    case "and":
    case "or": {
      const all = (condition.kind === "and") === holds;
      return all
        ? condition.of.every((term) => part(term, holds))
        : condition.of.some((term) => part(term, holds));
    }
    case "choice":
      return (
        (part(condition.when, true) && part(condition.yes, holds)) ||
        (fails(condition.when) && part(condition.no, holds))
      );
    default:
      return ofLeaf(condition, holds);
  }
}

/**
 * The comparison that lets anonymous callers in although nobody may have meant it: the rule holds for them only because
 * a value of `user` is absent under a negation. Undefined where that is not so.
 */
export function absentNegation(condition: Condition): Leaf | undefined {
  if (!anonymousMay(condition) || deliberately(condition)) return undefined;
  return negatedAbsence(condition, true);
}

/** `anonymousMay`, where a comparison with an absent value of `user` counts as neither true nor false. */
function deliberately(condition: Condition): boolean {
  return may(
    condition,
    true,
    (leaf, holds) => !isAbsentForAnonymous(leaf) && anonymousMay(leaf, holds),
    (when) => anonymousMay(when, false),
  );
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
  if (leaf.kind === "hasRole" || leaf.kind === "membership") return true;
  const reads = operands(leaf).some((operand) => [...valuesIn(operand)].some(isOfUsers));
  return reads && !anonymousMay(leaf);
}

/** Absent for anonymous callers. */
export function isOfUsers(value: Value): boolean {
  return value.kind === "claim" || (value.kind === "read" && value.root === "user");
}
