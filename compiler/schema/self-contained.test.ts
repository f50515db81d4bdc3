import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import type { Schema } from "./place.ts";
import { selfContained } from "./self-contained.ts";

function schemaOf(files: Readonly<Record<string, JsonValue>>): Schema {
  const all = Object.entries(files).map(([path, document]) => ({ path, document }));
  return {
    path: "desk/a/b/schema.json",
    pointer: "",
    document: files["desk/a/b/schema.json"] ?? {},
    files: all,
  };
}

describe("a schema without the files around it", () => {
  test("has what other files held under its own $defs, each once", () => {
    const address: JsonObject = {
      $defs: { city: { type: "string", maxLength: 40 } },
      type: "object",
      properties: { city: { $ref: "#/$defs/city" }, of: { $ref: "#" } },
    };
    expect(
      selfContained(
        schemaOf({
          "desk/a/b/schema.json": {
            type: "object",
            properties: {
              home: { $ref: "../../_shared/address.json" },
              work: { $ref: "../../_shared/address.json", description: "at work" },
              town: { $ref: "#/$defs/city" },
            },
            $defs: { city: { enum: ["Bonn"] } },
            examples: [{ $ref: "no schema" }],
          },
          "desk/_shared/address.json": address,
        }),
      ),
    ).toEqual({
      type: "object",
      properties: {
        home: { $ref: "#/$defs/address" },
        work: { $ref: "#/$defs/address", description: "at work" },
        town: { $ref: "#/$defs/city" },
      },
      $defs: {
        city: { enum: ["Bonn"] },
        address: {
          $defs: { city: { type: "string", maxLength: 40 } },
          type: "object",
          properties: { city: { $ref: "#/$defs/city2" }, of: { $ref: "#/$defs/address" } },
        },
        city2: { type: "string", maxLength: 40 },
      },
      examples: [{ $ref: "no schema" }],
    });
  });

  test("is what it was where it reaches no other file", () => {
    const document = { type: "object", properties: { a: { $ref: "#" }, b: { $ref: "#/properties/a" } } };
    expect(selfContained(schemaOf({ "desk/a/b/schema.json": document }))).toEqual(document);
  });
});
