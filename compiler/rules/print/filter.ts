/** Lowered conditions as expressions of emitted filter functions. */
import type { Ordering } from "../../../runtime/filter/algebra.ts";
import { type Code, code, imported, literal, member } from "../../emit/code.ts";
import { type Condition, isKnown, type Leaf, type OrderOperator, type Read, type Value } from "../form.ts";
import { checkPrinter } from "./check.ts";
import { type Printed, printed, wrapped } from "./printed.ts";
import { call, printValue, type Surroundings } from "./values.ts";

/** The body of a filter function; `whole` is what `lower` made of the rule. */
export function printFilter(whole: Condition, surroundings: Surroundings): Code {
  const check = checkPrinter(whole, surroundings);
  return print(whole).code;

  function print(condition: Condition): Printed {
    if (isKnown(condition)) return call("always", check(condition).code);
    switch (condition.kind) {
      case "and":
      case "or":
        return call(condition.kind, ...condition.of.map((term) => print(term).code));
      case "not":
        return condition.of.kind === "absent"
          ? exists(condition.of.of)
          : call("not", print(condition.of).code);
      case "choice": {
        const { when, yes, no } = condition;
        if (!isKnown(when)) return call("choose", print(when).code, print(yes).code, print(no).code);
        return printed(
          code`${wrapped(check(when), "or")} ? ${print(yes).code} : ${print(no).code}`,
          "choice",
        );
      }
      case "constant":
        return call("always", code`${condition.holds}`);
      default:
        return printLeaf(condition);
    }
  }

  function printLeaf(leaf: Leaf): Printed {
    switch (leaf.kind) {
      case "truth":
        return call("eq", field(leaf.of), code`true`);
      case "absent":
        return call("not", exists(leaf.of).code);
      case "equal": {
        const [left, right] = fieldFirst(leaf.left, leaf.right);
        return call("eq", field(left), known(right));
      }
      case "order": {
        const [left, right] = fieldFirst(leaf.left, leaf.right);
        const op = orderings[left === leaf.left ? leaf.op : mirrored[leaf.op]];
        return call("compare", literal(op), field(left), known(right));
      }
      case "text":
        return call("text", literal(leaf.op), field(leaf.text), known(leaf.part));
      case "includes":
        return isKnown(leaf.list)
          ? call("isIn", field(leaf.item), known(leaf.list))
          : call("eq", field(leaf.list), known(leaf.item));
      case "hasRole":
        return rolesFilter(leaf.roles);
      case "nonEmpty":
        throw new Error("arises in `possible` only");
    }
  }

  function rolesFilter(roles: readonly Value[]): Printed {
    const named = roles.filter(isKnown);
    const ofDocument = roles.filter((role) => !isKnown(role));
    const filters = [
      ...(named.length === 0 ? [] : [call("always", call("hasRole", code`user`, ...named.map(known)).code)]),
      ...ofDocument.map((role) => call("isIn", field(role), code`user?.roles`)),
    ].map(({ code: text }) => text);
    const [only] = filters;
    return filters.length === 1 && only !== undefined ? printed(only) : call("or", ...filters);
  }

  function known(value: Value): Code {
    return printValue(value, surroundings, check).code;
  }

  function exists(value: Value): Printed {
    return call("exists", field(value));
  }
}

function fieldFirst(left: Value, right: Value): readonly [Value, Value] {
  return isKnown(left) ? [right, left] : [left, right];
}

/** `fields.status`: a lowered comparison has a field of the document on its other side. */
function field(value: Value): Code {
  if (!isFieldRead(value)) throw new Error(`a filter compares fields, not a ${value.kind}`);
  return member(imported("fields", "./fields.ts"), value.path.join("."));
}

function isFieldRead(value: Value): value is Value & Read {
  return value.kind === "read" && value.root === "document" && value.path.length > 0;
}

const orderings: Readonly<Record<OrderOperator, Ordering>> = {
  "<": "lt",
  "<=": "lte",
  ">": "gt",
  ">=": "gte",
};
const mirrored: Readonly<Record<OrderOperator, OrderOperator>> = {
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};
