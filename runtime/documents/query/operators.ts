import {
  between,
  compare,
  eq as equals,
  equalsArray,
  exists,
  type Filter,
  isIn,
  like,
  not,
  type Ordering,
  or,
  type Scalar,
  type TextMatch,
  text,
} from "../../filter/algebra.ts";
import type { Field } from "../../filter/fields.ts";
import {
  isOperatorName,
  type OperatorName,
  operatorEntries,
  type WhereOperator,
  whereOperators,
} from "../../filter/operators.ts";
import type { JsonValue } from "../../json.ts";
import { codePointLength } from "../../validation/text.ts";
import { holdsObjects, type Reading, readElements, readNull, readScalar, readText } from "./values.ts";

/** Code points of a text operator's value, and wildcards of a pattern (spec: Limits). */
const textLength = 256;
const wildcards = 4;

/**
 * Reads an operator's value into what it asks of the field.
 * @param refuse told each reason why it cannot be
 * @returns undefined where anything was refused
 */
type Operator = (field: Field, value: JsonValue, refuse: (reason: string) => void) => Filter | undefined;

const eq: Operator = (field, value, refuse) => taken(readEqual(field, value), refuse);

const isAnyOf: Operator = (field, value, refuse) => {
  if (!Array.isArray(value)) return refused("must be an array", refuse);
  const scalars: Scalar[] = [];
  /** What a leaf each stands for, null and whole arrays, by their text: once each. */
  const others = new Map<string, Filter>();
  let isValid = true;
  for (const [at, element] of value.entries()) {
    const reading = isScalar(element) ? readScalar(field, element) : readEqual(field, element);
    if ("problem" in reading) {
      refuse(`element ${at} ${reading.problem}`);
      isValid = false;
    } else if (typeof reading.value === "object") others.set(JSON.stringify(element), reading.value);
    else scalars.push(reading.value);
  }
  return isValid ? or(isIn(field, scalars), ...others.values()) : undefined;
};

const isBetween: Operator = (field, value, refuse) => {
  if (!Array.isArray(value) || value.length !== 2) return refused("must be an array [min, max]", refuse);
  const [min, max] = value.map((bound, at) =>
    taken(readBound(field, bound), (reason) => refuse(`${at === 0 ? "min" : "max"} ${reason}`)),
  );
  if (min === undefined || max === undefined) return undefined;
  if (typeof min !== typeof max) return refused("min and max must be of one type", refuse);
  return between(field, min, max);
};

const isNull: Operator = (field, value, refuse) => {
  if (typeof value !== "boolean") return refused("must be true or false", refuse);
  return value ? not(exists(field)) : exists(field);
};

function ordered(op: Ordering): Operator {
  return (field, value, refuse) => {
    const bound = taken(readBound(field, value), refuse);
    return bound === undefined ? undefined : compare(op, field, bound);
  };
}

function matching(op: TextMatch, ignoreCase: boolean): Operator {
  return (field, value, refuse) => {
    const part = taken(readPart(value), refuse);
    return part === undefined ? undefined : text(op, field, part, ignoreCase);
  };
}

function patterned(ignoreCase: boolean): Operator {
  return (field, value, refuse) => {
    const pattern = taken(readPart(value), refuse);
    if (pattern === undefined) return undefined;
    if (pattern.replace(/[^%_]/g, "").length > wildcards) {
      return refused(`must have at most ${wildcards} wildcards (% and _)`, refuse);
    }
    return like(field, pattern, ignoreCase);
  };
}

/** The exact opposite, on missing fields and on arrays too. */
function opposite(operator: Operator): Operator {
  return (field, value, refuse) => {
    const filter = operator(field, value, refuse);
    return filter === undefined ? undefined : not(filter);
  };
}

/** How each operator's value is read. */
const readers: Readonly<Record<OperatorName, Operator>> = {
  $eq: eq,
  $ne: opposite(eq),
  $gt: ordered("gt"),
  $gte: ordered("gte"),
  $lt: ordered("lt"),
  $lte: ordered("lte"),
  $in: isAnyOf,
  $nin: opposite(isAnyOf),
  $between: isBetween,
  $isNull: isNull,
  $notNull: opposite(isNull),
  $like: patterned(false),
  $ilike: patterned(true),
  $startsWith: matching("startsWith", false),
  $istartsWith: matching("startsWith", true),
  $endsWith: matching("endsWith", false),
  $iendsWith: matching("endsWith", true),
  $contains: matching("contains", false),
  $icontains: matching("contains", true),
};

/** Why operators that are for others do not apply to a field; undefined: they do (api-decisions, Queries). */
function mismatch({ on, takes }: WhereOperator, field: Field, value: JsonValue): string | undefined {
  if (on === "all") return undefined;
  if (holdsObjects(field) && field.nullable && asksForNull(takes, value)) return undefined;
  if (holdsObjects(field))
    return "the field holds objects, which take only $isNull and $notNull; name a field inside";
  if (on === "ordered" && field.kinds.every((kind) => kind === "boolean" || kind === "object"))
    return "the field holds booleans, which have no order";
  if (on === "text" && !field.kinds.includes("string")) return "text operators apply to strings only";
  return undefined;
}

/** Whether an operator is asked of nothing but null, which a field may be that holds no values otherwise (spec: where 3). */
function asksForNull(takes: WhereOperator["takes"], value: JsonValue): boolean {
  if (takes === "value") return value === null;
  return takes === "values" && Array.isArray(value) && value.every((each: JsonValue) => each === null);
}

/** Operators by their names. */
export type Operators = ReadonlyMap<string, Operator>;

/** The operators of a field (spec: where 3). */
export const operators: Operators = new Map(
  operatorEntries.map(([name, operator]) => [name, applicable(operator, readers[name])]),
);

/** The operators of subscriptions: those that compare values (spec: Realtime stream, Subscription rules 1). */
export const comparisons: Operators = new Map(
  [...operators].filter(([name]) => isOperatorName(name) && whereOperators[name].on !== "text"),
);

function applicable(declared: WhereOperator, operator: Operator): Operator {
  return (field, value, refuse) => {
    const reason = mismatch(declared, field, value);
    return reason === undefined ? operator(field, value, refuse) : refused(reason, refuse);
  };
}

/** Null is what reaches no value; an array is the whole array that stands there. */
function readEqual(field: Field, value: JsonValue): Reading<Filter> {
  if (value === null) {
    const reading = readNull(field);
    return "problem" in reading ? reading : { value: not(exists(field)) };
  }
  if (Array.isArray(value)) {
    const reading = readElements(field, value);
    return "problem" in reading ? reading : { value: equalsArray(field, reading.value) };
  }
  const reading = readScalar(field, value);
  return "problem" in reading ? reading : { value: equals(field, reading.value) };
}

function readBound(field: Field, value: JsonValue): Reading<string | number> {
  const reading = readScalar(field, value);
  if ("problem" in reading) return reading;
  return typeof reading.value === "boolean"
    ? { problem: "must be a number or a string" }
    : { value: reading.value };
}

/** Text to look for in strings. */
function readPart(value: JsonValue): Reading<string> {
  const reading = readText(value);
  if ("value" in reading && codePointLength(reading.value) > textLength) {
    return { problem: `must have at most ${textLength} characters` };
  }
  return reading;
}

function isScalar(value: JsonValue): value is Scalar {
  return value !== null && typeof value !== "object";
}

function taken<T>(reading: Reading<T>, refuse: (reason: string) => void): T | undefined {
  return "problem" in reading ? refused(reading.problem, refuse) : reading.value;
}

function refused(reason: string, refuse: (reason: string) => void): undefined {
  refuse(reason);
  return undefined;
}
