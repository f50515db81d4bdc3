/** Lowered conditions as expressions of emitted filter functions. */
import type { Ordering } from "../../../runtime/filter/algebra.ts";
import { type Code, code, imported, literal, member } from "../../../templates/print/code.ts";
import { claimedOrgs, isGiven } from "../form/claims.ts";
import {
  type Condition,
  isKnown as isKnownBefore,
  type Leaf,
  type Membership,
  type OrderOperator,
  type Read,
  type Value,
} from "../form/form.ts";
import { membershipHelpers } from "../helpers/memberships.ts";
import { checkPrinter } from "./check.ts";
import { type Printed, printed, wrapped } from "./printed.ts";
import { call, printValue, type Surroundings } from "./values.ts";

/** The body of a filter function; `whole` is what `lower` made of the rule. */
export function printFilter(whole: Condition, surroundings: Surroundings): Code {
  const isKnown = surroundings.claimsGiven === true ? isGiven : isKnownBefore;
  const check = checkPrinter(whole, surroundings);
  return print(whole).code;

  function print(condition: Condition): Printed {
    if (isKnown(condition)) return call("always", check(condition).code);
    switch (condition.kind) {
      case "and":
      case "or":
        return call(condition.kind, ...condition.of.map((term) => print(term).code));
      case "not":
        return condition.of.kind === "absent" && isFieldRead(condition.of.of)
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
    const [org] = surroundings.claimsGiven === true ? [] : claimedOrgs(leaf);
    if (org !== undefined) {
      const filter = printFilter(leaf, { ...surroundings, claimsGiven: true });
      return call("byClaims", code`memberships`, field(org), code`(claims) => ${filter}`);
    }
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
      case "membership":
        return membershipFilter(leaf);
      case "nonEmpty":
        throw new Error("arises in `possible` only");
    }
  }

  function rolesFilter(roles: readonly Value[]): Printed {
    const named = roles.filter(isKnown);
    const ofDocument = roles.filter((role) => !isKnown(role));
    return anyOf([
      ...(named.length === 0 ? [] : [call("always", call("hasRole", code`user`, ...named.map(known)).code)]),
      ...ofDocument.map((role) => call("isIn", field(role), code`user?.roles`)),
    ]);
  }

  /** The id, roles or all are fields of the document. */
  function membershipFilter({ helper: name, id, roles }: Membership): Printed {
    const own = (list: string, ...values: readonly Code[]) => call(list, code`memberships`, ...values).code;
    const { all, as, rolesIn, named } = membershipHelpers[name].filter;
    if (roles.length === 0) return call("isIn", field(id), own(all));
    const given = roles.filter(isKnown);
    const ofDocument = roles.filter((role) => !isKnown(role));
    if (isKnown(id)) {
      const held = given.length === 0 ? [] : [call("always", own(name, known(id), ...given.map(known)))];
      return anyOf([
        ...held,
        ...ofDocument.map((role) => call("isIn", field(role), own(rolesIn, known(id)))),
      ]);
    }
    const held = given.length === 0 ? [] : [call("isIn", field(id), own(as, ...given.map(known)))];
    return anyOf([
      ...held,
      ...ofDocument.map((role) => call(named, code`memberships`, field(id), field(role))),
    ]);
  }

  /** `lower` left one side known. */
  function fieldFirst(left: Value, right: Value): readonly [Value, Value] {
    return isKnown(left) ? [right, left] : [left, right];
  }

  function known(value: Value): Code {
    return printValue(value, surroundings, check).code;
  }

  function exists(value: Value): Printed {
    return call("exists", field(value));
  }
}

function anyOf(filters: readonly Printed[]): Printed {
  const [only] = filters;
  return filters.length === 1 && only !== undefined
    ? only
    : call("or", ...filters.map(({ code: text }) => text));
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
