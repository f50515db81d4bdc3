import type { Scalar } from "../../../filter/algebra.ts";
import type { Field } from "../../../filter/fields.ts";
import { holdsBsonDates, own, pathOf } from "../layout.ts";
import { type Expression, isType, jsonValue, literal } from "./expressions.ts";

/**
 * Values of fields that pass through no array, as expressions of an aggregation: strict, as everywhere. They are the
 * value where the stored one has a JSON type that the field declares, and null, or missing, otherwise. Dates are BSON
 * dates only where all that may stand there is of one form; elsewhere they are text, for as such do they stand beside
 * other strings, in order too.
 */

/** @param regular every stored value is of a declared type, and every date of the declared form */
export function valueIn(field: Field, regular: boolean): Expression {
  return declaredValue(field, reference(field), regular);
}

/**
 * The different elements of the array that the field holds, each as {@link valueIn} has values; null where it has none. A
 * value that stands where an array is declared counts as an array of itself.
 */
export function elementsIn(field: Field, regular: boolean): Expression {
  const path = reference(field);
  const array = { $cond: [{ $isArray: [path] }, path, [path]] };
  const elements = { $map: { input: array, as: "e", in: declaredValue(field, "$$e", regular) } };
  return { $setUnion: [{ $cond: [{ $eq: [array, []] }, [null], elements] }] };
}

function declaredValue(field: Field, path: string, regular: boolean): Expression {
  if (regular) return holdsBsonDates(field) && field.kinds.length > 1 ? jsonValue(field, path) : path;
  const { text, number, boolean } = declared(field);
  const types = [
    ...(text ? ["string", "date"] : []),
    ...(number ? ["int", "long", "double", "decimal"] : []),
    ...(boolean ? ["bool"] : []),
  ];
  return { $cond: [{ $in: [{ $type: path }, types] }, text ? jsonValue(field, path) : path, null] };
}

/** The value where it has a least and a greatest: numbers and strings do, booleans do not. */
export function comparableOf(field: Field, regular: boolean): Expression {
  const value = valueIn(field, regular);
  if (!declared(field).boolean) return value;
  return { $cond: [isType(value, "bool"), null, value] };
}

/** Whether the values may be texts of any length. */
export function mayBeLong(field: Field, regular: boolean): boolean {
  return field.kinds.includes("string") || (!regular && declared(field).text);
}

/** Reads an answer's {@link valueIn}. */
export function valueReader(field: Field): (value: unknown) => Scalar | null {
  const isDay = !field.kinds.includes("date-time");
  return (value) => {
    switch (typeof value) {
      case "string":
      case "number":
      case "boolean":
        return value;
      default:
        if (value === null || value === undefined) return null;
        if (value instanceof Date) return isDay ? value.toISOString().slice(0, 10) : value.toISOString();
        throw new TypeError("a group's key is a scalar");
    }
  };
}

/** The date that groups into periods, where the stored value is one of a form that the field declares. */
export function dateOf(field: Field, regular: boolean): Expression {
  const path = reference(field);
  const days = field.kinds.includes("date");
  const instants = field.kinds.includes("date-time");
  if (regular && field.kinds.every((kind) => kind === "date" || kind === "date-time")) return path;
  const isDay = { $in: [literal(field.path), { $ifNull: [`$${own.days}`, []] }] };
  const date = days && instants ? path : { $cond: [isDay, days ? path : null, instants ? path : null] };
  const ofText = { $cond: [isType(path, "string"), parsed(path, days, instants), null] };
  return { $cond: [isType(path, "date"), date, ofText] };
}

/** A path that is a value for expressions. Elements of arrays on the way make it an array, which is no scalar. */
export function reference(field: Field): string {
  return `$${pathOf(field)}`;
}

function declared({ kinds }: Field): {
  readonly text: boolean;
  readonly number: boolean;
  readonly boolean: boolean;
} {
  return {
    text: kinds.some((kind) => kind === "string" || kind === "date" || kind === "date-time"),
    number: kinds.some((kind) => kind === "integer" || kind === "number"),
    boolean: kinds.includes("boolean"),
  };
}

const forms = {
  days: "[0-9]{4}-[0-9]{2}-[0-9]{2}",
  instants: "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z",
};

/** The date of a text in stored form; null of days that no month has, which servers may carry over into the next. */
function parsed(path: string, days: boolean, instants: boolean): Expression {
  const wanted = [...(days ? [forms.days] : []), ...(instants ? [forms.instants] : [])];
  const date = { $dateFromString: { dateString: path, onError: null } };
  const isSameDay = {
    $eq: [{ $dateToString: { date: "$$date", format: "%Y-%m-%d" } }, { $substrBytes: [path, 0, 10] }],
  };
  return {
    $cond: [
      { $regexMatch: { input: path, regex: `\\A(?:${wanted.join("|")})\\z` } },
      { $let: { vars: { date }, in: { $cond: [isSameDay, "$$date", null] } } },
      null,
    ],
  };
}
