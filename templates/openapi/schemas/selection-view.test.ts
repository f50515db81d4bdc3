import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import { selectionView } from "./selection-view.ts";
import { judge, samples } from "./testing/judge.ts";

function viewed(schema: JsonObject) {
  return judge(schema, (pool, place) => pool.add("ThingsSelection", selectionView(pool, place)));
}

/** The value with some members, at any depth, left out. */
function parts(value: JsonValue): fc.Arbitrary<JsonValue> {
  if (Array.isArray(value)) {
    return fc.tuple(...value.map(parts)).chain((items) => fc.subarray(items));
  }
  if (!isJsonObject(value)) return fc.constant(value);
  const members = Object.entries(value).map(([name, member = null]) => [name, parts(member)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: [] });
}

describe("Reference expansion 1: a view of selected fields", () => {
  test.each(samples)("accepts every part of a document: $name", ({ schema, fitting }) => {
    const { accepts } = viewed(schema);
    for (const document of fitting) {
      fc.assert(
        fc.property(parts(document), (part) => accepts({ id: "x", _meta: {}, ...object(part) })),
        { seed: 1, numRuns: 50 },
      );
    }
  });

  test("keeps the types of what is there, at every depth", () => {
    const { accepts } = viewed({
      type: "object",
      required: ["status"],
      properties: {
        status: { enum: ["open", "closed"] },
        address: { $ref: "#/$defs/address" },
        lines: {
          type: "array",
          minItems: 1,
          items: { type: "object", properties: { sku: { type: "string" } } },
        },
      },
      $defs: {
        country: { type: "string", maxLength: 2 },
        address: { type: "object", required: ["city"], properties: { country: { $ref: "#/$defs/country" } } },
      },
    });
    for (const good of [{}, { address: {} }, { address: { country: "CH" }, lines: [] }, { lines: [{}] }]) {
      expect(accepts(good)).toBe(true);
    }
    const bad = [{ status: "x" }, { address: 1 }, { address: { country: "CHE" } }, { lines: [{ sku: 1 }] }];
    for (const part of bad) expect(accepts(part)).toBe(false);
  });
});

function object(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {};
}
