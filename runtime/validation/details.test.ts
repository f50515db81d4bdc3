import { expect, test } from "vitest";
import { collection, validatorOf } from "../documents/testing.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { requireValid, validationDetails } from "./details.ts";

function problems(schema: JsonObject, document: JsonValue, prefix?: string) {
  const validate = validatorOf(schema);
  validate(document);
  return validationDetails(validate.errors ?? [], prefix).map(({ path, reason }) => `${path}: ${reason}`);
}

test("Document endpoints 2: the path of a missing, unknown or misnamed member is the member's", () => {
  const schema = {
    properties: {
      a: { required: ["b"], additionalProperties: false, properties: { b: true } },
      p: { propertyNames: { maxLength: 1 } },
    },
    required: ["c"],
    dependentRequired: { a: ["d"] },
    unevaluatedProperties: false,
  };
  expect(problems(schema, { a: { x: 1 }, p: { long: 1 }, z: 1 }).sort()).toEqual([
    "a.b: is required",
    "a.x: is not allowed",
    "c: is required",
    "d: is required beside a",
    "p.long: must NOT have more than 1 characters",
    "z: is not allowed",
  ]);
});

test("Document endpoints 2: paths are dotted, whatever JSON pointers escape", () => {
  const schema = { additionalProperties: { items: { type: "integer" } } };
  expect(problems(schema, { "a/b": ["x"], "c~d": [1, "y"] })).toEqual([
    "a/b.0: must be integer",
    "c~d.1: must be integer",
  ]);
});

test("Document endpoints 2: a prefix stands before every path", () => {
  expect(problems({ required: ["a"], minProperties: 2 }, {}, "profile")).toEqual([
    "profile: must NOT have fewer than 2 properties",
    "profile.a: is required",
  ]);
});

test("Document endpoints 2: reasons say what is expected", () => {
  const schema = {
    properties: {
      status: { enum: ["open", "closed", 3] },
      kind: { const: "x" },
      at: { format: "date-time" },
      size: { type: ["integer", "null"] },
      word: { type: "string", pattern: "^[a-z]+$" },
      never: false,
    },
  };
  const document = { status: "gone", kind: "y", at: "soon", size: "x", word: "A1", never: 1 };
  expect(problems(schema, document)).toEqual([
    'status: must be one of "open", "closed", 3',
    'kind: must be "x"',
    "at: must be a valid date-time",
    "size: must be integer or null",
    'word: must match pattern "^[a-z]+$"',
    "never: is not allowed",
  ]);
});

test("Document endpoints 2: one detail per failing field", () => {
  const schema = { properties: { a: { type: "string", minLength: 3, pattern: "^x" } } };
  expect(problems(schema, { a: "b" })).toEqual(["a: must NOT have fewer than 3 characters"]);
});

test("Document endpoints 2: a union says what its branches say", () => {
  const schema = { properties: { a: { anyOf: [{ type: "string" }, { type: "integer" }] } } };
  expect(problems(schema, { a: true })).toEqual(["a: must be string, or must be integer"]);
  const deep = { properties: { a: { oneOf: [{ type: "null" }, { type: "object", required: ["b"] }] } } };
  expect(problems(deep, { a: {} })).toEqual(["a: must be null", "a.b: is required"]);
  const both = { properties: { a: { oneOf: [{ type: "string" }, { minLength: 1 }] } } };
  expect(problems(both, { a: "x" })).toEqual(["a: must match one of the allowed forms"]);
});

test("Document endpoints 2: what only follows from another error is left out", () => {
  const conditional = JSON.parse('{"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}}');
  expect(problems(conditional, { a: 1 })).toEqual(["b: is required"]);
  const unevaluated = {
    anyOf: [{ properties: { a: { type: "string" }, b: true }, required: ["a"] }],
    unevaluatedProperties: false,
  };
  expect(problems(unevaluated, { a: 1, b: 2 })).toEqual([
    "a: must be string",
    ": must match one of the allowed forms",
  ]);
});

test("Document endpoints 2: the number of details is bounded", () => {
  const document = { list: Array.from({ length: 10_000 }, () => "x") };
  const schema = { properties: { list: { items: { type: "integer" } } } };
  expect(problems(schema, document).length).toBe(100);
  const strict = collection("strict", { validate: validatorOf(schema) });
  const many = Array.from({ length: 100 }, (_, at) => ({ path: `$${at}`, reason: "x" }));
  expect(() => requireValid(strict, document, many)).toThrow(
    expect.objectContaining({ code: "validation_error", details: many }),
  );
});
