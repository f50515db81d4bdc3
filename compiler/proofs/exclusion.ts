/**
 * Outcomes of two comparisons that no caller and document bring about together: `x < 10` and not `x < 20`, `x == 'a'` and
 * `x == 'b'`, a role of nobody, a role in an organization of somebody who is not in it. Of what is not known to be so it is
 * taken that they may.
 */
import type { Scalar } from "../../runtime/filter/algebra.ts";
import { noMemberships } from "../../runtime/realm/memberships.ts";
import { holds as holdsIn, type World } from "../rules/form/evaluate.ts";
import { type Claim, type Leaf, mapOperands, operands, type Value } from "../rules/form/form.ts";
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
  const [leaves, outcomes] = [
    [one.leaf, other.leaf],
    [one.holds, other.holds],
  ];
  if (leaves.some(({ kind }) => ["hasRole", "membership", "nonEmpty"].includes(kind))) return true;
  const [subjects, others] = leaves.map(subjectsOf);
  if (subjects === undefined || others === undefined || subjects.size === 0) return true;
  if ([...subjects.keys()].sort().join() !== [...others.keys()].sort().join()) return true;
  // A list has values that are not tried, and the clock goes on.
  if ([...subjects.values()].some((value) => typeOf(value).elements !== undefined)) return true;
  const constants = leaves.flatMap((leaf) => operands(leaf).filter(isConstant));
  const moments = constants.filter(({ kind }) => kind === "now" || kind === "moment");
  if (moments.length > 0 && constants.some(({ kind }) => kind === "literal" || kind === "list")) return true;
  return assignments([...subjects.values()], constants, room).some((values) =>
    leaves.every((leaf, at) => holdsFor(leaf, values) === outcomes[at]),
  );
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

function assignments(subjects: readonly Value[], constants: readonly Value[], room: Room): Assignment[] {
  // What rules out values of one tells values of others apart.
  const ends = subjects.flatMap((subject) => (subject.kind === "read" ? room.ends(subject) : []));

  return subjects.reduce<Assignment[]>(
    (all, subject) =>
      all.flatMap((each) =>
        tried(subject, constants, ends)
          .filter((value) => subject.kind !== "read" || room.mayHold(subject, value))
          .map((value) => new Map([...each, [valueText(subject), value]])),
      ),
    [new Map()],
  );
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
function tried(subject: Value, constants: readonly Value[], ends: readonly number[]): (Scalar | undefined)[] {
  const named = [...constants.flatMap(namedBy), ...ends];
  const numbers = [0, 1, ...named.filter((value) => typeof value === "number")];
  const texts = ["", "a", "b", ...named.filter((value) => typeof value === "string")];
  const sizes = numbers.flatMap((a) => [a - 1, a, a + 1, ...numbers.map((b) => (a + b) / 2)]);
  if (subject.kind === "length") return [undefined, ...sizes.filter((a) => a >= 0 && Number.isInteger(a))];
  return [undefined, true, false, ...new Set(sizes), ...new Set(texts.flatMap((a) => beside(a, texts)))];
}

/** Texts just after one, those that it ends, and those that it and another make. */
function beside(text: string, texts: readonly string[]): Scalar[] {
  const around = [text, `${text}${least}`, `${text}${most}`, `${least}${text}`, ...neighbours(text)];
  return [...around, ...texts.flatMap((other) => [`${text}${other}`, `${text}${least}${other}`])];
}

const [least, most] = ["\0", "\u{10ffff}"];
