import { transformSync } from "esbuild";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EndlessDefault, presetsOf } from "../../compiler/schema/defaults.ts";
import { inputSchema } from "../../compiler/schema/input.ts";
import { valueAt } from "../../compiler/schema/place.ts";
import { randomSchemaWithDefaults, randomValue } from "../../compiler/schema/testing/random-schemas.ts";
import { validatorFunction } from "../../compiler/schema/validator.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { runs } from "../../runtime/testing/random.ts";
import { inItems, inMember, inObject } from "../../runtime/validation/defaults.ts";
import { collectionOf, schemaOf } from "../testing/models.ts";
import { defaultsModules } from "./defaults.ts";

const seed = Number(process.env["SCHEMAS_SEED"] ?? 27);

/** The text of the emitted module; undefined where no default is applied. */
function emitted(document: JsonObject): string | undefined {
  const schema = schemaOf("shop/sales/orders/schema.json", document);
  const [module] = defaultsModules(collectionOf("shop", "sales", "orders", { defaults: "apply", schema }));
  return module?.text;
}

/** What the emitted module exports, as it runs. */
function withDefaults(document: JsonObject): (value: JsonObject) => JsonObject {
  const text = emitted(document);
  if (text === undefined) return (value) => value;
  const { code } = transformSync(text, { loader: "ts", format: "cjs" });
  const module: { exports: { withDefaults?: (value: JsonObject) => JsonObject } } = { exports: {} };
  new Function("require", "module", "exports", code)(
    () => ({ inItems, inMember, inObject }),
    module,
    module.exports,
  );
  const { withDefaults: made } = module.exports;
  if (made === undefined) throw new Error("the module exports no withDefaults");
  return made;
}

/** What the documentation says of defaults, word for word. */
function reference(root: JsonObject, schemas: readonly JsonValue[], value: JsonValue, depth = 0): JsonValue {
  if (depth > 100) throw new Error("no end");
  const together = applying(root, schemas);
  if (Array.isArray(value)) {
    const items = together.flatMap(({ items: each, prefixItems }) =>
      each === undefined || prefixItems !== undefined ? [] : [each],
    );
    return value.map((item: JsonValue) => reference(root, items, item, depth + 1));
  }
  if (!isJsonObject(value)) return value;
  const result = new Map(Object.entries(value));
  for (const { properties } of together)
    for (const name of Object.keys(isJsonObject(properties) ? properties : {})) {
      const own = together.flatMap(({ properties: all }) =>
        isJsonObject(all) && Object.hasOwn(all, name) ? [all[name] ?? true] : [],
      );
      const preset = applying(root, own).find((schema) => schema.default !== undefined)?.default;
      const held = Object.hasOwn(value, name) ? value[name] : preset;
      if (held !== undefined) result.set(name, reference(root, own, held, depth + 1));
    }
  return Object.fromEntries(result);
}

/** Those that apply to a value, the nearest first. */
function applying(root: JsonObject, schemas: readonly JsonValue[]): JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting = [...schemas];
  for (const schema of waiting) {
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    if (Array.isArray(schema.allOf)) waiting.push(...schema.allOf);
    if (typeof schema.$ref === "string") waiting.push(valueAt(root, schema.$ref.slice(1)) ?? true);
  }
  return [...found];
}

describe("emitted defaults", () => {
  const cases: readonly { what: string; schema: JsonObject; sent: JsonObject; made: JsonObject }[] = [
    {
      what: "a member that is left out has its default, one that is there keeps its value, null too",
      schema: { properties: { a: { default: 1 }, b: { default: 2 }, c: { default: 3 } } },
      sent: { a: 7, b: null },
      made: { a: 7, b: null, c: 3 },
    },
    {
      what: "an object that is there has the defaults of its members, one that is not has none",
      schema: {
        properties: {
          here: { properties: { country: { default: "CH" } } },
          there: { properties: { country: { default: "CH" } } },
        },
      },
      sent: { here: { city: "Bern" } },
      made: { here: { city: "Bern", country: "CH" } },
    },
    {
      what: "a default has the defaults of its members",
      schema: { properties: { address: { default: {}, properties: { country: { default: "CH" } } } } },
      sent: {},
      made: { address: { country: "CH" } },
    },
    {
      what: "items have them, of arrays in arrays too; what is no object stays",
      schema: { properties: { rows: { items: { items: { properties: { n: { default: 1 } } } } } } },
      sent: { rows: [[{}, { n: 2 }, 3], "x"] },
      made: { rows: [[{ n: 1 }, { n: 2 }, 3], "x"] },
    },
    {
      what: "a default beside a $ref goes before the one of what that leads to",
      schema: {
        $defs: { level: { default: 1 } },
        properties: { a: { $ref: "#/$defs/level" }, b: { $ref: "#/$defs/level", default: 2 } },
      },
      sent: {},
      made: { a: 1, b: 2 },
    },
    {
      what: "a recursive schema gives them at every depth",
      schema: {
        properties: { next: { $ref: "#" }, all: { items: { $ref: "#" } }, weight: { default: 1 } },
      },
      sent: { next: { next: {} }, all: [{ all: [{}] }] },
      made: {
        weight: 1,
        next: { weight: 1, next: { weight: 1 } },
        all: [{ weight: 1, all: [{ weight: 1 }] }],
      },
    },
    {
      what: "names that objects inherit are members as others",
      schema: { properties: { toString: { default: "x" }, constructor: { default: 1 } } },
      sent: {},
      made: JSON.parse('{ "toString": "x", "constructor": 1 }'),
    },
    {
      what: "branches give none",
      schema: { properties: { a: { oneOf: [{ properties: { b: { default: 1 } } }] }, c: { default: 0 } } },
      sent: { a: {} },
      made: { a: {}, c: 0 },
    },
  ];
  test.each(cases)("$what", ({ schema, sent, made }) => {
    const before = structuredClone(sent);
    expect(withDefaults({ type: "object", ...schema })(sent)).toEqual(made);
    expect(sent).toEqual(before);
  });

  test("what is set stands behind what was sent, in the order that it was sent in", () => {
    const schema = { type: "object", properties: { a: { default: 1 }, b: { default: 2 }, c: {} } };
    expect(JSON.stringify(withDefaults(schema)({ c: 5, b: 7 }))).toBe('{"c":5,"b":7,"a":1}');
  });

  test("a member called __proto__ is a member", () => {
    const schema: JsonObject = JSON.parse('{ "properties": { "__proto__": { "default": { "x": 1 } } } }');
    expect(JSON.stringify(withDefaults(schema)({}))).toBe('{"__proto__":{"x":1}}');
  });

  test("is straight code that its reviewer reads", () => {
    const text = emitted({
      properties: {
        status: { enum: ["open"], default: "open" },
        address: { properties: { country: { default: "CH" } } },
      },
    });
    expect(text?.replace(/\s+/g, " ")).toContain(
      'return { ...document, status: "open", ...document, ...inMember(document, "address", inObject((member) => ({ ...member, country: "CH", ...member, }))), };',
    );
  });

  test("does what a simple interpreter of the schema does", () => {
    let applied = 0;
    fc.assert(
      fc.property(randomSchemaWithDefaults, fc.array(randomValue, { maxLength: 8 }), (schema, values) => {
        const documents = [{}, ...values.filter(isJsonObject)];
        let run: (value: JsonObject) => JsonObject;
        try {
          run = withDefaults(schema);
        } catch (error) {
          expect(error).toBeInstanceOf(EndlessDefault);
          return;
        }
        for (const document of documents) {
          const expected = reference(schema, [schema], document);
          expect(run(document)).toEqual(expected);
          if (JSON.stringify(expected) !== JSON.stringify(document)) applied += 1;
        }
      }),
      { numRuns: runs(3_000), seed },
    );
    expect(applied).toBeGreaterThan(runs(3_000) / 10);
  });

  test("what fits the schema with its defaults fits the schema of what is sent", () => {
    let looser = 0;
    fc.assert(
      fc.property(randomSchemaWithDefaults, fc.array(randomValue, { maxLength: 8 }), (document, values) => {
        const schema = schemaOf("shop/sales/orders/schema.json", document);
        const input = inputSchema(schema);
        if (input === undefined || presetsOf(schema) === undefined) return;
        looser += 1;
        const [fits, sendable] = [validatorFunction(schema), validatorFunction(input)];
        let run: (value: JsonObject) => JsonObject;
        try {
          run = withDefaults(document);
        } catch {
          return;
        }
        for (const value of [{}, ...values.filter(isJsonObject)])
          if (fits(run(value))) expect(sendable(value)).toBe(true);
      }),
      { numRuns: runs(2_000), seed },
    );
    expect(looser).toBeGreaterThan(0);
  });
});
