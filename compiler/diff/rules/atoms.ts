/**
 * Rules as propositions: their comparisons are atoms that are true or false, whatever they compare. Where two rules are
 * equal, or one implies the other, for every choice of those, they are for every caller and document.
 */
import { canonicalJson } from "../../model/meaning.ts";
import { type Condition, type Leaf, operands, type Value } from "../../rules/form.ts";
import { isDate } from "../../rules/values.ts";

/** A condition over atoms, by their keys. */
type Proposition =
  | { readonly kind: "constant"; readonly holds: boolean }
  | { readonly kind: "atom"; readonly key: string }
  | { readonly kind: "and" | "or"; readonly of: readonly Proposition[] }
  | { readonly kind: "not"; readonly of: Proposition };

export interface Relation {
  /** All that satisfies the first satisfies the second. */
  readonly forward: boolean;
  /** All that satisfies the second satisfies the first. */
  readonly backward: boolean;
}

/** Atoms up to which every choice is tried. */
const MAX_ATOMS = 14;

/** What two rules are to each other as far as their forms tell. */
export function relationOf(one: Condition, other: Condition): Relation {
  const [a, b] = [propositionOf(one), propositionOf(other)];
  const keys = [...new Set([...keysIn(a), ...keysIn(b)])];
  if (keys.length > MAX_ATOMS) {
    const equal = canonicalText(one) === canonicalText(other);
    return { forward: equal, backward: equal };
  }
  const relation = { forward: true, backward: true };
  const chosen = new Set<string>();
  for (let choice = 0; choice < 2 ** keys.length; choice++) {
    chosen.clear();
    for (const [at, key] of keys.entries()) if ((choice >> at) & 1) chosen.add(key);
    const [left, right] = [holdsFor(a, chosen), holdsFor(b, chosen)];
    if (left && !right) relation.forward = false;
    if (right && !left) relation.backward = false;
  }
  return relation;
}

/** Equal for conditions that say the same in another order or with other words for it. */
export function canonicalText(condition: Condition): string {
  return textOf(propositionOf(condition));
}

function textOf(part: Proposition): string {
  switch (part.kind) {
    case "constant":
      return String(part.holds);
    case "atom":
      return part.key;
    case "not":
      return `!(${textOf(part.of)})`;
    default:
      return `${part.kind}(${[...new Set(part.of.map(textOf))].sort().join(",")})`;
  }
}

function propositionOf(condition: Condition): Proposition {
  switch (condition.kind) {
    case "constant":
      return { kind: "constant", holds: condition.holds };
    case "and":
    case "or":
      return { kind: condition.kind, of: condition.of.map(propositionOf) };
    case "not":
      return { kind: "not", of: propositionOf(condition.of) };
    case "choice": {
      const when = propositionOf(condition.when);
      const yes: Proposition = { kind: "and", of: [when, propositionOf(condition.yes)] };
      const no: Proposition = { kind: "and", of: [{ kind: "not", of: when }, propositionOf(condition.no)] };
      return { kind: "or", of: [yes, no] };
    }
    default:
      return leafProposition(condition);
  }
}

/** What says that one of several holds is taken apart, so that a role or value more is a clause more. */
function leafProposition(leaf: Leaf): Proposition {
  if (leaf.kind === "hasRole" && leaf.roles.length > 1)
    return { kind: "or", of: leaf.roles.map((role) => atom({ ...leaf, roles: [role] })) };
  if (leaf.kind === "includes" && leaf.list.kind === "list" && !isDate(leaf.item)) {
    const { at, item } = leaf;
    const equals = leaf.list.items.map((value): Proposition => {
      const literal: Value = { kind: "literal", value, type: { kinds: [] }, at };
      return atom({ kind: "equal", left: item, right: literal, at });
    });
    return { kind: "or", of: equals };
  }
  return atom(leaf);
}

function atom(leaf: Leaf): Proposition {
  return { kind: "atom", key: keyOf(leaf) };
}

function keyOf(leaf: Leaf): string {
  const texts = operands(leaf).map(valueText);
  const [a = "", b = ""] = texts;
  switch (leaf.kind) {
    case "truth":
      return key("equal", ...[a, literalTrue].sort());
    case "equal":
      return key("equal", ...[a, b].sort());
    case "order": {
      const mirrored = leaf.op === ">" || leaf.op === ">=";
      const op = leaf.op.replace(">", "<");
      return mirrored ? key(op, b, a) : key(op, a, b);
    }
    case "text":
      return key(leaf.op, ...texts);
    default:
      return key(leaf.kind, ...texts);
  }
}

const literalTrue = canonicalJson(["literal", true]);

function key(...parts: readonly string[]): string {
  return canonicalJson(parts);
}

function valueText(value: Value): string {
  switch (value.kind) {
    case "null":
    case "now":
      return canonicalJson([value.kind]);
    case "literal":
      return canonicalJson(["literal", value.value]);
    case "list":
      return canonicalJson(["list", ...[...new Set(value.items)].sort()]);
    case "read":
      return canonicalJson(["read", value.root, ...value.path, ...(isDate(value) ? [true] : [])]);
    case "moment":
      return canonicalJson([value.helper, value.milliseconds]);
    case "length":
      return canonicalJson(["length", valueText(value.of)]);
    case "ends":
      return canonicalJson([value.op, valueText(value.of)]);
    case "condition":
      return canonicalJson(["condition", canonicalText(value.of)]);
    case "pick":
      return canonicalJson(["pick", canonicalText(value.when), valueText(value.yes), valueText(value.no)]);
  }
}

function* keysIn(part: Proposition): Generator<string> {
  if (part.kind === "atom") yield part.key;
  else if (part.kind === "not") yield* keysIn(part.of);
  else if (part.kind !== "constant") for (const inner of part.of) yield* keysIn(inner);
}

function holdsFor(part: Proposition, chosen: ReadonlySet<string>): boolean {
  switch (part.kind) {
    case "constant":
      return part.holds;
    case "atom":
      return chosen.has(part.key);
    case "not":
      return !holdsFor(part.of, chosen);
    case "and":
      return part.of.every((inner) => holdsFor(inner, chosen));
    case "or":
      return part.of.some((inner) => holdsFor(inner, chosen));
  }
}
