/**
 * Outcomes of two comparisons that no caller and document bring about together: `x < 10` and not `x < 20`, `x == 'a'` and
 * `x == 'b'`, a role of nobody, a role in an organization of somebody who is not in it. Of what is not known to be so it is
 * taken that they may.
 */
import type { Scalar } from "../../runtime/filter/algebra.ts";
import { kept } from "../../runtime/kept.ts";
import { noMemberships } from "../../runtime/realm/memberships.ts";
import { holds as holdsIn, type World } from "../rules/form/evaluate.ts";
import { type Claim, type Leaf, mapOperands, operands, type Read, type Value } from "../rules/form/form.ts";
import { typeOf } from "../rules/form/values.ts";
import { membershipHelpers } from "../rules/helpers/memberships.ts";
import { valueText } from "./atoms.ts";
import { namedBy, neighbours, now } from "./candidates.ts";
import type { Room } from "./room.ts";

export interface Outcome {
  readonly leaf: Leaf;
  readonly holds: boolean;
}

/** @param room the documents that there may be */
export function mayBoth(one: Outcome, other: Outcome, room: Room): boolean {
  return !lacks(one, other) && !lacks(other, one) && somethingGives(one, other, room);
}

/** What may be there or not: a value that is read, a claim; no path: the user, membership in an organization. */
interface Thing {
  /** A root, or the organization by its text. */
  readonly of: string;
  readonly path: readonly string[];
}

/** Whether one says that something is absent which the other needs. */
function lacks(outcome: Outcome, other: Outcome): boolean {
  const missing = missed(outcome);
  if (missing === undefined) return false;
  const { of, path } = missing;
  return needed(other).some(
    (thing) => thing.of === of && path.every((segment, at) => thing.path[at] === segment),
  );
}

/** What is not there, with all that would be inside of it. */
function missed({ leaf, holds }: Outcome): Thing | undefined {
  if (leaf.kind === "membership") return leaf.helper === "inOrg" && !holds ? inOrg(leaf.id) : undefined;
  if (leaf.kind !== "absent" || !holds) return undefined;
  const { of } = leaf;
  if (of.kind === "read") return { of: of.root, path: of.path };
  // A claim that is used as something is absent, too, where it is something else.
  return of.kind === "claim" && of.type.open ? claimed(of) : undefined;
}

/** What must be there for an outcome. */
function needed({ leaf, holds }: Outcome): Thing[] {
  if (leaf.kind === "absent") return holds ? [] : thingsIn(leaf.of);
  if (!holds) return [];
  switch (leaf.kind) {
    case "hasRole":
      return [{ of: "user", path: ["roles"] }, ...onlyOne(leaf.roles)];
    case "membership": {
      const within = membershipHelpers[leaf.helper].in === "organization" ? [inOrg(leaf.id)] : [];
      return [user, ...within, ...thingsIn(leaf.id), ...onlyOne(leaf.roles)];
    }
    default:
      return operands(leaf).flatMap(thingsIn);
  }
}

/** One of several roles may be absent. */
function onlyOne(roles: readonly Value[]): Thing[] {
  return roles.length === 1 ? roles.flatMap(thingsIn) : [];
}

/** What must be there for a value to be. */
function thingsIn(value: Value): Thing[] {
  switch (value.kind) {
    case "read":
      return [{ of: value.root, path: value.path }];
    case "claim":
      return [user, claimed(value), ...thingsIn(value.org)];
    case "length":
    case "ends":
      return thingsIn(value.of);
    default:
      return [];
  }
}

const user: Thing = { of: "user", path: [] };

/** All that an organization claims is there for its members. */
function claimed({ org, path }: Claim): Thing {
  return { of: `in ${valueText(org)}`, path };
}

function inOrg(id: Value): Thing {
  return { of: `in ${valueText(id)}`, path: [] };
}

/** Tries values for what the two compare, if that is the same. */
function somethingGives(one: Outcome, other: Outcome, room: Room): boolean {
  const [subjects, others] = [one, other].map(({ leaf }) => subjectsOf(leaf));
  if (subjects === undefined || others === undefined) return true;
  if (textOf(subjects) !== textOf(others)) return true;
  return mayAll([one, other], room);
}

/** @param outcomes of comparisons of the same things */
function mayAll(outcomes: readonly Outcome[], room: Room): boolean {
  const leaves = outcomes.map(({ leaf }) => leaf);
  const [first] = leaves;
  if (first === undefined || leaves.some(isOfCallers)) return true;
  const subjects = [...subjectsOf(first).values()];
  if (subjects.length === 0) return true;
  // A list has values that are not tried, and the clock goes on.
  if (subjects.some((value) => typeOf(value).elements !== undefined)) return true;
  const constants = leaves.flatMap((leaf) => operands(leaf).filter(isConstant));
  const moments = constants.filter(({ kind }) => kind === "now" || kind === "moment");
  if (moments.length > 0 && constants.some(({ kind }) => kind === "literal" || kind === "list")) return true;
  const tries = assignments(subjects, constants, room);
  return (
    tries === undefined ||
    tries.some((values) => outcomes.every(({ leaf, holds }) => holdsFor(leaf, values) === holds))
  );
}

/** What the caller is is not tried. */
function isOfCallers({ kind }: Leaf): boolean {
  return kind === "hasRole" || kind === "membership" || kind === "nonEmpty";
}

/** Comparisons of which each two may come about together, and not all: none of all values of an enumeration, say. */
export function mayTogether(outcomes: readonly Outcome[], room: Room): boolean {
  const alike = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const subjects = textOf(subjectsOf(outcome.leaf));
    if (subjects !== "") kept(alike, subjects, (): Outcome[] => []).push(outcome);
  }
  return [...alike.values()].every((some) => some.length < 3 || mayAll(some, room));
}

function textOf(subjects: ReadonlyMap<string, Value>): string {
  return [...subjects.keys()].sort().join();
}

function isConstant({ kind }: Value): boolean {
  return ["null", "literal", "list", "now", "moment"].includes(kind);
}

/** What a comparison is of, by its text. */
function subjectsOf(leaf: Leaf): ReadonlyMap<string, Value> {
  return new Map(
    operands(leaf).flatMap((operand) =>
      isConstant(operand) ? [] : [[valueText(operand), operand] as const],
    ),
  );
}

type Assignment = ReadonlyMap<string, Scalar | undefined>;

/** Combinations of values that are tried for what comparisons are of. */
const MAX_ASSIGNMENTS = 20_000;

/** Undefined where there are too many. */
function assignments(
  subjects: readonly Value[],
  constants: readonly Value[],
  room: Room,
): Assignment[] | undefined {
  // What rules out values of one tells values of others apart.
  const beside = subjects.flatMap((subject) =>
    subject.kind === "read" ? [...room.ends(subject), ...(room.values(subject) ?? [])] : [],
  );
  const named = [...constants.flatMap(namedBy), ...beside];
  const values = subjects.map((subject) => valuesFor(subject, named, room));
  if (values.reduce((product, { length }) => product * length, 1) > MAX_ASSIGNMENTS) return undefined;
  return subjects.reduce<Assignment[]>(
    (all, subject, at) =>
      all.flatMap((each) =>
        (values[at] ?? []).map((value) => new Map([...each, [valueText(subject), value]])),
      ),
    [new Map()],
  );
}

function valuesFor(subject: Value, named: readonly Scalar[], room: Room): (Scalar | undefined)[] {
  if (subject.kind === "length" && subject.of.kind === "read") return lengthsFor(subject.of, named, room);
  if (subject.kind !== "read") return tried(subject, named);
  const listed = room.values(subject);
  return [...(listed === undefined ? tried(subject, named) : [undefined, ...listed])].filter(
    (value) =>
      room.mayHold(subject, value) &&
      (value === undefined || !named.includes(value) || room.mayEqual(subject, value)),
  );
}

function lengthsFor(of: Value & Read, named: readonly Scalar[], room: Room): (number | undefined)[] {
  const absent = room.mayHold(of, undefined) ? [undefined] : [];
  const listed = typeOf(of).elements === undefined ? room.values(of) : undefined;
  if (listed?.every((value) => typeof value === "string"))
    return [...absent, ...new Set(listed.map(({ length }) => length))];
  const [least, most] = room.lengths(of);
  const ends = [least, most].filter(Number.isFinite);
  const sizes = sizesAmong([...named.filter((value) => typeof value === "number"), ...ends]);
  return [...absent, ...sizes.filter((size) => Number.isInteger(size) && size >= least && size <= most)];
}

const nobody: World = {
  context: { user: undefined, now, appConfig: {}, memberships: noMemberships },
  document: undefined,
  data: undefined,
};

function holdsFor(leaf: Leaf, values: Assignment): boolean {
  const filled = mapOperands(leaf, (operand): Value => {
    const text = valueText(operand);
    if (isConstant(operand) || !values.has(text)) return operand;
    const value = values.get(text);
    const { at } = operand;
    return value === undefined ? { kind: "null", at } : { kind: "literal", value, type: typeOf(operand), at };
  });
  return holdsIn(filled, nobody);
}

/** A value of each sort that the constants tell apart: each of them, between them, beyond them, of another type. */
function tried(subject: Value, named: readonly Scalar[]): (Scalar | undefined)[] {
  const texts = ["", "a", "b", ...named.filter((value) => typeof value === "string")];
  const sizes = sizesAmong(named.filter((value) => typeof value === "number"));
  if (subject.kind === "length") return [undefined, ...sizes.filter((a) => a >= 0 && Number.isInteger(a))];
  return [undefined, true, false, ...sizes, ...new Set(texts.flatMap((a) => beside(a, texts)))];
}

function sizesAmong(named: readonly number[]): number[] {
  const numbers = [0, 1, ...named];
  const around = numbers.flatMap((a) => [a - 1, a, a + 1, ...numbers.map((b) => (a + b) / 2)]);
  // Of some only whole numbers are allowed.
  return [...new Set(around.flatMap((a) => [a, Math.floor(a), Math.ceil(a), Math.floor(a) + 1]))];
}

/** Texts just after one, those that it ends, and those that it and another make. */
function beside(text: string, texts: readonly string[]): Scalar[] {
  const around = [text, `${text}${least}`, `${text}${most}`, `${least}${text}`, ...neighbours(text)];
  return [...around, ...texts.flatMap((other) => [`${text}${other}`, `${text}${least}${other}`])];
}

const [least, most] = ["\0", "\u{10ffff}"];
