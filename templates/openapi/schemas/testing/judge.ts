import { Ajv2020 } from "ajv/dist/2020.js";
import { type Place, placeOf } from "../../../../compiler/schema/place.ts";
import type { JsonObject, JsonValue } from "../../../../runtime/json.ts";
import { schemaOf } from "../../testing/models.ts";
import { type Ref, SchemaPool } from "../pool.ts";

/** What a pool makes of one schema, judged by an independent validator. */
export interface Judged {
  readonly components: Readonly<Record<string, JsonValue>>;
  readonly accepts: (value: JsonValue) => boolean;
}

export function judge(
  schema: JsonValue,
  make: (pool: SchemaPool, place: Place) => Ref,
  files: Readonly<Record<string, JsonValue>> = {},
): Judged {
  const pool = new SchemaPool(new Map([["schema.json", "Things"]]));
  const { $ref } = make(pool, placeOf(schemaOf(schema, files)));
  const components: Record<string, JsonValue> = JSON.parse(JSON.stringify(pool.toObject()));
  const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true });
  ajv.addSchema({ components: { schemas: components } }, "document");
  const validate = ajv.compile({ $ref: `document${$ref}` });
  return { components, accepts: (value) => validate(value) };
}

/** Schemas of many kinds, each with documents that fit it. */
export const samples: readonly {
  readonly name: string;
  readonly schema: JsonObject;
  readonly fitting: readonly JsonObject[];
}[] = [
  {
    name: "closed",
    schema: {
      type: "object",
      required: ["a", "b"],
      properties: {
        a: { type: "string" },
        b: {
          type: "object",
          required: ["c"],
          properties: { c: { type: "integer" } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    fitting: [
      { a: "x", b: { c: 1 } },
      { a: "y", b: { c: 2 } },
    ],
  },
  {
    name: "branches, closed by unevaluatedProperties",
    schema: {
      type: "object",
      properties: { a: true },
      oneOf: [
        { required: ["kind", "b"], properties: { kind: { const: "one" }, b: { $ref: "#/$defs/inner" } } },
        { required: ["kind"], properties: { kind: { const: "two" }, d: { enum: [1, "1", [1]] } } },
      ],
      unevaluatedProperties: false,
      $defs: {
        inner: {
          type: "object",
          required: ["c"],
          properties: { c: { type: "string" } },
          additionalProperties: false,
        },
      },
    },
    fitting: [{ kind: "one", b: { c: "x" } }, { kind: "two" }, { kind: "two", d: "1", a: 5 }],
  },
  {
    name: "closed branches under allOf and $ref with siblings",
    schema: {
      type: "object",
      $ref: "#/$defs/base",
      allOf: [
        { maxProperties: 3 },
        { propertyNames: { maxLength: 2 } },
        {
          required: ["b"],
          properties: { a: true, b: { type: "object" }, e: true },
          additionalProperties: false,
        },
      ],
      patternProperties: { ".": { type: ["string", "object", "number"], pattern: "^x" } },
      $defs: { base: { type: "object", required: ["a"], properties: { a: { minLength: 1 } } } },
    },
    fitting: [
      { a: "x", b: { c: 1 } },
      { a: "xy", b: {}, e: 3 },
    ],
  },
  {
    name: "conditions and dependencies",
    schema: {
      type: "object",
      if: { required: ["a"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ["b"], properties: { b: { type: "object" } } },
      else: { properties: { e: { type: "null" } } },
      dependentRequired: { b: ["a"] },
      dependentSchemas: { a: { required: ["b"], minProperties: 2 } },
      not: { required: ["never"] },
    },
    fitting: [{ a: 1, b: { c: null } }, { e: null }, {}],
  },
  {
    name: "recursive",
    schema: {
      type: "object",
      required: ["a"],
      properties: { a: { type: "string" }, b: { $ref: "#" }, more: { type: "array", items: { $ref: "#" } } },
    },
    fitting: [
      { a: "x" },
      { a: "y", b: { a: "z", c: 1 } },
      { a: "x", b: { a: "y", b: { a: "z" } }, more: [{ a: "w" }] },
    ],
  },
];
