import type { LeafFilter, Ordering, Scalar } from "../../../filter/algebra.ts";
import type { Field } from "../../../filter/fields.ts";
import { boundOf, midnightForms } from "../../../filter/instants.ts";
import { booleanAsBlob, type JsonType, type Test, withinType } from "../expressions.ts";
import { bind, type Parameters } from "../parameters.ts";
import { matching, patternMatching } from "./matching.ts";

/** The leaves of a filter that compare single values, as SQL conditions on the value stored. */
export type Comparison = Exclude<LeafFilter, { op: "exists" | "equalsArray" }>;

export function testsOf(filter: Comparison, parameters: Parameters): readonly Test[] {
  switch (filter.op) {
    case "eq":
      return membership(filter.field, [filter.value], parameters);
    case "in":
      return membership(filter.field, filter.values, parameters);
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return [ordering(filter.field, filter.op, filter.value, parameters)];
    case "between":
      return range(filter.field, filter.min, filter.max, parameters);
    case "like":
      return [patternMatching(filter.pattern, filter.ignoreCase, parameters)];
    default:
      return [matching(filter.op, filter.value, filter.ignoreCase, parameters)];
  }
}

function membership(field: Field, values: readonly Scalar[], parameters: Parameters): readonly Test[] {
  const texts: string[] = [];
  const numbers: number[] = [];
  const tests: Test[] = [];
  for (const value of values) {
    if (typeof value === "boolean") tests.push(booleanTest(value));
    else if (typeof value === "number") numbers.push(value);
    else {
      const forms = midnightForms(field, value);
      if (forms === undefined) texts.push(value);
      else texts.push(forms.short, forms.long);
    }
  }
  if (texts.length > 0) tests.push(memberTest("text", texts, parameters));
  if (numbers.length > 0) tests.push(memberTest("number", numbers, parameters));
  return tests;
}

/** One of many is one parameter, so that the statement stays the same whatever their number. */
export function memberTest(
  type: JsonType,
  values: readonly (string | number)[],
  parameters: Parameters,
): Test {
  const [only] = values;
  if (values.length === 1 && only !== undefined) {
    const bound = bind(only, parameters);
    return { type, indexable: true, condition: (value) => `${value} = ${bound}` };
  }
  // Of texts in order SQLite makes its set in half the time.
  const bound = parameters.add(JSON.stringify(type === "text" ? values.toSorted() : values));
  return {
    type,
    indexable: true,
    condition: (value) => `${value} IN (SELECT value FROM json_each(${bound}))`,
  };
}

function booleanTest(expected: boolean): Test {
  return {
    type: "boolean",
    indexable: true,
    condition: (value, strictness) =>
      strictness === "any" ? `${value} = ${booleanAsBlob[`${expected}`]}` : `${value} = ${expected ? 1 : 0}`,
  };
}

export const symbols = { lt: "<", lte: "<=", gt: ">", gte: ">=" } as const satisfies Record<Ordering, string>;

function ordering(field: Field, op: Ordering, bound: string | number, parameters: Parameters): Test {
  const parameter = bind(boundOf(field, op, bound), parameters);
  const type = typeof bound === "number" ? "number" : "text";
  return {
    type,
    indexable: true,
    condition: (value, strictness) =>
      withinType(type, strictness, value, `${value} ${symbols[op]} ${parameter}`),
  };
}

/** Between values of one type there are only values of the same. */
function range(
  field: Field,
  min: string | number,
  max: string | number,
  parameters: Parameters,
): readonly Test[] {
  if (typeof min !== typeof max) return [];
  const from = bind(boundOf(field, "gte", min), parameters);
  const to = bind(boundOf(field, "lte", max), parameters);
  return [
    {
      type: typeof min === "number" ? "number" : "text",
      indexable: true,
      condition: (value) => `(${value} BETWEEN ${from} AND ${to})`,
    },
  ];
}
