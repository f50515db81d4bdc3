import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import {
  conditionOf,
  documentTag,
  holds,
  listTag,
  namesTag,
  parseIfMatch,
  readBatchIfMatch,
} from "./etag.ts";

const etagCharacter = fc
  .integer({ min: 0x21, max: 0xff })
  .filter((code) => code !== 0x22 && (code < 0x7f || code > 0x7f));
const opaqueTag = fc.array(etagCharacter, { maxLength: 8 }).map((codes) => String.fromCharCode(...codes));
const space = fc.constantFrom("", " ", "\t", "  ");

test("Concurrency 4: the tag of a document is its quoted version", () => {
  expect(documentTag(3)).toBe('"3"');
  expect(documentTag(0)).toBe('"0"');
});

test("Concurrency 4: hidden fields add a suffix of a dot, r and 8 hex characters, whatever their order", () => {
  expect(documentTag(3, ["salary"])).toMatch(/^"3\.r[0-9a-f]{8}"$/);
  expect(documentTag(3, ["a", "b"])).toBe(documentTag(3, ["b", "a"]));
  expect(documentTag(3, ["a"])).not.toBe(documentTag(3, ["b"]));
  expect(documentTag(3, ["a"])).not.toBe(documentTag(3, ["a", "b"]));
});

test("Concurrency 4: the tag of a list is weak", () => {
  expect(listTag("a:1")).toMatch(/^W\/"[\w-]{22}"$/);
  expect(listTag("a:1")).toBe(listTag("a:1"));
  expect(listTag("a:1")).not.toBe(listTag("a:2"));
});

test.each([
  ['"3"', 3, true],
  ['"3"', 4, false],
  ['"2", "3"', 3, true],
  ['"2","3" , "4"', 4, true],
  ['"2","4"', 3, false],
  ["*", 3, true],
  [" * ", 3, true],
  ['W/"3"', 3, false],
  ['W/"3", "3"', 3, true],
  ['"3.r1a2b3c4d"', 3, true],
  ['"3.r1a2b3c4d"', 4, false],
  ['"3.x"', 3, false],
  ['"03"', 3, false],
  ['"abc"', 3, false],
  ['""', 3, false],
  ['"3,4"', 3, false],
  [', "3", ,', 3, true],
  ['"0"', 0, true],
])("Concurrency 1: If-Match %s on version %i: %s", (header, version, matches) => {
  const match = parseIfMatch(header);
  expect(match !== undefined && holds({ match }, version)).toBe(matches);
});

test.each([
  "",
  " ",
  ",",
  "3",
  "*, *",
  '*, "3"',
  '"3',
  '3"',
  '"3" "4"',
  "W/3",
  'w/"3"',
  '"3";',
  '"a"b"',
  "'3'",
  '"3\t"',
])("Concurrency 1: If-Match %j is malformed: 400 invalid_header", (header) => {
  expect(() => parseIfMatch(header)).toThrow(ApiError);
  expect(() => parseIfMatch(header)).toThrow(expect.objectContaining({ code: "invalid_header" }));
});

test("Concurrency 1: without If-Match there is no condition", () => {
  expect(parseIfMatch(undefined)).toBeUndefined();
});

test("Concurrency 1: a version matches a list exactly if one of its strong tags is that version", () => {
  const entry = fc.record({
    weak: fc.boolean(),
    version: fc.integer({ min: 0, max: 5 }),
    suffix: fc.constantFrom("", ".r00ff00ff"),
    before: space,
    after: space,
  });
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 5 }),
      (entries, version) => {
        const header = entries
          .map(
            ({ weak, version, suffix, before, after }) =>
              `${before}${weak ? "W/" : ""}"${version}${suffix}"${after}`,
          )
          .join(",");
        const match = parseIfMatch(header);
        const expected = entries.some((entry) => !entry.weak && entry.version === version);
        expect(match !== undefined && holds({ match }, version)).toBe(expected);
      },
    ),
  );
});

test("Concurrency 3: a tag is found in every list that names it, weakly or not", () => {
  fc.assert(
    fc.property(
      fc.array(opaqueTag, { maxLength: 4 }),
      opaqueTag,
      fc.nat(4),
      fc.boolean(),
      (others, own, at, weak) => {
        const tags = others.map((other) => `"${other}"`);
        tags.splice(at % (tags.length + 1), 0, `${weak ? "W/" : ""}"${own}"`);
        expect(namesTag(tags.join(", "), `"${own}"`)).toBe(true);
        expect(namesTag(tags.join(","), `W/"${own}"`)).toBe(true);
        expect(namesTag(tags.join(","), `"${own}x${others.join("")}"`)).toBe(false);
      },
    ),
  );
});

test("Concurrency 3: * names any tag; no header, a malformed one and another tag none", () => {
  expect(namesTag("*", '"3"')).toBe(true);
  expect(namesTag(undefined, '"3"')).toBe(false);
  expect(namesTag("3", '"3"')).toBe(false);
  expect(namesTag('"3", 3', '"3"')).toBe(false);
  expect(namesTag('"3.r00ff00ff"', '"3"')).toBe(false);
});

test("Concurrency 1: parsing takes time in proportion to the header", () => {
  const hostile = `${'"3" ,'.repeat(6000)}${" ".repeat(100_000)}x`;
  expect(() => parseIfMatch(hostile)).toThrow(ApiError);
});

test.each([
  ["3", 3, true],
  [" 3 ", 3, true],
  ['"3"', 3, true],
  ['"2", "3"', 3, true],
  ["*", 9, true],
  ["4", 3, false],
])("Batch: if_match %s on version %i: %s", (value, version, matches) => {
  const match = readBatchIfMatch(value);
  expect(match !== undefined && holds({ match }, version)).toBe(matches);
});

test.each(["", "x", "3,4", "-1", '"3', "3.0"])("Batch: if_match %j is malformed", (value) => {
  expect(readBatchIfMatch(value)).toBeUndefined();
});

test.each([
  ['"3"', 3, false],
  ['W/"3"', 3, false],
  ['"3.r0123abcd"', 3, false],
  ['"2", "4"', 3, true],
  ['"2", "3"', 3, false],
  ["*", 3, false],
  ["*", 0, false],
  ["3", 3, true],
  ['"3', 3, true],
  ["", 3, true],
])("RFC 9110, 13.1.2: If-None-Match %s lets a write of version %i: %s", (header, version, written) => {
  const condition = conditionOf({ "if-none-match": header });
  expect(condition === undefined || holds(condition, version)).toBe(written);
});

test("RFC 9110, 13.2.2: If-Match and If-None-Match must both hold", () => {
  const both = conditionOf({ "if-match": '"3", "4"', "if-none-match": '"4"' });
  expect([2, 3, 4].map((version) => both !== undefined && holds(both, version))).toEqual([
    false,
    true,
    false,
  ]);
  expect(conditionOf({})).toBeUndefined();
});
