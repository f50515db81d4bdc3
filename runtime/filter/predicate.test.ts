import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { and, compare, eq, exists, FALSE, isIn, not, or, TRUE, text } from "./algebra.ts";
import { field } from "./fields.ts";
import { compareText, matches } from "./predicate.ts";

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

  test("compareText orders as UTF-8 does", () => {
    const string = fc.string({
      unit: fc.constantFrom("a", "b", "\u007f", "é", "\ud7ff", "\ue000", "\uffff", "😀", "\u{10ffff}"),
    });
    fc.assert(
      fc.property(string, string, (a, b) => {
        expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { seed: 1 },
    );
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

test("and, or and not", () => {
  const document = { name: "x", tags: ["a"] };
  const [yes, no] = [eq(name, "x"), eq(name, "y")];
  expect(matches({ op: "and", of: [yes, no] }, document)).toBe(false);
  expect(matches({ op: "or", of: [no, yes] }, document)).toBe(true);
  expect(matches(and(yes, not(no), or(no, eq(tags, "a"))), document)).toBe(true);
  expect(matches(TRUE, document)).toBe(true);
  expect(matches(FALSE, document)).toBe(false);
});
