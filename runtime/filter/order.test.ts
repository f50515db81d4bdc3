import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../json.ts";
import { type Field, field } from "./fields.ts";
import { compareDocuments, defaultOrder, isSeekable, type Order, orderBy, positionOf } from "./order.ts";

const by = (of: Field, descending = false): Order => [{ field: of, descending }];
/** The values of field `x`, in order. */
function sorted(
  order: Order,
  values: readonly (JsonValue | undefined)[],
): readonly (JsonValue | undefined)[] {
  return values
    .map((x): JsonObject => (x === undefined ? {} : { x }))
    .toSorted(compareDocuments(order))
    .map(({ x }) => x);
}

describe("List query parameters: ordering", () => {
  const text = field("x", ["string", "null"]);
  const anything = field("x", ["string", "integer", "boolean", "object"]);
  const list = field("x", "integer", ["x"]);

  test("null and missing come first, and last in descending order", () => {
    expect(sorted(by(text), ["b", null, "a"])).toEqual([null, "a", "b"]);
    expect(sorted(by(text, true), ["b", null, "a"])).toEqual(["b", "a", null]);
    expect(compareDocuments(by(text))({}, { x: null })).toBe(0);
  });

  test("strings by code point, numbers by value, false before true", () => {
    expect(sorted(by(text), ["😀", "\uffff", "a", "B", ""])).toEqual(["", "B", "a", "\uffff", "😀"]);
    expect(sorted(by(field("x", "number")), [10, 9, -1.5, 0.1])).toEqual([-1.5, 0.1, 9, 10]);
    expect(sorted(by(field("x", "boolean")), [true, false])).toEqual([false, true]);
  });

  test("mixed kinds: numbers, strings, objects, arrays, booleans; descending is the reverse", () => {
    const order = [null, 1, 2, "a", { b: 1 }, [0], false, true];
    expect(sorted(by(anything), order.toReversed())).toEqual(order);
    expect(sorted(by(anything, true), order)).toEqual(order.toReversed());
    expect(compareDocuments(by(anything))({ x: { a: 1 } }, { x: { a: 2 } })).toBe(0);
    expect(compareDocuments(by(anything))({ x: [1] }, { x: [2] })).toBe(0);
  });

  test("where one type is declared, values of another are absent", () => {
    const compared = compareDocuments(by(text));
    for (const x of [1, true, {}, ["a"]]) {
      expect(compared({ x }, {})).toBe(0);
      expect(compared({ x }, { x: "" })).toBeLessThan(0);
    }
    expect(compareDocuments(by(field("x", "object")))({ x: "a" }, { x: {} })).toBeLessThan(0);
    expect(compareDocuments(by(field("x", ["integer", "number"])))({ x: "a" }, { x: -1 })).toBeLessThan(0);
  });

  test("an array by its smallest element ascending, its largest descending, empty as null", () => {
    const values = [[3, 1], [2], [], [null], null, 5, [4, "a"]];
    expect(sorted(by(list), values)).toEqual([[], [null], null, [3, 1], [2], [4, "a"], 5]);
    expect(sorted(by(list, true), values)).toEqual([5, [4, "a"], [3, 1], [2], [], [null], null]);
    const inner = field("lines.n", "integer", ["lines"]);
    expect(
      compareDocuments(by(inner))({ lines: [{ n: 9 }, { n: 1 }, {}] }, { lines: [{ n: 2 }] }),
    ).toBeLessThan(0);
  });

  test("days and instants together by instant", () => {
    const both = field("x", ["date", "date-time"]);
    const values = ["2026-03-01T00:00:00.001Z", "2026-03-01", "2026-02-28T23:59:59.999Z"];
    expect(sorted(by(both), values)).toEqual(values.toReversed());
    expect(compareDocuments(by(both))({ x: "2026-03-01" }, { x: "2026-03-01T00:00:00.000Z" })).toBe(0);
  });

  test("key after key, then by id unless it is named", () => {
    const order = orderBy([{ field: field("x", "string"), descending: true }]);
    const compared = compareDocuments(order);
    expect(compared({ id: "b", x: "a" }, { id: "a", x: "b" })).toBeGreaterThan(0);
    expect(compared({ id: "a", x: "a" }, { id: "b", x: "a" })).toBeLessThan(0);
    expect(orderBy(defaultOrder)).toBe(defaultOrder);
  });
});

describe("Cursor paging 5: positions", () => {
  test.each([
    ["string", [], true],
    ["boolean", [], true],
    [["integer", "null"], [], true],
    [["integer", "number"], [], true],
    [["date", "date-time"], [], true],
    ["object", [], false],
    [["string", "integer"], [], false],
    [["string", "date"], [], false],
    ["string", ["x"], false],
  ] as const)("a field of %j with arrays in %j: %s", (types, arrays, expected) => {
    const order = orderBy(by(field("x", types, arrays)));
    expect(isSeekable(order)).toBe(expected);
    expect(isSeekable([...defaultOrder, ...order])).toBe(expected);
  });

  test("an array on the way has none either", () => {
    expect(isSeekable(by(field("lines.n", "integer", ["lines"])))).toBe(false);
  });

  test("hold a value for each key, null for what is absent or no longer of the type", () => {
    const order = orderBy([
      { field: field("a.b", "string"), descending: true },
      { field: field("n", ["number", "null"]), descending: false },
      { field: field("at", ["date", "date-time"]), descending: false },
    ]);
    expect(positionOf(order, { id: "x", a: { b: "y" }, n: 1.5, at: "2026-03-01" })).toEqual([
      "y",
      1.5,
      "2026-03-01T00:00:00.000Z",
      "x",
    ]);
    expect(positionOf(order, { id: "x", a: [{ b: "y" }], n: "1" })).toEqual([null, null, null, "x"]);
  });
});
