import type { BucketUnit } from "../buckets.ts";

/**
 * The start of the period that holds an instant, found without any arithmetic of ours over time zones: by asking what
 * clocks showed, to the minute. For instants since 1970.
 */
export function periodStart(instant: string, unit: BucketUnit, zone: string): string {
  const at = Date.parse(instant);
  if (unit === "hour") {
    const minute = 60_000;
    const { hour } = clock(at, zone);
    let start = Math.floor(at / minute) * minute;
    // What shows the same hour with the same offset is one piece.
    for (const step of [16 * minute, 4 * minute, minute])
      while (clock(start - step, zone).hour === hour) start -= step;
    return new Date(start).toISOString();
  }
  const day = clock(at, zone).day;
  const first = firstDayOf(day, unit);
  return dayStart(first, zone);
}

const starts = new Map<string, string>();

/** The first instant, of those that begin a quarter of an hour, on which clocks show this day or a later one. */
export function dayStart(day: string, zone: string): string {
  const key = `${day} ${zone}`;
  const known = starts.get(key);
  if (known !== undefined) return known;
  const quarter = 15 * 60_000;
  let at = Date.parse(day) - 16 * 4 * quarter;
  while (clock(at, zone).day < day) at += quarter;
  const start = new Date(at).toISOString();
  starts.set(key, start);
  return start;
}

function firstDayOf(day: string, unit: Exclude<BucketUnit, "hour">): string {
  const [year, month] = [day.slice(0, 4), Number(day.slice(5, 7))];
  switch (unit) {
    case "day":
      return day;
    case "week": {
      const date = new Date(day);
      while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
      return date.toISOString().slice(0, 10);
    }
    case "month":
      return `${day.slice(0, 7)}-01`;
    case "quarter":
      return `${year}-${month < 4 ? "01" : month < 7 ? "04" : month < 10 ? "07" : "10"}-01`;
    case "year":
      return `${year}-01-01`;
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** What a clock in the zone shows: the day, and the hour with its offset, so that a repeated hour is two. */
export function clock(at: number, zone: string): { readonly day: string; readonly hour: string } {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      timeZoneName: "longOffset",
    });
  formats.set(zone, format);
  const parts = new Map<string, string>(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const day = ["year", "month", "day"].map((part) => parts.get(part)).join("-");
  return { day, hour: `${day} ${parts.get("hour")} ${parts.get("timeZoneName")}` };
}
