/**
 * Brings a rule that also filters lists into the shape of filters: every comparison that looks at the document compares
 * one field with one value known beforehand. What cannot be brought there is reported at its place.
 */

import type { Report } from "../language/report.ts";
import { claimedOrgs, isGiven } from "./claims.ts";
import {
  type Condition,
  isKnown,
  isLeaf,
  type Leaf,
  mapLeaves,
  mapOperands,
  operands,
  termsOf,
  type Value,
} from "./form.ts";
import { simplify } from "./simplify.ts";

/**
 * The caller's text with a field at one of its ends becomes membership among its ends, in the check as in the filter,
 * so that both look at the same number of characters.
 */
export function withEnds(condition: Condition): Condition {
  return mapLeaves(condition, (leaf) => {
    if (leaf.kind !== "text" || leaf.op === "contains" || !isGiven(leaf.text) || isGiven(leaf.part))
      return leaf;
    const list: Value = { kind: "ends", op: leaf.op, of: leaf.text, at: leaf.text.at };
    return { kind: "includes", list, item: leaf.part, at: leaf.at };
  });
}

/** The condition with operations moved out of comparisons: `(c ? a : b) == x` to `c ? a == x : b == x`. */
export function lower(condition: Condition): Condition {
  return simplify(mapLeaves(condition, lift));
}

function lift(leaf: Leaf): Condition {
  if (isKnown(leaf)) return leaf;
  const operand = operands(leaf).find((value) => operationIn(value) !== undefined);
  const operation = operand && operationIn(operand);
  if (operand === undefined || operation === undefined) return leaf;
  const { at } = leaf;
  const branch = (value: Value): Condition => {
    const replaced = mapOperands(leaf, (other) =>
      other === operand ? withOperation(operand, value) : other,
    );
    const simple = simplify(replaced);
    return isLeaf(simple) ? lift(simple) : mapLeaves(simple, lift);
  };
  if (operation.kind === "pick") {
    return {
      kind: "choice",
      when: operation.when,
      yes: branch(operation.yes),
      no: branch(operation.no),
      at,
    };
  }
  const literal = (value: boolean): Value => ({
    kind: "literal",
    value,
    type: { kinds: ["boolean"] },
    at: operation.at,
  });
  return {
    kind: "choice",
    when: operation.of,
    yes: branch(literal(true)),
    no: branch(literal(false)),
    at,
  };
}

type Operation = Extract<Value, { readonly kind: "pick" | "condition" }>;

/** The outermost `?:` or condition of an operand that looks at the document. */
function operationIn(value: Value): Operation | undefined {
  if (value.kind === "length" || value.kind === "ends") return operationIn(value.of);
  if (value.kind === "claim") return operationIn(value.org);
  return (value.kind === "pick" || value.kind === "condition") && !isKnown(value) ? value : undefined;
}

function withOperation(operand: Value, replacement: Value): Value {
  if (operand.kind === "length" || operand.kind === "ends")
    return { ...operand, of: withOperation(operand.of, replacement) };
  if (operand.kind === "claim") return { ...operand, org: withOperation(operand.org, replacement) };
  return replacement;
}

/** Reports each part of a lowered condition that no filter can express. */
export function checkFilter(condition: Condition, rule: string, report: Report): void {
  if (isLeaf(condition)) checkLeaf(condition, rule, report);
  else for (const term of termsOf(condition)) checkFilter(term, rule, report);
}

function checkLeaf(leaf: Leaf, rule: string, report: Report): void {
  if (claimedOrgs(leaf).length > 1) {
    const problem = "comparing claims of two organizations of the document with each other";
    report("rule-not-filterable", leaf.at, { rule, problem });
    return;
  }
  const unknown = operands(leaf).filter((value) => !isGiven(value));
  for (const value of unknown) {
    if (value.kind === "length") {
      report("rule-not-filterable", value.at, { rule, problem: "the length of a document's value" });
      return;
    }
  }
  if (leaf.kind === "hasRole" || leaf.kind === "membership" || unknown.length === 0) return;
  const problem =
    unknown.length > 1
      ? leaf.kind === "includes" || leaf.kind === "text"
        ? "looking for one value of a document in another"
        : "comparing two values of the document with each other"
      : leaf.kind === "text" && isGiven(leaf.text)
        ? "looking for a value of the document inside another text"
        : undefined;
  if (problem !== undefined) report("rule-not-filterable", leaf.at, { rule, problem });
}
