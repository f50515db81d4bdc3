import fc from "fast-check";
import { expect, test } from "vitest";
import { dateNormalizer, storedDate } from "./dates.ts";
import { field } from "./fields.ts";

test.each([
  ["2026-03-01T10:00:00Z", "2026-03-01T10:00:00.000Z"],
  ["2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00.000Z"],
  ["2026-03-01t10:00:00z", "2026-03-01T10:00:00.000Z"],
  ["2026-03-01 10:00:00Z", "2026-03-01T10:00:00.000Z"],
  ["2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00.000Z"],
  ["2026-03-01T00:30:00+05:45", "2026-02-28T18:45:00.000Z"],
  ["2026-12-31T23:59:59-00:01", "2027-01-01T00:00:59.000Z"],
  ["2026-03-01T10:00:00.1Z", "2026-03-01T10:00:00.100Z"],
  ["2026-03-01T10:00:00.123999999Z", "2026-03-01T10:00:00.123Z"],
  ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
  ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
  ["2017-01-01T05:29:60.5+05:30", "2017-01-01T00:00:00.500Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
])("Document 3: the date-time %s is stored as %s", (value, stored) => {
  expect(storedDate(value, "date-time")).toBe(stored);
});

test.each([
  "",
  "now",
  "2026-03-01",
  "2026-03-01T10:00:00",
  "2026-03-01T10:00Z",
  "2026-3-1T10:00:00Z",
  "2026-02-30T10:00:00Z",
  "2023-02-29T10:00:00.000Z",
  "2026-13-01T10:00:00Z",
  "2026-03-01T24:00:00Z",
  "2026-03-01T10:60:00Z",
  "2026-03-01T10:00:61Z",
  "2016-12-30T12:59:60Z",
  "2026-03-01T10:00:00.Z",
  "2026-03-01T10:00:00+24:00",
  "2026-03-01T10:00:00+02:60",
  "2026-03-01T10:00:00+0200",
  "9999-12-31T23:59:59-01:00",
  "0000-01-01T00:00:00+01:00",
  "+02026-03-01T10:00:00Z",
  " 2026-03-01T10:00:00Z",
  "2026-03-01T10:00:00Z\n",
])("Document 3: %j is no date-time", (value) => {
  expect(storedDate(value, "date-time")).toBeUndefined();
});

test("Document 3: a date stays as it is", () => {
  expect(storedDate("2026-03-01", "date")).toBe("2026-03-01");
  expect(storedDate("2024-02-29", "date")).toBe("2024-02-29");
});

test.each(["2026-02-30", "2023-02-29", "2026-03-01T00:00:00Z", "2026-3-1", "2026-03-01\n", ""])(
  "Document 3: %j is no date",
  (value) => {
    expect(storedDate(value, "date")).toBeUndefined();
  },
);

test("Document 3: the stored form names the same instant, whatever the offset, and is stable", () => {
  const instant = fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-30"), noInvalidDate: true });
  fc.assert(
    fc.property(instant, fc.integer({ min: -1439, max: 1439 }), (date, offset) => {
      const size = Math.abs(offset);
      const zone = `${offset < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
      const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1) + zone;
      expect(storedDate(local, "date-time")).toBe(date.toISOString());
      expect(storedDate(date.toISOString(), "date-time")).toBe(date.toISOString());
    }),
  );
});

function two(value: number): string {
  return String(value).padStart(2, "0");
}

test("Document 3: dates are normalised wherever the field table says, arrays included", () => {
  const normalize = dateNormalizer(
    field("due_at", "date-time"),
    field("steps.done_at", "date-time", ["steps"]),
    field("days", "date", ["days"]),
  );
  const document = {
    due_at: "2026-03-01T10:00:00+02:00",
    steps: [{ done_at: "2026-03-01T10:00:00Z" }, {}, { done_at: null }],
    days: ["2026-03-01", "2026-03-02"],
  };
  expect(normalize(document)).toEqual([]);
  expect(document).toEqual({
    due_at: "2026-03-01T08:00:00.000Z",
    steps: [{ done_at: "2026-03-01T10:00:00.000Z" }, {}, { done_at: null }],
    days: ["2026-03-01", "2026-03-02"],
  });
});

test("Document 3: what is not a date is named by its path", () => {
  const normalize = dateNormalizer(field("due_at", "date-time"), field("days", "date", ["days"]));
  expect(normalize({ due_at: "tomorrow", days: ["2026-03-01", "2026-02-30"] })).toEqual([
    { path: "due_at", reason: "must be a date-time of RFC 3339" },
    { path: "days.1", reason: "must be a date of RFC 3339" },
  ]);
});

test("Document 3: values of other kinds and missing members stay", () => {
  const normalize = dateNormalizer(field("a.b", "date-time"), field("c", "date-time"));
  const document = { a: "2026-03-01T10:00:00Z", c: { d: 1 } };
  expect(normalize(document)).toEqual([]);
  expect(document).toEqual({ a: "2026-03-01T10:00:00Z", c: { d: 1 } });
  expect(normalize({})).toEqual([]);
});
