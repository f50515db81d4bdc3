/**
 * Emitted validators beside those of @hyperjump/json-schema, over random schemas of the keywords by which schemas are put
 * together. `SCHEMAS_SEED=<n>` tries from another seed.
 */
import {
  registerSchema,
  type SchemaObject,
  unregisterSchema,
  validate,
} from "@hyperjump/json-schema/draft-2020-12";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { runs } from "../../runtime/testing/random.ts";
import { randomSchema, randomValue } from "./testing/random-schemas.ts";
import { validatorOf } from "./testing/validator.ts";

const dialect = "https://json-schema.org/draft/2020-12/schema";
const seed = Number(process.env["SCHEMAS_SEED"] ?? 34);
let registered = 0;

function ours(schema: JsonObject): (value: JsonValue) => boolean {
  const validator = validatorOf({
    path: "s.json",
    pointer: "",
    document: schema,
    files: [{ path: "s.json", document: schema }],
  });
  return (value) => validator(value);
}

async function theirs(schema: JsonObject): Promise<(value: JsonValue) => boolean> {
  const uri = `https://example.com/${registered++}`;
  registerSchema(foreign(schema), uri, dialect);
  const validator = await validate(uri);
  unregisterSchema(uri);
  return (value) => validator(JSON.parse(JSON.stringify(value))).valid;
}

/** The schema in the types of the other one, which keeps what it is given. */
function foreign(schema: JsonObject): SchemaObject {
  return JSON.parse(JSON.stringify(schema));
}

async function expectAgreement(schema: JsonObject, values: readonly JsonValue[]): Promise<void> {
  const [own, other] = [ours(schema), await theirs(schema)];
  expect(values.map(own)).toEqual(values.map(other));
}

describe("validators say the same as another implementation", () => {
  const flag = (name: string): JsonObject => ({ properties: { [name]: true } });
  const parent = { $defs: { parent: flag("pp") } };
  const reference = { $ref: "#/$defs/parent" };

  /** Each beside a `$ref` that evaluates `pp`, and without more. */
  const branches: Readonly<Record<string, JsonObject>> = {
    oneOf: {
      oneOf: [
        { ...flag("p1"), required: ["p1"] },
        { ...flag("p2"), required: ["p2"] },
      ],
    },
    anyOf: {
      anyOf: [
        { ...flag("p1"), required: ["p1"] },
        { ...flag("p2"), required: ["p2"] },
      ],
    },
    if: { if: { ...flag("p1"), required: ["p1"] } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword, of a schema that nobody awaits
    "if, then": { if: { ...flag("p1"), required: ["p1"] }, then: flag("p2") },
    "if, else": { if: { ...flag("p1"), required: ["p1"] }, else: flag("p2") },
    dependentSchemas: { dependentSchemas: { p1: flag("p1"), p2: { allOf: [flag("p2"), flag("p1")] } } },
    not: { not: { ...flag("p1"), required: ["p1"] } },
    "patternProperties in a condition": {
      if: { patternProperties: { "^p": { type: "boolean" } }, required: ["p1"] },
    },
  };
  const values: readonly JsonValue[] = [
    ...[["pp"], ["p1"], ["p2"], ["pp", "p1"], ["pp", "p2"], ["p1", "p2"], ["pp", "p1", "p2"], ["other"]].map(
      (names) => Object.fromEntries(names.map((name) => [name, true])),
    ),
    { p1: 1, p2: true },
    { p1: true, p2: 1 },
    {},
    [],
    "pp",
  ];

  test.each(Object.entries(branches))(
    "unevaluatedProperties: false and $ref beside %s",
    async (_, branch) => {
      const closed = { unevaluatedProperties: false };
      await expectAgreement({ ...parent, ...reference, ...branch, ...closed }, values);
      await expectAgreement({ ...parent, ...branch, ...closed }, values);
      await expectAgreement({ ...parent, allOf: [{ ...reference, ...branch }], ...closed }, values);
      await expectAgreement({ ...parent, ...reference, anyOf: [branch, flag("p2")], ...closed }, values);
    },
  );

  test("what of items is known before dependentSchemas is known after it", async () => {
    const some = {
      $defs: { any: {} },
      dependentSchemas: { a: { $ref: "#/$defs/any" } },
      unevaluatedItems: false,
    };
    const documents = [[], [0], [0, 0], { a: 1 }];
    for (const known of [{ contains: {} }, { prefixItems: [{}] }, { oneOf: [{ contains: {} }] }])
      await expectAgreement({ ...some, ...known }, documents);
  });

  test("a property named __proto__ is checked as others are", async () => {
    const named = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}');
    const documents = ['{"__proto__":"x"}', '{"__proto__":1}', "{}", '{"a":1}'].map((text) =>
      JSON.parse(text),
    );
    await expectAgreement(named, documents);
    expect(documents.map(ours(named))).toEqual([true, false, true, false]);
  });

  test("random schemas", async () => {
    await fc.assert(
      fc.asyncProperty(randomSchema, fc.array(randomValue, { minLength: 1, maxLength: 12 }), expectAgreement),
      { numRuns: runs(2_000), seed },
    );
  });

  test("random schemas hold values that fit and values that do not", () => {
    const answers = fc
      .sample(fc.tuple(randomSchema, randomValue), { numRuns: 200, seed })
      .filter(([schema]) => isJsonObject(schema))
      .map(([schema, value]) => ours(schema)(value));
    expect(answers.filter((fits) => fits).length).toBeGreaterThan(20);
    expect(answers.filter((fits) => !fits).length).toBeGreaterThan(20);
  });
});
