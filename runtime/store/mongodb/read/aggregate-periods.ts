import { type BucketUnit, isUtc, startOfDay } from "../../../filter/buckets.ts";
import type { Field } from "../../../filter/fields.ts";
import { zones } from "../../../filter/zones.ts";
import { dateOf } from "./aggregate-values.ts";
import { type Expression, isType } from "./expressions.ts";

const HOUR = 3_600_000;
const earliest = Date.parse("0000-01-01");
const latest = Date.parse("9999-12-31T23:59:59.999Z");

/** Groups by periods: the start of each as the server finds it, a BSON date, and what that is in answers. */
export interface Periods {
  readonly key: Expression;
  read(start: unknown): string | null;
}

/**
 * @param serverZone the time zone's name as the server knows it
 */
export function periodsOf(
  field: Field,
  regular: boolean,
  { unit, zone }: { readonly unit: BucketUnit; readonly zone: string },
  serverZone: string,
): Periods {
  const date = dateOf(field, regular);
  const isDay = !field.kinds.includes("date-time");
  // Days are the same everywhere.
  if (isDay || isUtc(zone)) {
    return { key: truncated(date, unit), read: reader((start) => stored(start).slice(0, isDay ? 10 : 24)) };
  }
  if (unit === "hour") {
    return { key: localHour(date, serverZone), read: reader((start) => startOfHour(start, zone)) };
  }
  return {
    key: truncated(withinCalendar(date, zone), unit, serverZone),
    read: reader((start) => startOfDay(dayAt(start, zone), zone)),
  };
}

function reader(text: (start: number) => string): Periods["read"] {
  return (start) => {
    if (start === null || start === undefined) return null;
    if (!(start instanceof Date)) throw new TypeError("a period begins at a date");
    return text(start.getTime());
  };
}

function truncated(date: Expression, unit: BucketUnit, timezone?: string): Expression {
  return { $dateTrunc: { date, unit, startOfWeek: "monday", ...(timezone !== undefined && { timezone }) } };
}

/** The first week of all begins in a year before 0. */
function stored(instant: number): string {
  return new Date(Math.min(Math.max(instant, earliest), latest)).toISOString();
}

/**
 * The local day that begins at an instant. Where its midnight is skipped or repeated, time zone databases may see its
 * beginning at other instants than we do; of its noon all think the same.
 */
function dayAt(start: number, zone: string): string {
  return zones.dayOf(zone, stored(start + 12 * HOUR));
}

/** Local days stay within the years 0 to 9999: the others count as the first and the last one. */
function withinCalendar(date: Expression, zone: string): Expression {
  const first = earliest - zones.offsetAt(zone, earliest);
  const last = latest - zones.offsetAt(zone, latest);
  const least = first > earliest ? { $max: ["$$date", new Date(first)] } : "$$date";
  const within = last < latest ? { $min: [least, new Date(last)] } : least;
  if (within === "$$date") return date;
  // Absent dates are less than none.
  const guarded = { $cond: [isType("$$date", "date"), within, null] };
  return { $let: { vars: { date }, in: guarded } };
}

/**
 * When the local hour began, so that one that clocks repeat is two. (`$dateTrunc` counts hours from one instant on for
 * the whole history of a zone, in which the local hour did not always begin at the same minute.) Where clocks were changed
 * after what would be its beginning, this is marked by a millisecond, which keeps it apart from the hour before.
 */
function localHour(date: Expression, timezone: string): Expression {
  const local = (part: "$hour" | "$minute" | "$second", of: string) => ({ [part]: { date: of, timezone } });
  const sinceFullHour = {
    $add: [
      { $multiply: [local("$minute", "$$date"), 60_000] },
      { $multiply: [local("$second", "$$date"), 1000] },
      { $millisecond: "$$date" },
    ],
  };
  const isUnchanged = {
    $and: [
      { $eq: [local("$hour", "$$start"), local("$hour", "$$date")] },
      { $eq: [local("$minute", "$$start"), 0] },
      { $eq: [local("$second", "$$start"), 0] },
    ],
  };
  const marked = { $cond: [isUnchanged, "$$start", { $add: ["$$start", 1] }] };
  const start = { $subtract: ["$$date", sinceFullHour] };
  return { $let: { vars: { date }, in: { $let: { vars: { start }, in: marked } } } };
}

function startOfHour(marked: number, zone: string): string {
  const start = Math.floor(marked / 1000) * 1000;
  return stored(start === marked ? start : zones.changeBetween(zone, start, start + HOUR));
}
