/** Which helper of `runtime/rules` says what a comparison means: emitted code names it, the interpreter calls it. */
import type { Leaf, OrderOperator } from "./form.ts";
import type { ValueType } from "./types.ts";
import { classes, isDate, typeOf } from "./values.ts";

type Binary = Exclude<Leaf["kind"], "truth" | "absent" | "nonEmpty" | "hasRole" | "membership">;

/** The helper of a comparison of two values, in the order of its operands. */
export function comparisonHelper(leaf: Extract<Leaf, { readonly kind: Binary }>) {
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

/** The helper that reads a value of this type from where anything may stand: a profile, `appConfig`. */
export function readerHelper({ kinds, elements }: ValueType) {
  if (elements !== undefined) return kinds.length === 0 ? "listAt" : "member";
  const [only, ...others] = classes(kinds.filter((kind) => kind !== "object"));
  if (only === undefined || only === "object") return "member";
  return others.length > 0 ? "scalarAt" : readers[only];
}

const readers = { text: "textAt", number: "numberAt", boolean: "booleanAt", date: "dateAt" } as const;
