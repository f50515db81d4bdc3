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

const midnight = /^\d{4}-\d{2}-\d{2}(?:T00:00:00\.000Z)?$/;

/** Both forms of a midnight that a date field is compared with; undefined for other values and fields. */
export function midnightForms(field: Field, value: unknown): MidnightForms | undefined {
  if (typeof value !== "string" || !holdsDates(field) || !midnight.test(value)) return undefined;
  const short = value.slice(0, 10);
  return { short, long: `${short}T00:00:00.000Z` };
}

function holdsDates(field: Field): boolean {
  return field.kinds.includes("date-time") || field.kinds.includes("date");
}
