import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../runtime/json.ts";
import { runs } from "../../../../runtime/testing/random.ts";
import { packageRoot } from "../../../package/package.ts";
import { type Place, placeOf, type Schema } from "../../../schema/place.ts";
import { validatorOf } from "../../../schema/testing/validator.ts";
import { mentions } from "../../../schema/walk.ts";
import { fitting } from "./misfit.ts";
import { refutation } from "./refutation.ts";

const path = "r/d/c/schema.json";

function placed(schema: JsonValue): Place {
  return placeOf(schemaOf(schema));
}

function schemaOf(document: JsonValue): Schema {
  return { path, pointer: "", document, files: [{ path, document }] };
}

function reasonOf(schema: JsonValue): string | undefined {
  return fitting().misfitOf(placed(schema))?.reason;
}

function validator(schema: JsonValue): (value: JsonValue) => boolean {
  return validatorOf(schemaOf(schema));
}

const object = { type: "object" };

describe("no value fits", () => {
  test.each<readonly [JsonValue, string]>([
    [{ type: "integer", minimum: 5, maximum: 1 }, "minimum 5 is above maximum 1"],
    [
      { type: "number", exclusiveMinimum: 1, maximum: 1 },
      "nothing lies between exclusiveMinimum 1 and maximum 1",
    ],
    [{ type: "integer", minimum: 1.2, maximum: 1.8 }, "no integer lies between minimum 1.2 and maximum 1.8"],
    [
      { type: "integer", minimum: 1e20 },
      "integers are within ±9007199254740991, and this is minimum 100000000000000000000",
    ],
    [
      { type: "number", multipleOf: 0.25, exclusiveMinimum: 0.5, exclusiveMaximum: 0.75 },
      "no multiple of 0.25 lies between exclusiveMinimum 0.5 and exclusiveMaximum 0.75",
    ],
    [{ type: "string", minLength: 5, maxLength: 3 }, "minLength 5 is above maxLength 3"],
    [{ type: "integer", enum: ["a", "b"] }, 'no value of the enum fits: "a" is not of type integer'],
    [{ type: "string", pattern: "^[a-z]+$", const: "A1" }, '"A1" does not match the pattern ^[a-z]+$'],
    [{ format: "date", enum: ["today"] }, '"today" is no date'],
    [{ const: 5, maximum: 3 }, "5 is above the maximum 3"],
    [{ allOf: [{ type: "string" }, { type: "integer" }] }, "type integer excludes the type string"],
    [
      {
        type: "number",
        allOf: [{ minimum: 5 }, { $ref: "#/$defs/small" }],
        $defs: { small: { maximum: 3 } },
      },
      "minimum 5 is above maximum 3",
    ],
    [{ type: "array", minItems: 3, maxItems: 2 }, "minItems 3 is above maxItems 2"],
    [
      { type: "array", prefixItems: [{}], items: false, minItems: 2 },
      "minItems asks for 2, and no item is allowed there",
    ],
    [{ type: "array", contains: { type: "string", const: 1 } }, "1 is not of type string"],
    [{ type: "array", contains: {}, minContains: 3, maxItems: 2 }, "minContains 3 is above maxItems 2"],
    [{ ...object, minProperties: 3, maxProperties: 2 }, "minProperties 3 is above maxProperties 2"],
    [
      { ...object, minProperties: 2, properties: { a: {}, b: false }, additionalProperties: false },
      "minProperties is 2, and additionalProperties: false leaves 1",
    ],
    [{ ...object, required: ["a"], properties: { a: false } }, "'a' is required, and its schema is false"],
    [{ ...object, required: ["a", "b"], maxProperties: 1 }, "2 members are required, and maxProperties is 1"],
    [
      { ...object, required: ["a"], dependentRequired: { a: ["b"] }, maxProperties: 1 },
      "2 members are required, and maxProperties is 1",
    ],
    [
      { ...object, required: ["a"], allOf: [{ properties: { b: {} }, additionalProperties: false }] },
      "'a' is required, and additionalProperties: false does not allow it",
    ],
    [
      { ...object, required: ["Ab"], propertyNames: { pattern: "^[a-z]+$" } },
      "'Ab' is required, and as a name it does not match the pattern ^[a-z]+$",
    ],
    [
      {
        ...object,
        required: ["a"],
        properties: { a: { ...object, required: ["b"], properties: { b: false } } },
      },
      "'b' is required, and its schema is false",
    ],
    [
      { type: "string", anyOf: [{ type: "integer" }, { minLength: 2, maxLength: 1 }] },
      "no branch of anyOf can fit: minLength 2 is above maxLength 1",
    ],
  ])("%j", (schema, reason) => {
    expect(reasonOf(schema)).toBe(reason);
  });
});

describe("some value fits", () => {
  test.each<JsonValue>([
    { minimum: 5, maximum: 1 },
    { type: ["integer", "null"], minimum: 5, maximum: 1 },
    { type: "number", minimum: 0.3, maximum: 0.3, multipleOf: 0.1 },
    { type: "integer", minimum: 9007199254740991 },
    { ...object, properties: { a: false } },
    { type: "array", items: false },
    { type: "array", contains: false, minContains: 0 },
    { not: { type: "string", minLength: 2, maxLength: 1 } },
    { ...object, required: ["next"], properties: { next: { anyOf: [{ $ref: "#" }, { type: "null" }] } } },
    { ...object, properties: { next: { $ref: "#" } } },
    { enum: [1, "a"], type: "string" },
    { oneOf: [{ type: "string" }, false] },
  ])("%j", (schema) => {
    expect(reasonOf(schema)).toBeUndefined();
  });
});

const value = fc.letrec<{ any: JsonValue }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(
      null,
      true,
      0,
      1,
      2,
      3,
      5,
      1.5,
      0.25,
      9,
      "",
      "a",
      "ab",
      "abc",
      "Z9",
      "2024-01-01",
    ),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any"), { maxKeys: 3 }),
  ),
})).any;

const name = fc.constantFrom("a", "b", "c");
const few = fc.constantFrom(0, 1, 2, 3);
const types = ["array", "boolean", "integer", "null", "number", "object", "string"];
/** Schemas in which exclusions are frequent. */
const { any: schema } = fc.letrec<{ any: JsonValue }>((tie) => {
  const list = fc.array(tie("any"), { minLength: 1, maxLength: 2 });
  const keyword = fc.oneof(
    fc.tuple(fc.constant("type"), fc.oneof(fc.constantFrom(...types), fc.subarray(types, { minLength: 1 }))),
    fc.tuple(fc.constant("const"), value),
    fc.tuple(fc.constant("enum"), fc.array(value, { minLength: 1, maxLength: 3 })),
    fc.tuple(
      fc.constantFrom(
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "minContains",
      ),
      few,
    ),
    fc.tuple(
      fc.constantFrom("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
      fc.constantFrom(0, 1, 1.5, 2, 3, 9),
    ),
    fc.tuple(fc.constant("multipleOf"), fc.constantFrom(0.25, 1, 1.5, 2)),
    fc.tuple(fc.constant("pattern"), fc.constantFrom("^[a-z]+$", "b", "^.{2}$", "(a|b)*c")),
    fc.tuple(fc.constant("format"), fc.constantFrom("date", "email")),
    fc.tuple(fc.constant("uniqueItems"), fc.boolean()),
    fc.tuple(fc.constant("required"), fc.uniqueArray(name, { maxLength: 3 })),
    fc.tuple(
      fc.constant("dependentRequired"),
      fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
    ),
    fc.tuple(
      fc.constantFrom("properties", "dependentSchemas"),
      fc.dictionary(name, tie("any"), { maxKeys: 3 }),
    ),
    fc.tuple(
      fc.constant("patternProperties"),
      fc.dictionary(fc.constantFrom("^a", "[bc]"), tie("any"), { maxKeys: 2 }),
    ),
    fc.tuple(
      fc.constantFrom(
        "additionalProperties",
        "unevaluatedItems",
        "unevaluatedProperties",
        "items",
        "contains",
        "not",
        "if",
        "then",
        "else",
      ),
      tie("any"),
    ),
    fc.tuple(
      fc.constant("propertyNames"),
      fc.constantFrom({ enum: ["a", "b"] }, { maxLength: 0 }, { pattern: "^a" }),
    ),
    fc.tuple(fc.constantFrom("allOf", "anyOf", "oneOf", "prefixItems"), list),
    fc.tuple(fc.constant("$ref"), fc.constantFrom("#/$defs/a", "#/$defs/b")),
  );
  return {
    any: fc.oneof(
      { maxDepth: 4 },
      { weight: 1, arbitrary: fc.boolean() },
      {
        weight: 6,
        arbitrary: fc.array(keyword, { maxLength: 4 }).map((keywords) => Object.fromEntries(keywords)),
      },
    ),
  };
});
const document = fc.tuple(schema, schema, schema).map(
  ([top, a, b]): JsonObject => ({
    ...(isJsonObject(top) ? top : { allOf: [top] }),
    $defs: { a: unreferring(a), b: unreferring(b) },
  }),
);

/** Without `$ref`s, so that none leads back to itself. */
function unreferring(of: JsonValue): JsonValue {
  if (Array.isArray(of)) return of.map(unreferring);
  if (!isJsonObject(of)) return of;
  return Object.fromEntries(
    Object.entries(of).flatMap(([keyword, inner]) =>
      keyword === "$ref" || inner === undefined ? [] : [[keyword, unreferring(inner)]],
    ),
  );
}

const schemas = runs(2_500);

test("what a value fits is never said to fit none, and no value that fits is said not to", () => {
  let misfits = 0;
  fc.assert(
    fc.property(document, fc.array(value, { minLength: 20, maxLength: 20 }), (root, values) => {
      const fits = validator(root);
      const reason = reasonOf(root);
      if (reason !== undefined) misfits += 1;
      for (const each of values) {
        if (!fits(each)) continue;
        expect(reason, JSON.stringify(each)).toBeUndefined();
        const refused = refutation(each, [placed(root)]);
        expect(refused, JSON.stringify(each)).toBeUndefined();
      }
    }),
    { numRuns: schemas },
  );
  expect(misfits).toBeGreaterThan(schemas / 20);
});

const suite = join(packageRoot, "../shared/data/json-schema-test-suite/tests/draft2020-12");
/** Where the suite takes formats for annotations, and integers for numbers of any size. */
const otherwise = ["format.json", "bignum.json", "float-overflow.json"];
/** Refused by the build, for they change what a `$ref` leads to. */
const refused = ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef"];

test.skipIf(!existsSync(suite))(
  "a schema of the JSON Schema Test Suite with a valid instance is never said to fit none (skipped where ../shared/data is not present)",
  () => {
    const files = ["", "optional/"].flatMap((folder) =>
      readdirSync(join(suite, folder)).flatMap((file) =>
        file.endsWith(".json") && !otherwise.includes(file) ? [join(suite, folder, file)] : [],
      ),
    );
    let judged = 0;
    const wrong = files.flatMap((file) => {
      const groups: readonly JsonObject[] = JSON.parse(readFileSync(file, "utf8"));
      return groups.flatMap(({ schema: of = true, description, tests }) => {
        const cases = Array.isArray(tests) ? tests.filter(isJsonObject) : [];
        const valid = cases.flatMap(({ data, valid }) =>
          valid === true && data !== undefined ? [data] : [],
        );
        if (valid.length === 0 || refused.some((keyword) => mentions(of, keyword))) return [];
        judged += 1;
        const reason = reasonOf(of);
        const doubted = valid.filter((each) => refutation(each, [placed(of)]) !== undefined);
        return reason === undefined && doubted.length === 0
          ? []
          : [`${file} ${description}: ${reason} ${JSON.stringify(doubted)}`];
      });
    });
    expect(wrong).toEqual([]);
    expect(judged).toBeGreaterThan(200);
  },
);
