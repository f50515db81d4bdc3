import { Binary } from "mongodb";
import type { Scalar } from "../../../filter/algebra.ts";
import { type Field, passesArray } from "../../../filter/fields.ts";
import { MIDNIGHT } from "../../../filter/instants.ts";
import { type OrderKey, ordersByInstant } from "../../../filter/order.ts";
import type { Regularity } from "../engine.ts";
import { columns, holdsBsonDates, own } from "../layout.ts";

/**
 * Fields inside expressions of an aggregation (and of `$expr`). There a path through an array is an array of what its
 * elements have, so that walking it takes no more than was declared; `$lines.0` is a member named 0, never a place in an
 * array.
 */
export type Expression =
  | string
  | number
  | boolean
  | null
  | Date
  | Binary
  | readonly Expression[]
  | { readonly [name: string]: Expression };

/** Which fields are regular. */
export type Fit = Pick<Regularity, "isRegular">;

/** A constant, whatever its text looks like. */
export const literal = (value: Scalar | Date | null): Expression => ({ $literal: value });

/** Whether an expression is neither null nor missing. */
export const isPresent = (value: Expression): Expression => ({ $gt: [value, null] });

export const isType = (value: Expression, type: string): Expression => ({ $eq: [{ $type: value }, type] });

/**
 * An array of the values that the field's path reaches, as they are stored, without null. An array where the field's own
 * value is declared as one counts element by element; without `elements`, as one value.
 */
export function reachedValues(field: Field, fit: Fit, elements = true): Expression {
  const regular = fit.isRegular(field);
  const { arrays } = field;
  const segments = storedSegments(field);
  const last = segments.length - 1;

  let list: Expression | undefined;
  let single: Expression = "$$ROOT";
  /** Members not yet asked for. */
  let names: string[] = [];
  const ask = () => {
    const wanted = names;
    names = [];
    if (wanted.length === 0) return;
    if (list === undefined) single = memberOf(single, wanted, regular);
    else list = { $map: { input: list, as: "e", in: memberOf("$$e", wanted, regular) } };
  };
  for (const [at, segment] of segments.entries()) {
    names.push(segment);
    if (arrays[at] !== true || (at === last && !elements)) continue;
    ask();
    list = list === undefined ? asArray(single) : flattened(list);
  }
  ask();
  if (list !== undefined) return { $filter: { input: list, as: "e", cond: isPresent("$$e") } };
  return withValue(single, (value) => ({ $cond: [isPresent(value), [value], []] }));
}

function storedSegments({ path, segments }: Field): readonly string[] {
  return path === "id" ? [columns.id] : segments;
}

/** Of an object; where an array may stand on the way it has no members. */
function memberOf(value: Expression, names: readonly string[], regular: boolean): Expression {
  if (regular && typeof value === "string") return pathIn(value, names);
  const [name, ...others] = names;
  if (name === undefined) return value;
  const direct = value === "$$ROOT" ? pathIn(value, [name]) : memberOfObject(value, name);
  return memberOf(direct, others, false);
}

function memberOfObject(value: Expression, name: string): Expression {
  return withValue(value, (object) => ({
    $cond: [isType(object, "object"), pathIn(object, [name]), null],
  }));
}

function pathIn(reference: string, names: readonly string[]): string {
  return reference === "$$ROOT" ? `$${names.join(".")}` : [reference, ...names].join(".");
}

/** A value that stands where an array is declared counts as an array of itself. */
function asArray(value: Expression): Expression {
  return withValue(value, (array) => ({ $cond: [{ $isArray: [array] }, array, [array]] }));
}

function flattened(list: Expression): Expression {
  return {
    $reduce: { input: list, initialValue: [], in: { $concatArrays: ["$$value", asArray("$$this")] } },
  };
}

/** An expression over a value that is made once. */
function withValue(value: Expression, over: (reference: string) => Expression): Expression {
  if (typeof value === "string") return over(value);
  return { $let: { vars: { v: value }, in: over("$$v") } };
}

/**
 * What a stored value is in JSON: the text of a BSON date, anything else as it is. Which form the text has stands beside
 * the document: a day where its place is one of `days`. Of a field through arrays every midnight counts as a day where
 * any of its values is one.
 */
export function jsonValue(field: Field, value: Expression): Expression {
  const day = { $dateToString: { date: value, format: "%Y-%m-%d" } };
  const instant = { $dateToString: { date: value, format: "%Y-%m-%dT%H:%M:%S.%LZ" } };
  const text = { $cond: [isDay(field, value), day, instant] };
  return { $cond: [isType(value, "date"), text, value] };
}

function isDay(field: Field, value: Expression): Expression {
  const days = { $ifNull: [`$${own.days}`, []] };
  if (!passesArray(field)) return { $in: [literal(field.path), days] };
  const parts = field.segments.map(
    (segment, at) => escaped(segment) + (field.arrays[at] === true ? "(?:\\.[0-9]+)?" : ""),
  );
  const isOfField = { $regexMatch: { input: "$$day", regex: { $literal: `^${parts.join("\\.")}\\z` } } };
  return {
    $and: [
      { $anyElementTrue: [{ $map: { input: days, as: "day", in: isOfField } }] },
      { $eq: [{ $dateToString: { date: value, format: "%H:%M:%S.%L" } }, "00:00:00.000"] },
    ],
  };
}

/** A text for a pattern in which it stands for itself. */
export function escaped(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

/** Whether a key is what documents are sorted by as they are: BSON orders the values, and null and missing are one. */
export function ordersNatively(field: Field, fit: Fit): boolean {
  if (!fit.isRegular(field) || passesArray(field)) return false;
  const types = typesOf(field);
  if (types.size === 0 || types.has("object")) return false;
  // BSON has dates after booleans. Texts of a day and of its midnight are one only as dates.
  return holdsBsonDates(field) ? !types.has("bool") : !ordersByInstant(field);
}

/**
 * What documents are sorted by under a key that is not {@link ordersNatively}: null or a value that BSON orders as
 * `filter/order.ts` says.
 */
export function orderValue({ field, descending }: OrderKey, fit: Fit): Expression {
  const types = typesOf(field);
  const [type] = types.size === 1 ? types : [];
  const asText = !fit.isRegular(field) || types.size !== 1 || !holdsBsonDates(field);
  const key = (value: Expression) => keyOf(field, value, type, asText);
  const reached = reachedValues(field, fit);
  if (!passesArray(field)) return { $let: { vars: { of: { $first: [reached] } }, in: key("$$of") } };
  const keys = { $map: { input: reached, as: "of", in: key("$$of") } };
  return descending ? { $max: keys } : { $min: keys };
}

/** Types of JSON. */
type JsonType = "number" | "string" | "bool" | "object";

function typesOf({ kinds }: Field): ReadonlySet<JsonType> {
  return new Set(
    kinds.map((kind): JsonType => {
      if (kind === "integer" || kind === "number") return "number";
      return kind === "boolean" ? "bool" : kind === "object" ? kind : "string";
    }),
  );
}

/** Objects are equal among themselves, arrays likewise; BSON has binary data after objects and before booleans. */
const anyObject: Expression = { $literal: {} };
const anyArray: Expression = { $literal: new Binary() };

/** @param only values of other types count as absent */
function keyOf(field: Field, value: Expression, only: JsonType | undefined, asText: boolean): Expression {
  const stored = asText ? textKey(field, value) : value;
  switch (only) {
    case "number":
      return { $cond: [{ $isNumber: value }, value, null] };
    case "bool":
      return { $cond: [isType(value, "bool"), value, null] };
    case "object":
      return { $cond: [isType(value, "object"), anyObject, null] };
    case "string":
      return { $cond: [{ $in: [{ $type: value }, ["string", "date"]] }, stored, null] };
    default:
      return chosen(
        [isType(value, "object"), anyObject],
        [isType(value, "array"), anyArray],
        [isPresent(value), stored],
      );
  }
}

/** The value of the first condition that holds; null where none does. */
function chosen(...cases: readonly (readonly [Expression, Expression])[]): Expression {
  return cases.reduceRight(
    (others: Expression, [condition, value]) => ({ $cond: [condition, value, others] }),
    null,
  );
}

/** Of a field of both kinds of date a day counts as its midnight. */
function textKey(field: Field, value: Expression): Expression {
  const json = jsonValue(field, value);
  if (!ordersByInstant(field)) return json;
  const isDayText = {
    $and: [
      isType("$$text", "string"),
      {
        $regexMatch: {
          input: { $cond: [isType("$$text", "string"), "$$text", ""] },
          regex: { $literal: "^[0-9]{4}-[0-9]{2}-[0-9]{2}\\z" },
        },
      },
    ],
  };
  return {
    $let: {
      vars: { text: json },
      in: { $cond: [isDayText, { $concat: ["$$text", MIDNIGHT] }, "$$text"] },
    },
  };
}
