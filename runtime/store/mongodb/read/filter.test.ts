import { describe, expect, test } from "vitest";
import {
  and,
  between,
  compare,
  eq,
  equalsArray,
  exists,
  FALSE,
  type Filter,
  isIn,
  like,
  not,
  or,
  TRUE,
  text,
} from "../../../filter/algebra.ts";
import { documentFields, type Field, field } from "../../../filter/fields.ts";
import { constantsIn, lower, NOTHING } from "./filter.ts";

const note = async () => undefined;
const regular = { isRegular: () => true, note };
const irregular = { isRegular: () => false, note };

const name = field("name", "string");
const size = field("box.size", "integer");
const at = field("at", "date-time");
const day = field("day", "date");
const when = field("when", ["date", "date-time"]);
const maybe = field("maybe", ["date", "string"]);
const tags = field("tags", "string", ["tags"]);
const days = field("days", "date", ["days"]);
const sku = field("lines.sku", "string", ["lines"]);
const counts = field("lines.box.counts", "integer", ["lines", "lines.box.counts"]);
const place = field("lines.0", "integer", ["lines"]);
const deep = field("a.0.b.1", "integer", ["a", "a.0.b"]);

const midnight = new Date("2026-03-01T00:00:00.000Z");

describe("filters over regular fields are MongoDB's own operators, which indexes serve", () => {
  test.each<[string, Filter, object]>([
    ["everything", TRUE, {}],
    ["nothing", FALSE, { _id: { $in: [] } }],
    ["and", and(eq(name, "x"), eq(size, 1)), { $and: [{ name: { $eq: "x" } }, { "box.size": { $eq: 1 } }] }],
    ["or", or(eq(name, "x"), eq(size, 1)), { $or: [{ name: { $eq: "x" } }, { "box.size": { $eq: 1 } }] }],
    ["not", not(eq(name, "x")), { $nor: [{ name: { $eq: "x" } }] }],
    ["eq of the id", eq(documentFields.id, "x"), { _id: { $eq: "x" } }],
    ["eq of a text that looks like an operator", eq(name, "$x"), { name: { $eq: "$x" } }],
    ["in", isIn(name, ["x", "y"]), { name: { $in: ["x", "y"] } }],
    ["lt", compare("lt", size, 3), { "box.size": { $lt: 3 } }],
    ["gte of texts", compare("gte", name, "b"), { name: { $gte: "b" } }],
    ["between", between(size, 1, 2), { "box.size": { $gte: 1, $lte: 2 } }],
    ["between of one element", between(tags, "a", "b"), { tags: { $elemMatch: { $gte: "a", $lte: "b" } } }],
    [
      "between in an array of objects",
      between(sku, "a", "b"),
      { lines: { $elemMatch: { sku: { $gte: "a", $lte: "b" } } } },
    ],
    [
      "between in an array of arrays' objects",
      between(counts, 1, 2),
      { lines: { $elemMatch: { "box.counts": { $elemMatch: { $gte: 1, $lte: 2 } } } } },
    ],
    ["eq of an element", eq(tags, "a"), { tags: { $eq: "a" } }],
    ["eq in an array of objects", eq(sku, "a"), { "lines.sku": { $eq: "a" } }],
    ["eq through two arrays", eq(counts, 1), { "lines.box.counts": { $eq: 1 } }],
    ["a name of digits in an array", eq(place, 1), { lines: { $elemMatch: { "0": { $eq: 1 } } } }],
    [
      "names of digits in two arrays",
      compare("lt", deep, 1),
      { a: { $elemMatch: { "0.b": { $elemMatch: { "1": { $lt: 1 } } } } } },
    ],
    ["exists", exists(name), { name: { $ne: null } }],
    ["exists of an array", exists(tags), { tags: { $type: "array" } }],
    ["exists in an array of objects", exists(sku), { lines: { $elemMatch: { sku: { $ne: null } } } }],
    [
      "exists of an array in an array of objects",
      exists(counts),
      { lines: { $elemMatch: { "box.counts": { $type: "array" } } } },
    ],
    ["array equality", equalsArray(tags, ["a", null]), { tags: { $eq: ["a", null] } }],
    ["array equality with none", equalsArray(tags, []), { tags: { $eq: [] } }],
    [
      "array equality in an array of objects",
      equalsArray(counts, [1]),
      { lines: { $elemMatch: { "box.counts": { $eq: [1] } } } },
    ],
    ["array equality of what is no array", equalsArray(name, ["a"]), NOTHING],
    ["startsWith", text("startsWith", name, "a."), { name: { $regex: "^a\\." } }],
    ["like, of elements", like(tags, "a%"), { tags: { $regex: "^a[\\s\\S]*\\z" } }],
    ["eq of an instant", eq(at, "2026-03-01T00:00:00.000Z"), { at: { $eq: midnight } }],
    ["eq of a day's instant", eq(when, "2026-03-01"), { when: { $eq: midnight } }],
    ["eq of what is no date", eq(at, "x"), NOTHING],
    ["in, where some are dates", isIn(day, ["2026-03-01", "x", 7]), { day: { $in: [midnight, 7] } }],
    ["lt of a day", compare("lt", day, "2026-03-01"), { day: { $lt: midnight } }],
    [
      "between of instants",
      between(at, "2026-03-01", "2026-03-01T00:00:00.000Z"),
      { at: { $gte: midnight, $lte: midnight } },
    ],
    ["array equality of days", equalsArray(days, ["2026-03-01", null]), { days: { $eq: [midnight, null] } }],
    ["array equality with what is no date", equalsArray(days, ["x"]), NOTHING],
    [
      "a date where other texts may stand is two texts",
      eq(maybe, "2026-03-01"),
      { maybe: { $in: ["2026-03-01", "2026-03-01T00:00:00.000Z"] } },
    ],
    [
      "a bound there is one of them",
      compare("lt", maybe, "2026-03-01T00:00:00.000Z"),
      { maybe: { $lt: "2026-03-01" } },
    ],
  ])("%s", (_, filter, expected) => {
    expect(lower(filter, regular)).toEqual(expected);
  });

  test("what MongoDB has no operator for is asked of texts, among the dates", () => {
    expect(lower(text("startsWith", at, "2026"), regular)).toMatchObject({
      $and: [{ $or: [{ at: { $regex: "^2026" } }, { at: { $type: "date" } }] }, { $expr: {} }],
    });
    expect(lower(compare("lt", at, "2026-03"), regular)).toMatchObject({
      $and: [{ $or: [{ at: { $lt: "2026-03" } }, { at: { $type: "date" } }] }, { $expr: {} }],
    });
  });
});

describe("filters over irregular fields", () => {
  test.each<[string, Filter, object]>([
    ["eq", eq(name, "x"), { name: { $eq: "x" } }],
    [
      "eq of a date",
      eq(at, "2026-03-01"),
      { at: { $in: ["2026-03-01", "2026-03-01T00:00:00.000Z", midnight, midnight] } },
    ],
    ["in an array of objects", eq(sku, "x"), { "lines.sku": { $eq: "x" } }],
    ["exists", exists(counts), { "lines.box.counts": { $exists: true } }],
    ["array equality", equalsArray(tags, ["x"]), { tags: { $type: "array" } }],
    [
      "a range",
      between(tags, "a", "b"),
      { $or: [{ tags: { $gte: "a", $lte: "b" } }, { tags: { $type: "date" } }] },
    ],
    ["lt of a number", compare("lt", size, 1), { "box.size": { $lt: 1 } }],
    [
      "lt of a date",
      compare("lt", at, "2026-03-01"),
      { $or: [{ at: { $lt: "2026-03-01" } }, { at: { $lte: midnight } }] },
    ],
  ])("%s: what indexes find, and an expression that is exact", (_, filter, found) => {
    const lowered = lower(filter, irregular);
    expect(lowered).toEqual({ $and: [found, { $expr: expect.anything() }] });
  });

  test("only those: each leaf for itself", () => {
    const mixed = { isRegular: ({ path }: Field) => path !== "name", note };
    expect(lower(or(eq(name, "x"), eq(size, 1)), mixed)).toEqual({
      $or: [{ $and: [{ name: { $eq: "x" } }, { $expr: expect.anything() }] }, { "box.size": { $eq: 1 } }],
    });
  });
});

describe("what is lowered", () => {
  test("is kept for the filter and the collection, as long as the documents fit their fields", () => {
    let fits = true;
    const changing = { isRegular: () => fits, note };
    const filter = and(eq(name, "x"), compare("lt", size, 1));
    const first = lower(filter, changing);
    expect(lower(filter, changing)).toBe(first);
    expect(lower(filter, regular)).not.toBe(first);
    fits = false;
    const second = lower(filter, changing);
    expect(second).not.toEqual(first);
    expect(second).toEqual(lower(filter, irregular));
    fits = true;
    expect(lower(filter, changing)).toEqual(first);
  });
});

describe("constants of a filter", () => {
  test("are the values that its conjunction binds", () => {
    const filter = and(
      eq(name, "x"),
      eq(at, "2026-03-01"),
      eq(tags, "a"),
      compare("lt", size, 1),
      eq(maybe, "2026-03-01"),
    );
    expect([...constantsIn(filter, regular)]).toEqual([
      ["name", "x"],
      ["at", midnight],
    ]);
    expect([...constantsIn(eq(documentFields.id, "x"), regular)]).toEqual([["_id", "x"]]);
    expect(constantsIn(or(eq(name, "x"), eq(size, 1)), regular).size).toBe(0);
    expect(constantsIn(filter, irregular).size).toBe(0);
  });
});
