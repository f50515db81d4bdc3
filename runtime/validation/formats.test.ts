import { fullFormats } from "ajv-formats/dist/formats.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../testing/random.ts";
import { formats } from "./formats.ts";
import { codePointLength } from "./text.ts";

test("times: second 60 only at the end of a UTC day", () => {
  const valid = ["08:30:06Z", "08:30:06.283185+01:00", "23:59:60Z", "00:29:60.5+00:30", "15:59:60-08:00"];
  const invalid = [
    "24:00:00Z",
    "08:30:06",
    "08:30:06+01",
    "22:59:60Z",
    "23:59:60+01:00",
    "08:60:06Z",
    "08:30:06+24:00",
  ];
  expect(valid.filter(formats.time)).toEqual(valid);
  expect(invalid.filter(formats.time)).toEqual([]);
});

test("dates exist; date-times carry an offset", () => {
  const dates = ["2024-02-29", "2023-02-29", "2023-02-30", "2023-13-01", "23-01-01"];
  expect(dates.filter(formats.date)).toEqual(["2024-02-29"]);
  const times = [
    "2024-02-29T10:00:00Z",
    "2024-02-29T10:00:00+01:00",
    "2024-02-29T10:00:00",
    "2024-02-29T25:00:00Z",
  ];
  expect(times.filter(formats["date-time"])).toEqual(times.slice(0, 2));
});

test("durations skip no unit, UUIDs have no prefix, patterns are Unicode", () => {
  const durations = ["P4DT12H30M5S", "P2W", "PT1M", "P", "PT", "P1Y2D", "PT1H5S", "P1W2D"];
  expect(durations.filter((text) => formats.duration.test(text))).toEqual(durations.slice(0, 3));
  const uuid = "2eb8aa08-aa98-11ea-b4aa-73b441d16380";
  expect([uuid, `urn:uuid:${uuid}`].filter((text) => formats.uuid.test(text))).toEqual([uuid]);
  expect(["\\p{L}+", "\\a", "("].filter(formats.regex)).toEqual(["\\p{L}+"]);
});

test("URLs are those of ajv-formats", () => {
  const theirs = fullFormats.url;
  if (!(theirs instanceof RegExp)) throw new Error("ajv-formats has URLs in another form");
  const part = fc.constantFrom(
    "http://",
    "ftp://",
    "a",
    "bc",
    "127.0.0.1",
    "8.8.8.8",
    ":",
    "@",
    ".",
    "-",
    "80",
    "/",
    " ",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      expect(formats.url.test(text)).toBe(theirs.test(text));
      expect(formats.url.test(`http://${text}a.bc`)).toBe(theirs.test(`http://${text}a.bc`));
    }),
    { numRuns: runs(2_000) },
  );
  const valid = ["http://a.bc", "https://u:p@a.bc:80/x?y#z", "ftp://8.8.8.8/", "http://x.y@a-b.cd"];
  const invalid = [
    "a.bc",
    "http://127.0.0.1",
    "http://192.168.1.1/",
    "http://a",
    "mailto:a@b.cd",
    "http://a.bc:x",
  ];
  expect([...valid, ...invalid].filter((text) => formats.url.test(text))).toEqual(valid);
});

test("lengths count code points", () => {
  expect(
    ["", "abc", "😀", "a😀b", "\ud83d", "\ude00\ud83d", "\ud83d\ud83d\ude00"].map(codePointLength),
  ).toEqual([0, 3, 1, 3, 1, 2, 2]);
});
