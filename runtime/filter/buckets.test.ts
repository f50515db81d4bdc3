import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../testing/random.ts";
import { formatInZone, isTimeZone, isUtc, startOfDay } from "./buckets.ts";
import { clock, dayStart, periodStart } from "./testing/periods.ts";
import { zones } from "./zones.ts";

const minute = 60_000;
const hour = 60 * minute;
const stored = (at: number) => new Date(at).toISOString();

/** Days around changes of clocks, and days that begin otherwise than at midnight. */
const changes = [
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["Europe/London", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/Sao_Paulo", "2018-11-04"],
  ["America/Sao_Paulo", "2018-02-18"],
  ["America/Havana", "2026-03-08"],
  ["America/Havana", "2026-11-01"],
  ["America/St_Johns", "2006-10-29"],
  ["America/Caracas", "2016-05-01"],
  ["America/Santiago", "2026-09-06"],
  ["Asia/Beirut", "2022-03-27"],
  ["Asia/Tehran", "2021-03-22"],
  ["Asia/Kathmandu", "1986-01-01"],
  ["Asia/Kolkata", "2026-01-01"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Africa/Casablanca", "2026-02-15"],
  ["Antarctica/Troll", "2026-03-29"],
  ["Pacific/Apia", "2011-12-30"],
  ["Pacific/Kwajalein", "1993-08-21"],
  ["Pacific/Chatham", "2026-04-05"],
] as const;

test.each(changes)("Aggregation: hours and days of %s around %s are those that clocks show", (zone, day) => {
  const from = Date.parse(day) - 30 * hour;
  for (let at = from; at < from + 90 * hour; at += 13 * minute + 1) {
    const date = stored(at);
    expect([date, zones.dayOf(zone, date)]).toEqual([date, clock(at, zone).day]);
    expect([date, zones.hourOf(zone, date)]).toEqual([date, periodStart(date, "hour", zone)]);
  }
  for (const around of [-1, 0, 1, 2]) {
    const other = stored(Date.parse(day) + around * 24 * hour).slice(0, 10);
    expect([other, startOfDay(other, zone)]).toEqual([other, dayStart(other, zone)]);
  }
});

test.each([
  ["2018-11-04", "America/Sao_Paulo", "2018-11-04T01:00:00.000-02:00"],
  ["2022-03-27", "Asia/Beirut", "2022-03-27T01:00:00.000+03:00"],
  ["2011-12-30", "Pacific/Apia", "2011-12-31T00:00:00.000+14:00"],
  ["2026-11-01", "America/Havana", "2026-11-01T00:00:00.000-04:00"],
  ["2026-03-29", "Europe/Berlin", "2026-03-29T00:00:00.000+01:00"],
  ["2026-03-30", "Europe/Berlin", "2026-03-30T00:00:00.000+02:00"],
  ["2026-01-01", "Asia/Kolkata", "2026-01-01T00:00:00.000+05:30"],
  ["2026-01-01", "Europe/London", "2026-01-01T00:00:00.000+00:00"],
  ["2026-01-01", "UTC", "2026-01-01T00:00:00.000Z"],
  ["2026-01-01", "etc/utc", "2026-01-01T00:00:00.000Z"],
  ["0000-01-01", "America/New_York", "0000-01-01T00:00:02.000-04:56"],
  ["0001-01-01", "America/New_York", "0001-01-01T00:00:02.000-04:56"],
  ["9999-12-31", "Pacific/Pago_Pago", "9999-12-31T00:00:00.000-11:00"],
  // Offsets of so many seconds have no form in RFC 3339: the instant and the day are right all the same.
  ["1960-01-01", "Africa/Monrovia", "1960-01-01T00:00:30.000-00:44"],
  ["1890-01-01", "Europe/Berlin", "1890-01-01T00:00:32.000+00:54"],
])("Aggregation: %s in %s begins at %s", (day, zone, start) => {
  expect(formatInZone(startOfDay(day, zone), zone)).toBe(start);
  expect(stored(Date.parse(start))).toBe(startOfDay(day, zone));
});

test("Aggregation: an instant whose local year has no four digits is shown in UTC", () => {
  expect(formatInZone("9999-12-31T23:00:00.000Z", "Asia/Tokyo")).toBe("9999-12-31T23:00:00.000Z");
  expect(formatInZone("0000-01-01T00:00:00.000Z", "America/New_York")).toBe("0000-01-01T00:00:00.000Z");
  expect(zones.dayOf("Asia/Tokyo", "9999-12-31T23:00:00.000Z")).toBe("9999-12-31");
  expect(zones.dayOf("America/New_York", "0000-01-01T00:00:00.000Z")).toBe("0000-01-01");
});

test("Aggregation: the first and the last years begin in their zone, in every zone", () => {
  for (const zone of Intl.supportedValuesOf("timeZone")) {
    for (const year of ["0000", "0001", "0002", "9999"]) {
      const start = startOfDay(`${year}-01-01`, zone);
      expect([zone, formatInZone(start, zone)]).toEqual([
        zone,
        expect.stringMatching(isUtc(zone) ? /Z$/ : new RegExp(`^${year}-01-01T.*[+-]\\d\\d:\\d\\d$`)),
      ]);
      // What began before all years counts from the first instant on.
      const began = zones.dayOf(zone, start);
      expect([zone, began]).toEqual([zone, `${year}-01-01`]);
    }
  }
});

test("Aggregation: in every zone an instant lies in its day, which begins where it begins", () => {
  const all = Intl.supportedValuesOf("timeZone");
  fc.assert(
    fc.property(
      fc.constantFrom(...all),
      fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2100, 0) }),
      (zone, at) => {
        const day = zones.dayOf(zone, stored(at));
        const start = startOfDay(day, zone);
        expect(Date.parse(start)).toBeLessThanOrEqual(at);
        expect(zones.dayOf(zone, start)).toBe(day);
        expect(zones.dayOf(zone, stored(Date.parse(start) - 1)) < day).toBe(true);
        const began = zones.hourOf(zone, stored(at));
        expect(at - Date.parse(began)).toBeGreaterThanOrEqual(0);
        expect(at - Date.parse(began)).toBeLessThan(hour);
        expect(zones.hourOf(zone, began)).toBe(began);
      },
    ),
    { numRuns: runs(1000) },
  );
});

test("Aggregation: tz takes IANA names, neither offsets nor abbreviations", () => {
  const good = [
    "UTC",
    "Etc/UTC",
    "GMT",
    "Europe/Berlin",
    "europe/berlin",
    "Asia/Calcutta",
    "US/Pacific",
    "Etc/GMT+5",
  ];
  good.push(
    "America/Argentina/Buenos_Aires",
    "America/Port-au-Prince",
    "EST5EDT",
    "CET",
    "GB",
    "Japan",
    "W-SU",
  );
  expect(good.filter((zone) => !isTimeZone(zone))).toEqual([]);
  expect(Intl.supportedValuesOf("timeZone").filter((zone) => !isTimeZone(zone))).toEqual([]);
  const bad = [
    "",
    "+01:00",
    "-0500",
    "UTC+1",
    "JST",
    "IST",
    "PST",
    "SystemV/PST8PDT",
    "Etc/Unknown",
    "Nowhere/City",
  ];
  bad.push(
    "Europe/Berlin ",
    " UTC",
    "Europe",
    "Europe/",
    "constructor",
    "__proto__",
    "x".repeat(10_000),
    "é/é",
  );
  expect(bad.filter(isTimeZone)).toEqual([]);
  expect(["UTC", "Etc/Zulu", "gmt+0", "Europe/London", "Africa/Abidjan"].map(isUtc)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
