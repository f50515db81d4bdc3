/** Conditions as expressions of emitted check functions. */
import { type Code, code, join } from "../../../templates/print/code.ts";
import { type Condition, type Leaf, operands, readKey, type Value, valuesIn } from "../form/form.ts";
import { isDate } from "../form/values.ts";
import { comparisonHelper } from "../helpers/operators.ts";
import { type Conditions, type Printed, printed, wrapped } from "./printed.ts";
import { call, printValue, type Surroundings } from "./values.ts";

/** The printer for one function whose body is `whole`. */
export function checkPrinter(whole: Condition, surroundings: Surroundings): Conditions {
  const readOnce = readsOf(whole);
  const print: Conditions = (condition) => {
    switch (condition.kind) {
      case "constant":
        return printed(code`${condition.holds}`);
      case "and":
        return printed(
          join(
            condition.of.map((term) => wrapped(print(term), "and")),
            code` && `,
          ),
          "and",
        );
      case "or":
        return printed(
          join(
            condition.of.map((term) => wrapped(print(term), "or")),
            code` || `,
          ),
          "or",
        );
      case "choice": {
        const { when, yes, no } = condition;
        return printed(
          code`${wrapped(print(when), "or")} ? ${print(yes).code} : ${print(no).code}`,
          "choice",
        );
      }
      case "not":
        return printNot(condition.of);
      default:
        return printLeaf(condition, false);
    }
  };
  const value = (of: Value): Code => printValue(of, surroundings, print).code;
  return print;

  function printNot(of: Condition): Printed {
    if (of.kind === "absent") return call(isDocument(of.of) ? "isStored" : "present", value(of.of));
    if ((of.kind === "equal" || of.kind === "truth") && literalSide(of) !== undefined)
      return printLeaf(of, true);
    return printed(code`!${wrapped(print(of), "unary")}`, "unary");
  }

  function printLeaf(leaf: Leaf, negated: boolean): Printed {
    switch (leaf.kind) {
      case "truth":
      case "equal": {
        const sides = literalSide(leaf);
        if (sides !== undefined) {
          const operator = negated ? code`!==` : code`===`;
          return printed(
            code`${wrapped(printValue(sides.other, surroundings, print), "unary")} ${operator} ${sides.literal}`,
            "equality",
          );
        }
        if (leaf.kind === "truth") return call("same", value(leaf.of), code`true`);
        return call(comparisonHelper(leaf), value(leaf.left), value(leaf.right));
      }
      case "absent":
        if (isDocument(leaf.of)) return printed(code`!${call("isStored", value(leaf.of)).code}`, "unary");
        return call("absent", value(leaf.of));
      case "order":
        return call(comparisonHelper(leaf), value(leaf.left), value(leaf.right));
      case "text":
        return call(comparisonHelper(leaf), value(leaf.text), value(leaf.part));
      case "includes":
        return call(comparisonHelper(leaf), value(leaf.list), value(leaf.item));
      case "hasRole":
        return call("hasRole", code`user`, ...leaf.roles.map(value));
      case "membership":
        return call(leaf.helper, code`memberships`, ...operands(leaf).map(value));
      case "nonEmpty":
        return call("nonEmpty", value(leaf.of));
    }
  }

  /**
   * For a comparison with a literal that can be written as `===`. What is compared twice is not: the type checker would
   * take the second comparison for a mistake. `same` holds literals to the other's type, too.
   */
  function literalSide(leaf: Leaf): { readonly literal: Code; readonly other: Value } | undefined {
    if (leaf.kind === "truth") return isSimple(leaf.of) ? { literal: code`true`, other: leaf.of } : undefined;
    if (leaf.kind !== "equal" || isDate(leaf.left) || isDate(leaf.right)) return undefined;
    const [literal, other] = leaf.left.kind === "literal" ? [leaf.left, leaf.right] : [leaf.right, leaf.left];
    return literal.kind === "literal" && isSimple(other)
      ? { literal: code`${literal.value}`, other }
      : undefined;
  }

  function isSimple(of: Value): boolean {
    return of.kind === "length" || of.kind === "claim" || (of.kind === "read" && readOnce(readKey(of)));
  }
}

/** As a whole, stored or not. */
function isDocument(value: Value): boolean {
  return (
    value.kind === "read" &&
    (value.root === "document" || value.root === "previous") &&
    value.path.length === 0
  );
}

/** Tells which reads occur once. */
function readsOf(whole: Condition): (key: string) => boolean {
  const counts = new Map<string, number>();
  for (const value of valuesIn(whole)) {
    if (value.kind === "read") counts.set(readKey(value), (counts.get(readKey(value)) ?? 0) + 1);
  }
  return (key) => counts.get(key) === 1;
}
