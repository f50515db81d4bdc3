/** Which function of `runtime/rules` says what a comparison means: emitted code names it, the interpreter calls it. */
import {
  atLeast,
  atMost,
  booleanAt,
  contains,
  dateAt,
  earlier,
  endsWith,
  greater,
  includes,
  includesDate,
  later,
  less,
  listAt,
  member,
  notEarlier,
  notLater,
  numberAt,
  same,
  sameDate,
  scalarAt,
  startsWith,
  textAt,
} from "../../../runtime/rules/index.ts";
import type { Leaf, OrderOperator } from "../form/form.ts";
import type { ValueType } from "../form/types.ts";
import { classes, isDate, typeOf } from "../form/values.ts";

/** By their names. */
export const comparisons = {
  same,
  sameDate,
  less,
  atMost,
  greater,
  atLeast,
  earlier,
  notLater,
  later,
  notEarlier,
  startsWith,
  endsWith,
  contains,
  includes,
  includesDate,
} as const;

type Binary = Exclude<Leaf["kind"], "truth" | "absent" | "nonEmpty" | "hasRole" | "membership">;

/** The helper of a comparison of two values, in the order of its operands. */
export function comparisonHelper(leaf: Extract<Leaf, { readonly kind: Binary }>): keyof typeof comparisons {
  switch (leaf.kind) {
    case "equal":
      return isDate(leaf.left) || isDate(leaf.right) ? "sameDate" : "same";
    case "order":
      return (isDate(leaf.left) || isDate(leaf.right) ? dateOrders : orders)[leaf.op];
    case "text":
      return leaf.op;
    case "includes": {
      const dates = isDate(leaf.item) || classes(typeOf(leaf.list).elements ?? []).includes("date");
      return dates ? "includesDate" : "includes";
    }
  }
}

const orders = {
  "<": "less",
  "<=": "atMost",
  ">": "greater",
  ">=": "atLeast",
} as const satisfies Readonly<Record<OrderOperator, string>>;

const dateOrders = {
  "<": "earlier",
  "<=": "notLater",
  ">": "later",
  ">=": "notEarlier",
} as const satisfies Readonly<Record<OrderOperator, string>>;

/** By their names. */
export const readers = { textAt, numberAt, booleanAt, dateAt, scalarAt, listAt, member } as const;

/** The helper that reads a value of this type from where anything may stand: a profile, `appConfig`. */
export function readerHelper({ kinds, elements }: ValueType): keyof typeof readers {
  if (elements !== undefined) return kinds.length === 0 ? "listAt" : "member";
  const [only, ...others] = classes(kinds.filter((kind) => kind !== "object"));
  if (only === undefined || only === "object") return "member";
  return others.length > 0 ? "scalarAt" : ofClasses[only];
}

const ofClasses = { text: "textAt", number: "numberAt", boolean: "booleanAt", date: "dateAt" } as const;
