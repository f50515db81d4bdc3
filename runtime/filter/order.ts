import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { compareText } from "../text-order.ts";
import { documentFields, type Field, type FieldKind, passesArray } from "./fields.ts";
import { MIDNIGHT } from "./instants.ts";
import { reaches } from "./predicate.ts";

/**
 * The order of a list. Null and missing come first; mixed kinds: numbers, strings (by code point), objects, arrays,
 * booleans (false before true); objects are equal among themselves, arrays likewise. Descending is the exact reverse of
 * ascending, nulls last.
 *
 * A field whose kinds are of one JSON type (integers and numbers are one, dates and other strings too) orders by values
 * of this type alone: a stored value of another one, an older document's, counts as absent, as it does in comparisons. A
 * field of several types, or of none, orders whatever is stored.
 *
 * A path through arrays counts by the smallest non-null value that it reaches ascending, by the largest descending; one
 * that reaches none is null. A field of both kinds of date orders by instants, a day as its midnight; every other one by
 * the strings themselves.
 */
export type Order = readonly OrderKey[];

export interface OrderKey {
  readonly field: Field;
  readonly descending: boolean;
}

/** Of one key; null where the document has none. */
export type OrderValue = string | number | boolean | null;

/** A place in an order: one value for each of its keys. Documents come after it or not, whether or not one is there. */
export type Position = readonly OrderValue[];

/** Creation time, then id (spec: List query parameters). */
export const defaultOrder: Order = [
  { field: documentFields["_meta.created_at"], descending: false },
  { field: documentFields.id, descending: false },
];

/** Ordered by these keys, then by id unless they name it. */
export function orderBy(keys: readonly OrderKey[]): Order {
  const namesId = keys.some(({ field }) => field.path === documentFields.id.path);
  return namesId ? keys : [...keys, { field: documentFields.id, descending: false }];
}

/**
 * Whether documents have positions in the order: every key is of one kind of scalar (integers and numbers are one, dates
 * and instants are one) and passes no array (spec: Cursor paging 5).
 */
export function isSeekable(order: Order): boolean {
  return order.every(({ field }) => {
    const [kind, ...others] = new Set(field.kinds.map((of) => likeKinds[of]));
    return kind !== undefined && kind !== "object" && others.length === 0 && !passesArray(field);
  });
}

const likeKinds = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  "date-time": "instant",
  date: "instant",
  object: "object",
} as const satisfies Record<FieldKind, string>;

/** The document's place in a seekable order. */
export function positionOf(order: Order, document: JsonObject): Position {
  return order.map(({ field, descending }) => {
    const value = orderedValue(field, descending)(document);
    return typeof value === "object" ? null : value;
  });
}

/** Compares documents: negative when the first comes first, 0 when the order leaves them equal. */
export function compareDocuments(order: Order): (a: JsonObject, b: JsonObject) => number {
  const comparisons = order.map(({ field, descending }) => {
    const value = orderedValue(field, descending);
    return (a: JsonObject, b: JsonObject) =>
      descending ? compareValues(value(b), value(a)) : compareValues(value(a), value(b));
  });
  return (a, b) => {
    for (const comparison of comparisons) {
      const difference = comparison(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

/** Whether the field orders by instants: a day and its midnight are equal. */
export function ordersByInstant({ kinds }: Field): boolean {
  return kinds.includes("date") && kinds.includes("date-time");
}

const day = /^\d{4}-\d{2}-\d{2}$/;

/** What documents count by under a key: null, or one of the values that their field reaches. */
function orderedValue(field: Field, descending: boolean): (document: JsonObject) => JsonValue {
  const [rank, ...others] = new Set(field.kinds.map((kind) => kindRanks[kind]));
  const only = others.length === 0 ? rank : undefined;
  const byInstant = ordersByInstant(field);

  return (document) => {
    let found: JsonValue = null;
    const consider = (stored: JsonValue) => {
      if (only !== undefined && rankOf(stored) !== only) return false;
      const value =
        byInstant && typeof stored === "string" && day.test(stored) ? `${stored}${MIDNIGHT}` : stored;
      const difference = found === null ? 0 : compareValues(value, found);
      if (found === null || (descending ? difference > 0 : difference < 0)) found = value;
      return false;
    };
    reaches(document, field, consider, true);
    return found;
  };
}

const NUMBER = 1;
const TEXT = 2;
const OBJECT = 3;
const ARRAY = 4;
const BOOLEAN = 5;

const kindRanks = {
  string: TEXT,
  integer: NUMBER,
  number: NUMBER,
  boolean: BOOLEAN,
  "date-time": TEXT,
  date: TEXT,
  object: OBJECT,
} as const satisfies Record<FieldKind, number>;

/** Null is before everything. */
function rankOf(value: JsonValue): number {
  switch (typeof value) {
    case "number":
      return NUMBER;
    case "string":
      return TEXT;
    case "boolean":
      return BOOLEAN;
    default:
      return value === null ? 0 : isJsonObject(value) ? OBJECT : ARRAY;
  }
}

function compareValues(a: JsonValue, b: JsonValue): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  return rankOf(a) - rankOf(b);
}
