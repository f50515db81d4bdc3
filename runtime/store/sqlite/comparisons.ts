import type { LeafFilter, Ordering, Scalar } from "../../filter/algebra.ts";
import type { Field } from "../../filter/fields.ts";
import { midnightForms } from "../../filter/instants.ts";
import { booleanAsBlob, type JsonType, type Strictness } from "./expressions.ts";
import { bind, type Parameters } from "./parameters.ts";

/** The leaves of a filter that compare, as SQL conditions on the value stored. */
export type Comparison = Exclude<LeafFilter, { op: "exists" }>;

/** A comparison with values of one JSON type. */
export interface Test {
  readonly type: JsonType;
  /** `value` is SQL for the stored value, strict so. */
  readonly condition: (value: string, strictness: Strictness) => string;
  /** An index finds the values that pass. */
  readonly indexable: boolean;
}

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
    case "startsWith":
      return [prefix(filter.value, parameters)];
    case "endsWith":
      return [
        textTest(filter.value, parameters, (value, part) => {
          return `substr(${value}, length(${value}) - length(${part}) + 1) = ${part}`;
        }),
      ];
    case "contains":
      return [textTest(filter.value, parameters, (value, part) => `instr(${value}, ${part}) > 0`)];
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
  const bound = parameters.add(JSON.stringify(values));
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
  const forms = midnightForms(field, bound);
  const form = forms === undefined ? bound : op === "lt" || op === "gte" ? forms.short : forms.long;
  const parameter = bind(form, parameters);
  const type = typeof bound === "number" ? "number" : "text";
  return {
    type,
    indexable: true,
    condition: (value, strictness) => within(type, strictness, value, `${value} ${symbols[op]} ${parameter}`),
  };
}

function prefix(start: string, parameters: Parameters): Test {
  const from = parameters.add(start);
  const end = successor(start);
  const to = end === undefined ? undefined : parameters.add(end);
  return {
    type: "text",
    indexable: true,
    condition: (value, strictness) =>
      within(
        "text",
        strictness,
        value,
        `${value} >= ${from}${to === undefined ? "" : ` AND ${value} < ${to}`}`,
      ),
  };
}

/** SQLite orders numbers before strings before blobs; a range over a value of any type must stay among its own. */
function within(type: "text" | "number", strictness: Strictness, value: string, range: string): string {
  if (strictness !== "any") return `(${range})`;
  return type === "number"
    ? `(${range} AND ${value} < '')`
    : `(${range} AND ${value} >= '' AND ${value} < x'')`;
}

function textTest(
  text: string,
  parameters: Parameters,
  found: (value: string, part: string) => string,
): Test {
  const part = parameters.add(text);
  return {
    type: "text",
    indexable: false,
    condition: (value, strictness) =>
      strictness === "any" ? `(typeof(${value}) = 'text' AND ${found(value, part)})` : found(value, part),
  };
}

/** The first string after all that start so, by code point; undefined when there is none. */
function successor(start: string): string | undefined {
  const points = Array.from(start, (character) => character.codePointAt(0) ?? 0);
  for (let point = points.pop(); point !== undefined; point = points.pop()) {
    if (point === 0x10ffff) continue;
    const next = point === 0xd7ff ? 0xe000 : point + 1;
    return String.fromCodePoint(...points, next);
  }
  return undefined;
}
