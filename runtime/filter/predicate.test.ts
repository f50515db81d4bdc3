import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../testing/random.ts";
import {
  and,
  between,
  compare,
  eq,
  equalsArray,
  exists,
  FALSE,
  isIn,
  like,
  not,
  or,
  search,
  TRUE,
  text,
} from "./algebra.ts";
import { field } from "./fields.ts";
import { matches } from "./predicate.ts";
import type { SearchTerms, TextIndex } from "./search/text-index.ts";

const name = field("name", "string");
const tags = field("tags", "string", ["tags"]);
const sku = field("lines.sku", "string", ["lines"]);
const due = field("due", "date-time");
const day = field("day", "date");

describe("reaching", () => {
  test("null and missing are the same, absent: a leaf is false and its opposite true", () => {
    for (const document of [{}, { name: null }, { other: 1 }]) {
      for (const leaf of [
        eq(name, "x"),
        isIn(name, ["x", "y"]),
        compare("lt", name, "x"),
        text("contains", name, ""),
        exists(name),
      ]) {
        expect(matches(leaf, document)).toBe(false);
        expect(matches(not(leaf), document)).toBe(true);
      }
    }
  });

  test("an array is reached element by element where it is declared, and as itself where it is not", () => {
    expect(matches(eq(tags, "b"), { tags: ["a", "b"] })).toBe(true);
    expect(matches(eq(tags, "a"), { tags: "a" })).toBe(true);
    expect(matches(eq(name, "a"), { name: ["a"] })).toBe(false);
    expect(matches(eq(tags, "a"), { tags: [["a"]] })).toBe(false);
    expect(matches(eq(sku, "x"), { lines: [{ sku: "y" }, { sku: "x" }] })).toBe(true);
    expect(matches(eq(sku, "x"), { lines: { sku: "x" } })).toBe(true);
    expect(matches(eq(field("lines.sku", "string"), "x"), { lines: [{ sku: "x" }] })).toBe(false);
  });

  test("an array, even an empty one, is a value; one on the way must lead somewhere", () => {
    expect(matches(exists(tags), { tags: [] })).toBe(true);
    expect(matches(exists(tags), { tags: [null] })).toBe(true);
    expect(matches(exists(sku), { lines: [] })).toBe(false);
    expect(matches(exists(sku), { lines: [{}, { sku: null }] })).toBe(false);
    expect(matches(exists(sku), { lines: [{}, { sku: false }] })).toBe(true);
  });

  test("only own members count: constructor and __proto__ are plain data", () => {
    expect(matches(exists(field("constructor", "object")), {})).toBe(false);
    expect(matches(exists(field("__proto__", "object")), {})).toBe(false);
    expect(matches(exists(field("name.length", "integer")), { name: "four" })).toBe(false);
    expect(matches(exists(field("tags.length", "integer")), { tags: [] })).toBe(false);
    const document = JSON.parse('{"__proto__": {"constructor": "x"}}');
    expect(matches(eq(field("__proto__.constructor", "string"), "x"), document)).toBe(true);
  });
});

describe("comparing", () => {
  test("values compare only with values of their own JSON type", () => {
    expect(matches(eq(field("n", "integer"), 1), { n: true })).toBe(false);
    expect(matches(eq(field("n", "integer"), 1), { n: "1" })).toBe(false);
    expect(matches(eq(field("n", "integer"), 1), { n: 1.0 })).toBe(true);
    expect(matches(eq(field("b", "boolean"), false), { b: 0 })).toBe(false);
    expect(matches(compare("lt", name, "z"), { name: 1 })).toBe(false);
    expect(matches(compare("gt", field("n", "number"), 0), { n: "1" })).toBe(false);
    expect(matches(eq(name, '{"a":1}'), { name: { a: 1 } })).toBe(false);
  });

  test("strings order by code point, not by UTF-16 unit", () => {
    expect(matches(compare("lt", name, "😀"), { name: "\uffff" })).toBe(true);
    expect(matches(compare("gt", name, "\uffff"), { name: "😀" })).toBe(true);
  });

  test("a date stands for its midnight UTC, on either side", () => {
    const midnight = "2026-03-01T00:00:00.000Z";
    const later = "2026-03-01T00:00:00.001Z";
    expect(matches(eq(day, midnight), { day: "2026-03-01" })).toBe(true);
    expect(matches(eq(due, "2026-03-01"), { due: midnight })).toBe(true);
    expect(matches(isIn(due, ["2026-03-01", "2026-03-02"]), { due: midnight })).toBe(true);
    expect(matches(compare("lt", day, midnight), { day: "2026-03-01" })).toBe(false);
    expect(matches(compare("lte", due, "2026-03-01"), { due: midnight })).toBe(true);
    expect(matches(compare("gt", due, "2026-03-01"), { due: midnight })).toBe(false);
    expect(matches(compare("gte", day, midnight), { day: "2026-03-01" })).toBe(true);
    expect(matches(compare("lt", day, later), { day: "2026-03-01" })).toBe(true);
    expect(matches(compare("gt", due, "2026-03-01"), { due: later })).toBe(true);
    expect(matches(eq(name, "2026-03-01"), { name: midnight })).toBe(false);
  });

  test("text matches are case-sensitive and literal", () => {
    expect(matches(text("startsWith", name, "A%"), { name: "A%b" })).toBe(true);
    expect(matches(text("startsWith", name, "A_"), { name: "Abc" })).toBe(false);
    expect(matches(text("endsWith", name, "B"), { name: "ab" })).toBe(false);
    expect(matches(text("contains", tags, "x"), { tags: ["a", "axa"] })).toBe(true);
    expect(matches(text("contains", name, ""), { name: "" })).toBe(true);
    expect(matches(text("contains", name, "1"), { name: 1 })).toBe(false);
  });
});

describe("where 2: $between", () => {
  const sizes = field("sizes", "integer", ["sizes"]);

  test("includes both bounds", () => {
    for (const [size, inside] of [
      [1, false],
      [2, true],
      [3, true],
      [4, true],
      [5, false],
      ["3", false],
    ] as const)
      expect(matches(between(field("size", "integer"), 2, 4), { size })).toBe(inside);
    expect(matches(between(name, "a", "b"), { name: "aa" })).toBe(true);
    expect(matches(between(name, "b", "a"), { name: "aa" })).toBe(false);
  });

  test("where 6: on an array needs one element within", () => {
    expect(matches(between(sizes, 2, 4), { sizes: [1, 3] })).toBe(true);
    expect(matches(between(sizes, 2, 4), { sizes: [1, 5] })).toBe(false);
    expect(matches(between(sizes, 2, 4), { sizes: [] })).toBe(false);
  });

  test("where 3: takes a day as its midnight", () => {
    const midnight = "2026-03-01T00:00:00.000Z";
    expect(matches(between(due, "2026-03-01", "2026-03-01"), { due: midnight })).toBe(true);
    expect(matches(between(day, midnight, midnight), { day: "2026-03-01" })).toBe(true);
    expect(matches(between(due, "2026-03-01", "2026-03-02"), { due: "2026-03-02T00:00:00.001Z" })).toBe(
      false,
    );
  });
});

describe("where 4: $like", () => {
  test.each([
    ["", "", true],
    ["", "a", false],
    ["%", "", true],
    ["a%", "abc", true],
    ["a%", "ba", false],
    ["%c", "abc", true],
    ["%b%", "abc", true],
    ["a%c", "abc", true],
    ["a%a", "a", false],
    ["ab%ba", "aba", false],
    ["%ab%bc%", "abc", false],
    ["%ab%bc%", "abbc", true],
    ["_", "a", true],
    ["_", "", false],
    ["_", "ab", false],
    ["_", "😀", true],
    ["__", "😀", false],
    ["%_", "a😀", true],
    ["_%b", "😀b", true],
    ["a_c", "a\nc", true],
    ["%_b_%", "abbb", true],
    ["a.c", "abc", false],
    ["\\%", "\\x", true],
    ["[a]", "a", false],
    ["*", "a", false],
    ["%%", "%", true],
    ["A%", "abc", false],
  ])("%j against %j: %s", (pattern, value, expected) => {
    expect(matches(like(name, pattern), { name: value })).toBe(expected);
    expect(matches(like(tags, pattern), { tags: ["zzz", value] })).toBe(expected || pattern === "%");
  });

  test("without case", () => {
    expect(matches(like(name, "STRASSE%", true), { name: "straße 1" })).toBe(false);
    expect(matches(like(name, "STRAẞE%", true), { name: "straße 1" })).toBe(true);
    expect(matches(like(name, "%σ", true), { name: "ΌΣΟΣ" })).toBe(true);
  });

  test("is what it says, for any pattern", () => {
    const piece = fc.string({ unit: fc.constantFrom("a", "b", "😀", "%", "_", "\n"), maxLength: 8 });
    fc.assert(
      fc.property(piece, piece, (pattern, value) => {
        const source = pattern.replaceAll("%", "[^]*").replaceAll("_", "[^]");
        expect(matches(like(name, pattern), { name: value })).toBe(
          new RegExp(`^${source}$`, "u").test(value),
        );
      }),
      { seed: 1, numRuns: runs(3000) },
    );
  });

  test("takes no time out of proportion", () => {
    const hostile = { name: "a".repeat(100_000) };
    expect(matches(like(name, "%a%a%a%b"), hostile)).toBe(false);
    expect(matches(like(name, "%a_a%a_a%b"), hostile)).toBe(false);
    expect(matches(like(name, `%_${"a".repeat(200)}b%`), hostile)).toBe(false);
  });
});

test("where 4: operators without case fold both sides, in arrays too", () => {
  expect(matches(text("startsWith", name, "ÉCO", true), { name: "école" })).toBe(true);
  expect(matches(text("endsWith", name, "ОМ", true), { name: "Дом" })).toBe(true);
  expect(matches(text("contains", tags, "K", true), { tags: ["x", "\u212a"] })).toBe(true);
  expect(matches(text("contains", name, "ss", true), { name: "Straße" })).toBe(false);
  expect(matches(text("contains", name, "1", true), { name: 1 })).toBe(false);
});

test("where 6: an array equals the whole one, in order", () => {
  expect(matches(equalsArray(tags, ["a", "b"]), { tags: ["a", "b"] })).toBe(true);
  for (const other of [["b", "a"], ["a"], ["a", "b", "c"], [["a", "b"]], "a", null, [], ["a", null]])
    expect(matches(equalsArray(tags, ["a", "b"]), { tags: other })).toBe(false);
  expect(matches(equalsArray(tags, []), { tags: [] })).toBe(true);
  expect(matches(equalsArray(tags, []), {})).toBe(false);
  expect(matches(equalsArray(tags, [null]), { tags: [null] })).toBe(true);
  expect(matches(equalsArray(field("n", "number", ["n"]), [1]), { n: [true] })).toBe(false);
  expect(
    matches(equalsArray(field("d", "date-time", ["d"]), ["2026-03-01"]), { d: ["2026-03-01T00:00:00.000Z"] }),
  ).toBe(true);
  const inner = field("lines.tags", "string", ["lines", "lines.tags"]);
  expect(matches(equalsArray(inner, ["a"]), { lines: [{}, { tags: ["b"] }, { tags: ["a"] }] })).toBe(true);
  expect(matches(equalsArray(inner, ["b", "a"]), { lines: [{ tags: ["b"] }, { tags: ["a"] }] })).toBe(false);
});

describe("Full-text search: a document matches", () => {
  /** Two fields whose stems are their words. */
  const index: TextIndex = {
    fields: [
      { field: field("title", "string"), weight: 1 },
      { field: field("body", "string"), weight: 1 },
    ],
    defaultLanguage: "none",
    stems: ({ title, body }) => [`${title ?? ""}`, `${body ?? ""}`],
    parse: () => ({ problem: "not asked" }),
  };
  const found = (terms: Partial<SearchTerms>, document = { title: "red green", body: "green blue" }) =>
    matches(search(index, { phrases: [], words: [], excluded: [], ...terms }), document);

  test("by any word, all of a stem", () => {
    expect(found({ words: ["blue", "black"] })).toBe(true);
    expect(found({ words: ["gree", "lue"] })).toBe(false);
  });

  test("by every phrase within a field, whatever the words", () => {
    expect(found({ phrases: [["red", "green"]], words: ["black"] })).toBe(true);
    expect(
      found({
        phrases: [
          ["red", "green"],
          ["green", "blue"],
        ],
      }),
    ).toBe(true);
    expect(
      found({
        phrases: [
          ["red", "green"],
          ["blue", "green"],
        ],
      }),
    ).toBe(false);
    expect(found({ phrases: [["green", "green"]] })).toBe(false);
  });

  test("unless it has what is excluded; by exclusions alone nothing does", () => {
    expect(found({ words: ["red"], excluded: [["black"]] })).toBe(true);
    expect(found({ words: ["red"], excluded: [["black"], ["green", "blue"]] })).toBe(false);
    expect(found({ excluded: [["black"]] })).toBe(false);
  });
});

test("and, or and not", () => {
  const document = { name: "x", tags: ["a"] };
  const [yes, no] = [eq(name, "x"), eq(name, "y")];
  expect(matches({ op: "and", of: [yes, no] }, document)).toBe(false);
  expect(matches({ op: "or", of: [no, yes] }, document)).toBe(true);
  expect(matches(and(yes, not(no), or(no, eq(tags, "a"))), document)).toBe(true);
  expect(matches(TRUE, document)).toBe(true);
  expect(matches(FALSE, document)).toBe(false);
});
