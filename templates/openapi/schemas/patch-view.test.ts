import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";
import { mergePatch } from "../../../runtime/merge-patch.ts";
import { patchView } from "./patch-view.ts";
import { judge, samples } from "./testing/judge.ts";

/** The merge patch that leads from one document to another. */
function difference(from: JsonObject, to: JsonObject): JsonObject {
  const removed = Object.keys(from).filter((name) => !(name in to));
  const patch: JsonObject = Object.fromEntries(removed.map((name) => [name, null]));
  for (const [name, value] of Object.entries(to)) {
    const before = from[name];
    patch[name] = isJsonObject(before) && isJsonObject(value) ? difference(before, value) : value;
  }
  return patch;
}

function patches(schema: JsonObject) {
  return judge(schema, (pool, place) => pool.add("Patch", { type: "object", ...patchView(pool, place) }));
}

describe.each(samples)("the patch of a schema: $name", ({ schema, fitting }) => {
  test("accepts every patch that leads from one fitting document to another", () => {
    const { accepts } = patches(schema);
    for (const from of fitting) {
      for (const to of fitting) {
        const patch = difference(from, to);
        expect(accepts(patch)).toBe(true);
        expect(accepts(patch) && mergePatch(from, patch)).toEqual(mergePatch({}, to));
      }
    }
  });

  test("accepts the empty patch", () => {
    expect(patches(schema).accepts({})).toBe(true);
  });
});

describe("the patch of a schema", () => {
  const { accepts } = patches({
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string" },
      state: { enum: ["on", "off"] },
      tags: { type: "array", items: { type: "string" } },
      address: {
        type: "object",
        required: ["city"],
        properties: { city: { type: "string" } },
        additionalProperties: false,
      },
      either: {
        anyOf: [
          { type: "string" },
          { type: "object", required: ["x"], properties: { x: { type: "number" } } },
        ],
      },
      never: false,
    },
    additionalProperties: { type: "integer" },
  });

  test.each([
    { name: null },
    { state: null },
    { state: "off" },
    { tags: null },
    { address: { city: null } },
    { address: null },
    { either: {} },
    { either: "text" },
    { either: { x: null } },
    { never: null },
    { other: 1 },
    { other: null },
  ])("accepts %j", (patch) => expect(accepts(patch)).toBe(true));

  test.each([
    { name: 1 },
    { state: "unknown" },
    { tags: [1] },
    { tags: [null] },
    { address: { city: 1 } },
    { address: "text" },
    { either: 1 },
    { never: 1 },
    { other: "text" },
  ])("refuses %j", (patch) => expect(accepts(patch)).toBe(false));

  test("gives a shared definition one shared patch", () => {
    const { components } = patches({
      type: "object",
      properties: { home: { $ref: "#/$defs/address" }, work: { $ref: "#/$defs/address" } },
      $defs: { address: { type: "object", properties: { city: { type: "string" } } } },
    });
    const reference = { anyOf: [{ $ref: "#/components/schemas/ThingsAddressPatch" }, { type: "null" }] };
    expect(components.Patch).toMatchObject({ properties: { home: reference, work: reference } });
    expect(components.ThingsAddressPatch).toEqual({
      type: "object",
      properties: { city: { type: ["string", "null"] } },
    });
  });
});
