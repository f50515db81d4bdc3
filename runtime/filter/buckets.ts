import { MIDNIGHT } from "./instants.ts";
import { zones } from "./zones.ts";

/** Periods that dates are grouped by. Weeks start on Monday. */
export const bucketUnits = ["hour", "day", "week", "month", "quarter", "year"] as const;
export type BucketUnit = (typeof bucketUnits)[number];

const hour = 3_600_000;
/** Local time is never further from UTC; clocks do not change twice within twice as much. */
const furthest = 16 * hour;
/** The first instant that has a stored form; local days of years before 0 count as its day. */
const earliest = Date.parse("0000-01-01");

const namesOfUtc = /^(?:(?:etc\/)?(?:utc|uct|universal|zulu|gmt|gmt[+-]?0|greenwich))$/i;

/** Whether it is an IANA time zone that this server knows, such as `Europe/Berlin`. */
export function isTimeZone(zone: string): boolean {
  return namesOfUtc.test(zone) || zones.has(zone);
}

/** Whether local time is UTC by definition. */
export function isUtc(zone: string): boolean {
  return namesOfUtc.test(zone);
}

/**
 * The instant at which a local day (`2026-03-01`) begins, in its stored form. That is midnight, the first of two where
 * clocks are put back over it, and the first instant after where there is none, for clocks skip it or the whole day.
 */
export function startOfDay(day: string, zone: string): string {
  const midnight = `${day}${MIDNIGHT}`;
  if (isUtc(zone)) return midnight;
  const local = Date.parse(midnight);
  const [from, to] = [local - furthest, local + furthest];
  const change = zones.changeBetween(zone, from, to);
  const before = local - zones.offsetAt(zone, from);
  const start = before < change ? before : Math.max(change, local - zones.offsetAt(zone, to));
  return new Date(Math.max(start, earliest)).toISOString();
}

/**
 * An instant as a clock in the zone shows it, in RFC 3339: `2026-03-01T00:00:00.000+01:00`; UTC itself with `Z`, others
 * that are level with it with `+00:00`. Offsets that were no full minutes, as before there was standard time, are
 * rounded up, and so is the time shown: the instant stays, and the day. In UTC where the year shown would not have four
 * digits.
 * @param instant in its stored form
 */
export function formatInZone(instant: string, zone: string): string {
  if (isUtc(zone)) return instant;
  const at = Date.parse(instant);
  const minutes = Math.ceil(zones.offsetAt(zone, at) / 60_000);
  const shown = new Date(at + minutes * 60_000).toISOString();
  if (shown.length > instant.length) return instant;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${shown.slice(0, -1)}${minutes < 0 ? "-" : "+"}${twoDigits(hours)}:${twoDigits(rest)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
