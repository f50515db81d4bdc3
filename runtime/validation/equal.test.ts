import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../json.ts";
import { duplicateItems, equal } from "./equal.ts";

const jsonValue: fc.Arbitrary<JsonValue> = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)));

/** Another value with the same meaning: members in another order. */
function reordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reordered(member ?? null)]),
  );
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member ?? null)]),
  );
}

describe("equality of JSON values", () => {
  test("does not depend on the order of members", () => {
    fc.assert(fc.property(jsonValue, (value) => equal(value, reordered(value))));
  });

  test("agrees with the comparison of sorted texts", () => {
    fc.assert(
      fc.property(
        jsonValue,
        jsonValue,
        (a, b) => equal(a, b) === (JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))),
      ),
    );
  });

  test("members named like parts of objects are members", () => {
    const odd: JsonValue = JSON.parse('{"__proto__": 1, "constructor": 2, "valueOf": 3, "toString": 4}');
    expect(equal(odd, JSON.parse(JSON.stringify(odd)))).toBe(true);
    expect(equal(odd, { constructor: 2, valueOf: 3, toString: 4, other: 1 })).toBe(false);
    expect(equal({}, JSON.parse('{"__proto__": {}}'))).toBe(false);
  });
});

describe("duplicate items", () => {
  test("are found where comparing every pair finds them", () => {
    const items = fc.array(
      fc.oneof(jsonValue, fc.constantFrom<JsonValue>(1, "1", true, "true", null, "null", [1], ["1"])),
    );
    fc.assert(
      fc.property(items, (list) => {
        const pairs = list.some((item, at) => list.slice(0, at).some((other) => equal(item, other)));
        const found = duplicateItems(list);
        expect(found !== undefined).toBe(pairs);
        if (found !== undefined) expect(equal(list[found.i] ?? null, list[found.j] ?? null)).toBe(true);
      }),
    );
  });
});
