import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../runtime/json.ts";
import { SchemaPool } from "./pool.ts";
import { judge, samples } from "./testing/judge.ts";

function embedded(schema: JsonValue, files: Readonly<Record<string, JsonValue>> = {}) {
  return judge(schema, (pool, place) => pool.addPlace("ThingsInput", place), files);
}

describe("component schemas", () => {
  test.each(samples)("say what the schema says: $name", ({ schema, fitting }) => {
    const { accepts } = embedded(schema);
    for (const document of fitting) expect(accepts(document)).toBe(true);
    expect(accepts([])).toBe(false);
  });

  test("follow references across files of the realm", () => {
    const { components, accepts } = embedded(
      {
        type: "object",
        properties: {
          a: { $ref: "../_shared/address.json#/$defs/city" },
          b: { $ref: "../_shared/address.json" },
        },
      },
      {
        "../_shared/address.json": {
          type: "object",
          $defs: { city: { type: "string" } },
          properties: { city: { $ref: "#/$defs/city" } },
        },
      },
    );
    expect(Object.keys(components)).toEqual(["Address", "AddressCity", "ThingsInput"]);
    expect(accepts({ a: "x", b: { city: "y" } })).toBe(true);
    expect(accepts({ a: "x", b: { city: 1 } })).toBe(false);
  });

  test("do not repeat the name of a file in that of its one definition", () => {
    const { components } = embedded(
      { type: "object", properties: { a: { $ref: "../_shared/address.json#/$defs/address" } } },
      { "../_shared/address.json": { $defs: { address: { type: "object" } } } },
    );
    expect(Object.keys(components)).toEqual(["Address", "ThingsInput"]);
  });

  test("keep what stands beside a reference", () => {
    const { accepts } = embedded({
      type: "object",
      properties: { a: { $ref: "#/$defs/text", maxLength: 2 } },
      $defs: { text: { type: "string", minLength: 1 } },
    });
    expect([accepts({ a: "xy" }), accepts({ a: "" }), accepts({ a: "xyz" })]).toEqual([true, false, false]);
  });

  test("have names of plain letters whatever definitions are called", () => {
    const names = ["a/b", "a~b", "a b", "%61b", "日本", "__proto__", "constructor", "-", "Input", "#"];
    const escaped = names.map((name) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1")));
    const { components, accepts } = embedded({
      type: "object",
      properties: Object.fromEntries(escaped.map((name, at) => [`p${at}`, { $ref: `#/$defs/${name}` }])),
      $defs: Object.fromEntries(names.map((name, at) => [name, { const: at }])),
    });
    expect(Object.keys(components)).toHaveLength(names.length + 1);
    for (const name of Object.keys(components)) expect(name).toMatch(/^[A-Za-z0-9]+$/);
    expect(accepts(Object.fromEntries(names.map((_, at) => [`p${at}`, at])))).toBe(true);
    names.forEach((_, at) => {
      expect(accepts({ [`p${at}`]: "wrong" })).toBe(false);
    });
  });

  test("take references in plain data for data, and members called $ref for members", () => {
    const data = { $ref: "#/$defs/nowhere" };
    const schema = {
      type: "object",
      const: data,
      examples: [data],
      properties: { $ref: { type: "string" } },
    };
    expect(embedded(schema).components).toEqual({ ThingsInput: schema });
  });

  test("leave out what means something else in OpenAPI, and identifiers", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/things",
      $comment: "internal",
      type: "object",
      discriminator: "kind",
      xml: 1,
      properties: { a: { type: "string", "x-svc-store": "date", nullable: true } },
    };
    expect(embedded(schema).components.ThingsInput).toEqual({
      type: "object",
      properties: { a: { type: "string", "x-svc-store": "date" } },
    });
  });

  test("carry hostile text as text", () => {
    const text = "*/ `$" + "{process.exit()}` </script> \" ' \\ \u2028 \u0000";
    const schema = {
      type: "object",
      title: text,
      description: text,
      properties: { [text]: { enum: [text] }, __proto__: { type: "string" } },
    };
    expect(embedded(schema).components.ThingsInput).toEqual(schema);
  });

  test("are objects, also for the boolean schemas", () => {
    const { components, accepts } = embedded({
      type: "object",
      properties: { a: { $ref: "#/$defs/anything" }, b: { $ref: "#/$defs/nothing" } },
      $defs: { anything: true, nothing: false },
    });
    expect(components).toMatchObject({ ThingsAnything: {}, ThingsNothing: { not: {} } });
    expect([accepts({ a: 1 }), accepts({ b: 1 })]).toEqual([true, false]);
  });
});

test("what is shared is made once", () => {
  const pool = new SchemaPool(new Map());
  const shared = pool.share("Text", () => ({ type: "string" }));
  const again = pool.share("Text", () => {
    throw new Error("made again");
  });
  expect(again).toEqual(shared);
  expect(pool.toObject()).toEqual({ Text: { type: "string" } });
});
