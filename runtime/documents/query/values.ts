import type { Scalar } from "../../filter/algebra.ts";
import { storedDate } from "../../filter/dates.ts";
import { type Field, type FieldKind, holdsArray } from "../../filter/fields.ts";
import { MIDNIGHT } from "../../filter/instants.ts";
import { beyondSafeIntegers, type JsonValue } from "../../json.ts";

/** A value of a query as filters compare it, or why its field takes no such value. */
export type Reading<T> = { readonly value: T } | { readonly problem: string };

const names: Readonly<Record<Exclude<FieldKind, "object">, string>> = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  "date-time": "an RFC 3339 date-time",
  date: "an RFC 3339 date",
};

/** Whether nothing but objects is declared there: they are reached into, not compared. */
export function holdsObjects({ kinds }: Field): boolean {
  return kinds.every((kind) => kind === "object");
}

/**
 * A string, number or boolean that the field declares (spec: where 3).
 *
 * Dates of any offset and precision get the form in which they are stored. A field of either date kind takes both: a day
 * stands for its midnight UTC, and they compare as instants.
 */
export function readScalar(field: Field, value: JsonValue): Reading<Scalar> {
  switch (typeof value) {
    case "string":
      return readString(field, value);
    case "number":
      return readNumber(field, value);
    case "boolean":
      return field.kinds.includes("boolean") ? { value } : mismatch(field);
    default:
      return mismatch(field);
  }
}

/** The elements of an array that is compared as a whole; null where the elements may be null. */
export function readElements(
  field: Field,
  values: readonly JsonValue[],
): Reading<readonly (Scalar | null)[]> {
  if (!holdsArray(field)) return { problem: `${mismatch(field).problem}: the field holds no array` };
  const elements: (Scalar | null)[] = [];
  for (const [at, element] of values.entries()) {
    const reading = element === null ? readNull(field) : readScalar(field, element);
    if ("problem" in reading) return { problem: `element ${at} ${reading.problem}` };
    elements.push(reading.value);
  }
  return { value: elements };
}

export function readNull({ nullable }: Field): Reading<null> {
  return nullable ? { value: null } : { problem: "must not be null: use $isNull" };
}

/** Text that is compared with strings. */
export function readText(value: JsonValue): Reading<string> {
  if (typeof value !== "string") return { problem: "must be a string" };
  if (/\0|\p{Surrogate}/u.test(value)) return { problem: "must not hold NUL or a lone surrogate" };
  return { value };
}

function readString(field: Field, given: string): Reading<string> {
  const { kinds } = field;
  if (kinds.includes("string")) return readText(given);
  if (!kinds.includes("date-time") && !kinds.includes("date")) return mismatch(field);
  const instant = storedDate(given, "date-time") ?? midnightOf(storedDate(given, "date"));
  if (instant === undefined) return mismatch(field);
  const isDay = !kinds.includes("date-time") && instant.endsWith(MIDNIGHT);
  return { value: isDay ? instant.slice(0, -MIDNIGHT.length) : instant };
}

function midnightOf(day: string | undefined): string | undefined {
  return day === undefined ? undefined : day + MIDNIGHT;
}

function readNumber(field: Field, value: number): Reading<number> {
  const { kinds } = field;
  const takesFractions = kinds.includes("number");
  if (!takesFractions && !kinds.includes("integer")) return mismatch(field);
  // What overflows a double was read as infinite.
  if (takesFractions) return Number.isFinite(value) ? { value } : { problem: "is too large for a number" };
  if (Number.isFinite(value) && !Number.isInteger(value)) return mismatch(field);
  return Number.isSafeInteger(value) ? { value } : { problem: beyondSafeIntegers };
}

function mismatch({ kinds }: Field): { readonly problem: string } {
  const allowed = kinds.flatMap((kind) => (kind === "object" ? [] : [names[kind]]));
  const last = allowed.at(-1) ?? "null";
  const others = allowed.slice(0, -1);
  return { problem: others.length === 0 ? `must be ${last}` : `must be ${others.join(", ")} or ${last}` };
}
