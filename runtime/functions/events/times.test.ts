/** Times of schedules where clocks change. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kept } from "../../kept.ts";
import { runs } from "../../testing/random.ts";
import { type Times, timesReader } from "./times.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

/** Zones with a day on which their clock is set forward, and one on which it is set back; among them half an hour, midnight, and a whole day. */
const changes: readonly (readonly [zone: string, ...days: string[]])[] = [
  ["Europe/Berlin", "2026-03-29", "2026-10-25"],
  ["Europe/London", "2026-03-29", "2026-10-25"],
  ["America/New_York", "2026-03-08", "2026-11-01"],
  ["America/St_Johns", "2026-03-08", "2026-11-01"],
  ["America/Santiago", "2025-09-07", "2026-04-05"],
  ["Australia/Lord_Howe", "2025-10-05", "2026-04-05"],
  ["Pacific/Chatham", "2025-09-28", "2026-04-05"],
  ["Asia/Beirut", "2025-03-30", "2025-10-26"],
  ["Pacific/Apia", "2011-12-30"],
  ["Asia/Kolkata", "2026-03-29"],
];

async function timesOf(cron: string, timezone: string): Promise<Times> {
  return (await timesReader())({ cron, timezone });
}

/** All of `from` to `to`, one from the other. */
function walk(times: Times, from: number, to: number): number[] {
  const found: number[] = [];
  for (let at = times.after(from); at !== undefined && at <= to; at = times.after(at)) found.push(at);
  return found;
}

function iso(times: readonly number[]): string[] {
  return times.map((time) => new Date(time).toISOString().slice(0, 16));
}

describe("Where the clock is set forward, or back, in Europe/Berlin", () => {
  test.each([
    ["30 2 * * *", ["2026-03-29T01:00", "2026-03-30T00:30"], ["2026-10-25T00:30", "2026-10-26T01:30"]],
    [
      "30 2,14 * * *",
      ["2026-03-29T01:00", "2026-03-29T12:30", "2026-03-30T00:30"],
      ["2026-10-25T00:30", "2026-10-25T13:30", "2026-10-26T01:30"],
    ],
    [
      "0,30 2 * * *",
      ["2026-03-29T01:00", "2026-03-30T00:00", "2026-03-30T00:30"],
      ["2026-10-25T00:00", "2026-10-25T00:30", "2026-10-26T01:00", "2026-10-26T01:30"],
    ],
    [
      "30 1-3 * * *",
      ["2026-03-29T00:30", "2026-03-29T01:00", "2026-03-29T01:30", "2026-03-29T23:30", "2026-03-30T00:30"],
      ["2026-10-24T23:30", "2026-10-25T00:30", "2026-10-25T02:30", "2026-10-26T00:30"],
    ],
    ["0 3 * * SUN", ["2026-03-29T01:00"], ["2026-10-25T02:00"]],
    // Every hour is one that goes by.
    [
      "30 * * * *",
      undefined,
      ["2026-10-24T23:30", "2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"],
    ],
  ])("'%s' comes then", async (cron, forward, back) => {
    const times = await timesOf(cron, "Europe/Berlin");
    const [spring, autumn] = [Date.parse("2026-03-28T23:00:00Z"), Date.parse("2026-10-24T22:59:00Z")];
    if (forward !== undefined)
      expect(iso(walk(times, spring, spring + 2 * day)).slice(0, forward.length)).toEqual(forward);
    expect(iso(walk(times, autumn, autumn + 3 * day)).slice(0, back.length)).toEqual(back);
  });
});

/** What the clock shows at each minute of some days, told apart from what is tested by another way to ask. */
function shownAround(timezone: string, date: string): readonly (readonly [time: number, shown: string])[] {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: timezone,
    ...{ dateStyle: "short", timeStyle: "short" },
  });
  const from = Date.parse(`${date}T00:00:00Z`) - 2 * day;
  return Array.from({ length: (4 * day) / minute }, (_, at) => {
    const time = from + at * minute;
    return [time, format.format(time)] as const;
  });
}

interface Line {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly cron: string;
}

/** A list, a range, or a range in steps, none of them with `*`. */
function field(most: number): fc.Arbitrary<{ values: readonly number[]; text: string }> {
  const some = fc.uniqueArray(fc.integer({ min: 0, max: most }), { minLength: 1, maxLength: 4 });
  const range = fc
    .tuple(fc.integer({ min: 0, max: most }), fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 3 }))
    .map(([from, length, step]) => {
      const to = Math.min(most, from + length);
      const values = Array.from({ length: to - from + 1 }, (_, at) => from + at).filter(
        (value) => (value - from) % step === 0,
      );
      return { values, text: `${from}-${to}${step === 1 ? "" : `/${step}`}` };
    });
  return fc.oneof(
    some.map((values) => ({ values, text: values.join(",") })),
    range,
  );
}

const lines: fc.Arbitrary<Line> = fc
  .tuple(field(59), fc.oneof(field(23), field(4)))
  .map(([minutes, hours]) => ({
    minutes: minutes.values,
    hours: hours.values,
    cron: `${minutes.text} ${hours.text} * * *`,
  }));

test.each(changes.flatMap(([zone, ...days]) => days.map((date) => [zone, date] as const)))(
  "lines without * in hour and minute come once on each of their days in %s around %s, whatever their form",
  { timeout: 120_000 },
  async (zone, date) => {
    const shown = shownAround(zone, date);
    const dates = [...new Set(shown.map(([, text]) => text.slice(0, 10)))];
    // Days that the calendar leaves out are among them.
    const all = Array.from({ length: 6 }, (_, at) =>
      new Date(Date.parse(`${dates[0]}T00:00:00Z`) + at * day).toISOString().slice(0, 10),
    );
    const [first = 0, last = 0] = [shown[0]?.[0], shown.at(-1)?.[0]];
    const firsts = new Map([...shown].reverse().map(([time, text]) => [text, time]));
    const firstOf = (text: string) =>
      kept(firsts, text, () => shown.find(([, now]) => now > text)?.[0] ?? Number.POSITIVE_INFINITY);
    const two = (value: number) => String(value).padStart(2, "0");
    await fc.assert(
      fc.asyncProperty(lines, async ({ minutes, hours, cron }) => {
        const named = all.flatMap((each) =>
          hours.flatMap((hour) => minutes.map((at) => `${each} ${two(hour)}:${two(at)}`)),
        );
        const expected = new Set(
          named.map(firstOf).filter((time) => time > first + day && time < last - day),
        );
        const times = await timesOf(cron, zone);
        const sorted = [...expected].sort((a, b) => a - b);
        expect(iso(walk(times, first + day, last - day - 1)), cron).toEqual(iso(sorted));
        // Backwards, at some of them.
        for (const [at, time] of sorted.entries()) {
          if (at % Math.ceil(sorted.length / 8) > 0) continue;
          expect(times.until(time), cron).toBe(time);
          if (at > 0) expect(times.until(time - 1), cron).toBe(sorted[at - 1]);
        }
      }),
      { numRuns: runs(200) },
    );
  },
);
