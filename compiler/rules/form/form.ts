/**
 * The rule form: what a rule says, typed, with the place of every part in its text. Checks, filters, facts and emitted
 * code all come from it. A value may be absent (null or missing, never told apart); a condition is true or false.
 */
import type { Scalar, TextMatch } from "../../../runtime/filter/algebra.ts";
import type { MembershipHelper } from "../helpers/memberships.ts";
import type { MomentHelper } from "../helpers/moments.ts";
import type { ValueType } from "./types.ts";

export type { MembershipHelper };

/** Offsets into the rule's text; the end is exclusive. */
export interface At {
  readonly start: number;
  readonly end: number;
}

/** `previous`: in rules of triggers, the document before what happened to it; without members where there was none. */
export type Root = "document" | "previous" | "data" | "user" | "appConfig";

/** Of these a filter has the fields, of others the values. */
const stored: readonly Root[] = ["document", "previous", "data"];

export type Value = { readonly at: At } & (
  | { readonly kind: "null" }
  /** Dates are in their stored form, with a date type. */
  | { readonly kind: "literal"; readonly value: Scalar; readonly type: ValueType }
  | {
      readonly kind: "list";
      readonly items: readonly Scalar[];
      readonly places: readonly At[];
      readonly type: ValueType;
    }
  | Read
  | Claim
  | { readonly kind: "now" }
  /** `ago('7d')`, `ahead('1h')`. */
  | { readonly kind: "moment"; readonly helper: MomentHelper; readonly milliseconds: number }
  | { readonly kind: "length"; readonly of: Value }
  /** What the caller's text starts or ends with, as a list; arises in filtered rules only. */
  | { readonly kind: "ends"; readonly op: "startsWith" | "endsWith"; readonly of: Value }
  | { readonly kind: "pick"; readonly when: Condition; readonly yes: Value; readonly no: Value }
  /** A comparison, helper or combination where a value is wanted; never absent. */
  | { readonly kind: "condition"; readonly of: Condition }
);

export interface Read {
  readonly kind: "read";
  readonly root: Root;
  readonly path: readonly string[];
  readonly type: ValueType;
}

/** `orgClaims(org)`, or a claim in it. Claims have no declared type: one of another type than this is absent. */
export interface Claim {
  readonly kind: "claim";
  /** An organization's id. */
  readonly org: Value;
  /** Empty: the object that they all stand in. */
  readonly path: readonly string[];
  readonly type: ValueType;
}

export type Condition = { readonly at: At } & (
  | { readonly kind: "constant"; readonly holds: boolean }
  | { readonly kind: "and" | "or"; readonly of: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | {
      readonly kind: "choice";
      readonly when: Condition;
      readonly yes: Condition;
      readonly no: Condition;
    }
  | LeafCondition
);

export type LeafCondition =
  /** A boolean value that is present and true. */
  | { readonly kind: "truth"; readonly of: Value }
  | { readonly kind: "absent"; readonly of: Value }
  | { readonly kind: "equal"; readonly left: Value; readonly right: Value }
  | { readonly kind: "order"; readonly op: OrderOperator; readonly left: Value; readonly right: Value }
  | { readonly kind: "text"; readonly op: TextMatch; readonly text: Value; readonly part: Value }
  | { readonly kind: "includes"; readonly list: Value; readonly item: Value }
  | { readonly kind: "hasRole"; readonly roles: readonly Value[] }
  | Membership
  /** A list of the caller's side has an element; arises in `possible` only. */
  | { readonly kind: "nonEmpty"; readonly of: Value };

/** What the caller is in an organization or team, by its id. */
export interface Membership {
  readonly kind: "membership";
  readonly helper: MembershipHelper;
  readonly id: Value;
  /** The caller holds one of them there; none for `inOrg` and `inTeam`. */
  readonly roles: readonly Value[];
}

export type OrderOperator = "<" | "<=" | ">" | ">=";

export type Leaf = Condition & LeafCondition;

/** What is printed. */
export interface RuleForm {
  readonly condition: Condition;
  /** What must hold of the caller for any document to satisfy it. */
  readonly possible: Condition;
  /** Of read and restore rules: the condition with every comparison one of a field with a known value. */
  readonly filter?: Condition;
  /** Of read rules of fields: what must hold of the caller for every document to satisfy it. */
  readonly certain?: Condition;
}

/** The same leaf with each operand replaced. */
export function mapOperands(leaf: Leaf, change: (operand: Value) => Value): Leaf {
  switch (leaf.kind) {
    case "truth":
    case "absent":
    case "nonEmpty":
      return { ...leaf, of: change(leaf.of) };
    case "equal":
    case "order":
      return { ...leaf, left: change(leaf.left), right: change(leaf.right) };
    case "text":
      return { ...leaf, text: change(leaf.text), part: change(leaf.part) };
    case "includes":
      return { ...leaf, list: change(leaf.list), item: change(leaf.item) };
    case "hasRole":
      return { ...leaf, roles: leaf.roles.map(change) };
    case "membership":
      return { ...leaf, id: change(leaf.id), roles: leaf.roles.map(change) };
  }
}

export function operands(leaf: Leaf): readonly Value[] {
  switch (leaf.kind) {
    case "truth":
    case "absent":
    case "nonEmpty":
      return [leaf.of];
    case "equal":
    case "order":
      return [leaf.left, leaf.right];
    case "text":
      return [leaf.text, leaf.part];
    case "includes":
      return [leaf.list, leaf.item];
    case "hasRole":
      return leaf.roles;
    case "membership":
      return [leaf.id, ...leaf.roles];
  }
}

/** The same condition with each leaf replaced, those inside values too. */
export function mapLeaves(condition: Condition, change: (leaf: Leaf) => Condition): Condition {
  const again = (inner: Condition) => mapLeaves(inner, change);
  if (!isLeaf(condition)) return mapTerms(condition, again);
  return change(mapOperands(condition, (operand) => mapConditionsOf(operand, again)));
}

/** The same condition with each condition that it combines replaced. */
export function mapTerms(condition: Condition, change: (term: Condition) => Condition): Condition {
  switch (condition.kind) {
    case "and":
    case "or":
      return { ...condition, of: condition.of.map(change) };
    case "not":
      return { ...condition, of: change(condition.of) };
    case "choice": {
      const { when, yes, no } = condition;
      return { ...condition, when: change(when), yes: change(yes), no: change(no) };
    }
    default:
      return condition;
  }
}

/** The conditions that a condition combines. */
export function termsOf(condition: Condition): readonly Condition[] {
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.of;
    case "not":
      return [condition.of];
    case "choice":
      return [condition.when, condition.yes, condition.no];
    default:
      return [];
  }
}

function mapConditionsOf(value: Value, change: (condition: Condition) => Condition): Value {
  const again = (inner: Value) => mapConditionsOf(inner, change);
  switch (value.kind) {
    case "length":
    case "ends":
      return { ...value, of: again(value.of) };
    case "claim":
      return { ...value, org: again(value.org) };
    case "pick":
      return {
        ...value,
        when: change(value.when),
        yes: again(value.yes),
        no: again(value.no),
      };
    case "condition":
      return { ...value, of: change(value.of) };
    default:
      return value;
  }
}

/** Every value in a condition or value, parts of parts included, in the order of the text. */
export function* valuesIn(part: Condition | Value): Generator<Value> {
  if (isValue(part)) yield part;
  for (const inner of partsOf(part)) yield* valuesIn(inner);
}

/** Every leaf condition in a condition or value, in the order of the text. */
export function* leavesIn(part: Condition | Value): Generator<Leaf> {
  if (isLeaf(part)) yield part;
  for (const inner of partsOf(part)) yield* leavesIn(inner);
}

/** The conditions and values that a condition or value is made of. */
export function partsOf(part: Condition | Value): readonly (Condition | Value)[] {
  switch (part.kind) {
    case "condition":
    case "length":
    case "ends":
      return [part.of];
    case "claim":
      return [part.org];
    case "pick":
      return [part.when, part.yes, part.no];
    default:
      return isLeaf(part) ? operands(part) : isValue(part) ? [] : termsOf(part);
  }
}

const combinations = { constant: true, and: true, or: true, not: true, choice: true };
const leaves: Readonly<Record<LeafCondition["kind"], true>> = {
  truth: true,
  absent: true,
  equal: true,
  order: true,
  text: true,
  includes: true,
  hasRole: true,
  membership: true,
  nonEmpty: true,
};

export function isLeaf(part: Condition | Value): part is Leaf {
  return Object.hasOwn(leaves, part.kind);
}

export function isCondition(part: Condition | Value): part is Condition {
  return !isValue(part);
}

function isValue(part: Condition | Value): part is Value {
  return !isLeaf(part) && !Object.hasOwn(combinations, part.kind);
}

/** Whether its value is known before a document is looked at. */
export function isKnown(part: Condition | Value): boolean {
  for (const value of valuesIn(part)) if (readsDocument(value)) return false;
  return true;
}

/** `document.title`, for telling equal reads apart. */
export function readKey({ root, path }: { readonly root: string; readonly path: readonly string[] }): string {
  return JSON.stringify([root, ...path]);
}

/** Whether it depends on what the caller is in organizations and teams. */
export function asksMemberships(part: Condition | Value): boolean {
  for (const value of valuesIn(part)) if (value.kind === "claim") return true;
  for (const leaf of leavesIn(part)) if (leaf.kind === "membership") return true;
  return false;
}

export function readsDocument(value: Value): value is Value & Read {
  return value.kind === "read" && stored.includes(value.root);
}
