/**
 * Outcomes of two comparisons that no caller and document bring about together: `x < 10` and not `x < 20`, `x == 'a'` and
 * `x == 'b'`, a role of nobody. Of what is not known to be so it is taken that they may.
 */
import type { Scalar } from "../../../runtime/filter/algebra.ts";
import { holds as holdsIn } from "../../rules/evaluate.ts";
import { type Leaf, mapOperands, operands, type Read, type Value } from "../../rules/form.ts";
import { typeOf } from "../../rules/values.ts";
import { valueText } from "./atoms.ts";
import { namedBy, neighbours, now } from "./candidates.ts";

export interface Outcome {
  readonly leaf: Leaf;
  readonly holds: boolean;
}

export function mayBoth(one: Outcome, other: Outcome): boolean {
  return !lacks(one, other) && !lacks(other, one) && somethingGives(one, other);
}

/** Whether one says that something is absent which the other needs. */
function lacks({ leaf, holds }: Outcome, other: Outcome): boolean {
  if (leaf.kind !== "absent" || !holds || leaf.of.kind !== "read") return false;
  const { root, path } = leaf.of;
  return needed(other).some(
    (read) => read.root === root && path.every((segment, at) => read.path[at] === segment),
  );
}

/** What must be there for an outcome. */
function needed({ leaf, holds }: Outcome): Pick<Read, "root" | "path">[] {
  if (leaf.kind === "absent") return holds ? [] : readsOf(leaf.of);
  if (!holds) return [];
  if (leaf.kind !== "hasRole") return operands(leaf).flatMap(readsOf);
  return [{ root: "user", path: ["roles"] }, ...(leaf.roles.length === 1 ? leaf.roles.flatMap(readsOf) : [])];
}

/** What must be there for a value to be. */
function readsOf(value: Value): Read[] {
  if (value.kind === "read") return [value];
  return value.kind === "length" || value.kind === "ends" ? readsOf(value.of) : [];
}

/** Tries values for what the two compare, if that is the same. */
function somethingGives(one: Outcome, other: Outcome): boolean {
  const [leaves, outcomes] = [
    [one.leaf, other.leaf],
    [one.holds, other.holds],
  ];
  if (leaves.some(({ kind }) => kind === "hasRole" || kind === "nonEmpty")) return true;
  const [subjects, others] = leaves.map(subjectsOf);
  if (subjects === undefined || others === undefined || subjects.size === 0) return true;
  if ([...subjects.keys()].sort().join() !== [...others.keys()].sort().join()) return true;
  // A list has values that are not tried, and the clock goes on.
  if ([...subjects.values()].some((value) => typeOf(value).elements !== undefined)) return true;
  const constants = leaves.flatMap((leaf) => operands(leaf).filter(isConstant));
  const moments = constants.filter(({ kind }) => kind === "now" || kind === "moment");
  if (moments.length > 0 && constants.some(({ kind }) => kind === "literal" || kind === "list")) return true;
  return assignments([...subjects.values()], constants).some((values) =>
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

function assignments(subjects: readonly Value[], constants: readonly Value[]): Assignment[] {
  return subjects.reduce<Assignment[]>(
    (all, subject) =>
      all.flatMap((each) =>
        tried(subject, constants).map((value) => new Map([...each, [valueText(subject), value]])),
      ),
    [new Map()],
  );
}

const nobody = { context: { user: undefined, now, appConfig: {} }, document: undefined, data: undefined };

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
function tried(subject: Value, constants: readonly Value[]): (Scalar | undefined)[] {
  const named = constants.flatMap(namedBy);
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
