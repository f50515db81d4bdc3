import type { Filter, LeafFilter, Ordering, Scalar } from "../../filter/algebra.ts";
import type { Field } from "../../filter/fields.ts";
import { midnightForms } from "../../filter/instants.ts";
import type { Value } from "./driver.ts";
import {
  booleanAsBlob,
  columnOf,
  type JsonType,
  type Place,
  passesArray,
  reach,
  type Strictness,
  strict,
  strictnessFor,
} from "./expressions.ts";

/**
 * Filters as SQL conditions on a row of a collection's table. A condition may come out NULL where it is not true; the
 * only place where that would matter, `not`, asks for `IS NOT TRUE`.
 */

/** Bound values, numbered, so that a condition can stand in a statement twice. */
export class Parameters {
  readonly values: Value[];

  constructor(...values: Value[]) {
    this.values = values;
  }

  add(value: Value): string {
    this.values.push(value);
    return `?${this.values.length}`;
  }
}

/** SQL for the rows whose field, one that passes through an array, has a value of which `condition` is true. */
export type ArrayIndex = (field: Field, condition: (value: string) => string) => string | undefined;

export function lower(filter: Filter, parameters: Parameters, arrayIndex: ArrayIndex): string {
  switch (filter.op) {
    case "true":
      return "1";
    case "false":
      return "0";
    case "and":
      return `(${filter.of.map((part) => lower(part, parameters, arrayIndex)).join(" AND ")})`;
    case "or":
      return `(${filter.of.map((part) => lower(part, parameters, arrayIndex)).join(" OR ")})`;
    case "not":
      return `(${lower(filter.of, parameters, arrayIndex)} IS NOT TRUE)`;
    case "exists":
      return columnOf(filter.field) === undefined
        ? present(filter.field)
        : `${columnOf(filter.field)?.sql} IS NOT NULL`;
    default:
      return compared(filter, parameters, arrayIndex);
  }
}

type Comparison = Exclude<LeafFilter, { op: "exists" }>;

function compared(filter: Comparison, parameters: Parameters, arrayIndex: ArrayIndex): string {
  const { field } = filter;
  const onColumn = columnCondition(filter, parameters);
  if (onColumn !== undefined) return onColumn;

  const tests = testsOf(filter, parameters);
  if (passesArray(field) && tests.every((test) => test.indexable)) {
    const indexed = arrayIndex(field, (value) => anyOf(tests.map((test) => test.condition(value, "any"))));
    if (indexed !== undefined) return indexed;
  }
  return reached(field, true, (place) =>
    anyOf(
      tests.map(({ type, condition }) => {
        const strictness = strictnessFor(field, type);
        return condition(strict(place, strictness), strictness);
      }),
    ),
  );
}

const anyOf = (conditions: readonly string[]) =>
  conditions.length === 1 ? `${conditions[0]}` : `(${conditions.join(" OR ")})`;

function present(field: Field): string {
  return reached(field, false, ({ type }) => `${type} <> 'null'`);
}

/** A condition that holds when a place which the field's path reaches passes the test. */
function reached(field: Field, elements: boolean, test: (place: Place) => string): string {
  const { from, place } = reach(field, "doc", elements);
  return from.length === 0 ? test(place) : `EXISTS (SELECT 1 FROM ${from.join(", ")} WHERE ${test(place)})`;
}

/** A comparison with values of one JSON type. */
interface Test {
  readonly type: JsonType;
  /** `value` is SQL for the stored value, strict so. */
  readonly condition: (value: string, strictness: Strictness) => string;
  /** An index finds the values that pass. */
  readonly indexable: boolean;
}

function testsOf(filter: Comparison, parameters: Parameters): readonly Test[] {
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
function memberTest(type: JsonType, values: readonly (string | number)[], parameters: Parameters): Test {
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

const symbols = { lt: "<", lte: "<=", gt: ">", gte: ">=" } as const satisfies Record<Ordering, string>;

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

/**
 * Fractions and large integers go through the parser that stored documents go through: SQLite's conversion of decimal
 * text is not always the nearest double, JavaScript's is.
 */
function bind(value: string | number, parameters: Parameters): string {
  if (typeof value === "string" || Number.isSafeInteger(value)) return parameters.add(value);
  return `json_extract(${parameters.add(JSON.stringify(value))}, '$')`;
}

/** The condition on the column that holds the field, where one does and its values compare with this one. */
function columnCondition(filter: Comparison, parameters: Parameters): string | undefined {
  const column = columnOf(filter.field);
  if (column === undefined) return undefined;
  switch (filter.op) {
    case "eq":
    case "in": {
      const values = filter.op === "eq" ? [filter.value] : filter.values;
      const own = values.map((value) => columnValue(value, column.holds));
      const type = column.holds === "text" ? "text" : "number";
      const bound = own.filter((value) => value !== undefined);
      return bound.length < own.length
        ? undefined
        : memberTest(type, bound, parameters).condition(column.sql, type);
    }
    case "lt":
    case "lte":
    case "gt":
    case "gte": {
      const bound = columnValue(filter.value, column.holds);
      return bound === undefined
        ? undefined
        : `${column.sql} ${symbols[filter.op]} ${bind(bound, parameters)}`;
    }
    default:
      return column.holds === "text"
        ? anyOf(testsOf(filter, parameters).map((test) => test.condition(column.sql, "text")))
        : undefined;
  }
}

const normalised = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}\.\d{3}Z)?$/;

function columnValue(value: Scalar, holds: "text" | "number" | "instant"): string | number | undefined {
  switch (holds) {
    case "text":
      return typeof value === "string" ? value : undefined;
    case "number":
      return typeof value === "number" ? value : undefined;
    case "instant": {
      if (typeof value !== "string" || !normalised.test(value)) return undefined;
      const instant = Date.parse(value);
      return Number.isNaN(instant) ? undefined : instant;
    }
  }
}
