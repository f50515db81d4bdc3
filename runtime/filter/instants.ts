import type { Ordering } from "./algebra.ts";
import type { Field } from "./fields.ts";

/**
 * Dates compare as instants, and a `date` stands for its midnight UTC, so the same instant has two stored forms. Both
 * sort together as strings, the short one first, with nothing but fractions of that midnight between them. Comparing
 * with the right one of the two is therefore enough; stored values need no conversion.
 */
export interface MidnightForms {
  /** `2026-03-01`. */
  readonly short: string;
  /** `2026-03-01T00:00:00.000Z`. */
  readonly long: string;
}

/** What makes the instant of a day of its midnight. */
export const MIDNIGHT = "T00:00:00.000Z";

const midnight = /^\d{4}-\d{2}-\d{2}(?:T00:00:00\.000Z)?$/;

/** Both forms of a midnight that a date field is compared with; undefined for other values and fields. */
export function midnightForms(field: Field, value: unknown): MidnightForms | undefined {
  if (typeof value !== "string" || !holdsDates(field) || !midnight.test(value)) return undefined;
  const short = value.slice(0, 10);
  return { short, long: `${short}${MIDNIGHT}` };
}

/** What the field's stored strings are compared with: of the two forms of a midnight the one that the operator wants. */
export function boundOf<T extends string | number>(field: Field, op: Ordering, bound: T): T | string {
  const forms = midnightForms(field, bound);
  if (forms === undefined) return bound;
  return op === "lt" || op === "gte" ? forms.short : forms.long;
}

function holdsDates(field: Field): boolean {
  return field.kinds.includes("date-time") || field.kinds.includes("date");
}
