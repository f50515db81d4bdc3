/** Rules as propositions: their comparisons are atoms that are true or false, called alike where they say the same. */

import { kept } from "../../runtime/kept.ts";
import { type At, type Claim, type Condition, type Leaf, operands, type Value } from "../rules/form/form.ts";
import { isDate } from "../rules/form/values.ts";
import { readerHelper } from "../rules/helpers/operators.ts";
import { canonicalJson } from "../source/meaning.ts";

/** A condition over atoms, by their keys. */
export type Proposition =
  | { readonly kind: "constant"; readonly holds: boolean }
  | Atom
  | { readonly kind: "and" | "or"; readonly of: readonly Proposition[] }
  | { readonly kind: "not"; readonly of: Proposition };

export interface Atom {
  readonly kind: "atom";
  readonly key: string;
  readonly leaf: Leaf;
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

/** Clauses are compared with many others. */
const known = new WeakMap<Condition, Proposition>();

export function propositionOf(condition: Condition): Proposition {
  return kept(known, condition, () => madeOf(condition));
}

function madeOf(condition: Condition): Proposition {
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
  if ((leaf.kind === "hasRole" || leaf.kind === "membership") && leaf.roles.length > 1)
    return { kind: "or", of: leaf.roles.map((role) => atom({ ...leaf, roles: [role] })) };
  if (leaf.kind === "absent" && leaf.of.kind === "claim" && leaf.of.path.length === 0)
    return { kind: "not", of: atom(memberOf(leaf.of, leaf.at)) };
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

/** Members alone see the claims of an organization, and every organization has some, be they empty. */
function memberOf({ org }: Claim, at: At): Leaf {
  return { kind: "membership", helper: "inOrg", id: org, roles: [], at };
}

function atom(leaf: Leaf): Atom {
  return { kind: "atom", key: keyOf(leaf), leaf };
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
    case "membership":
      return key(leaf.helper, ...texts);
    default:
      return key(leaf.kind, ...texts);
  }
}

const literalTrue = canonicalJson(["literal", true]);

/** What stands in it is put in as it is, not quoted: quotes within quotes double with every level. */
function key(...parts: readonly string[]): string {
  return `[${parts.join(",")}]`;
}

/** Equal for values that are the same whoever asks. */
export function valueText(value: Value): string {
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
    case "claim":
      // The same claim is another value where it is used as one of another type.
      return key("claim", valueText(value.org), canonicalJson([value.path, readerHelper(value.type)]));
    case "moment":
      return canonicalJson([value.helper, value.milliseconds]);
    case "length":
      return key("length", valueText(value.of));
    case "ends":
      return key(value.op, valueText(value.of));
    case "condition":
      return key("condition", canonicalText(value.of));
    case "pick":
      return key("pick", canonicalText(value.when), valueText(value.yes), valueText(value.no));
  }
}
