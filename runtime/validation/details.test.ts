import { expect, test } from "vitest";
import { collection, validatorOf } from "../documents/testing/shop.ts";
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
    "p.long: must have at most 1 character",
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
    "profile: must have at least 2 members",
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
    'word: must match the pattern "^[a-z]+$"',
    "never: is not allowed",
  ]);
});

test("Document endpoints 2: one detail per failing field", () => {
  const schema = { properties: { a: { type: "string", minLength: 3, pattern: "^x" } } };
  expect(problems(schema, { a: "b" })).toEqual(["a: must have at least 3 characters"]);
});

test("Document endpoints 2: a union says what its branches say", () => {
  const schema = { properties: { a: { anyOf: [{ type: "string" }, { type: "integer" }] } } };
  expect(problems(schema, { a: true })).toEqual(["a: must be string, or must be integer"]);
  const deep = { properties: { a: { oneOf: [{ type: "null" }, { type: "object", required: ["b"] }] } } };
  expect(problems(deep, { a: {} })).toEqual(["a: must be null", "a.b: is required"]);
  const both = { properties: { a: { oneOf: [{ type: "string" }, { minLength: 1 }] } } };
  expect(problems(both, { a: "x" })).toEqual([
    "a: matches more than one of the allowed forms, and must match only one",
  ]);
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

test("Dates 1: a date-time without its zone is told so", () => {
  const schema = { properties: { at: { format: "date-time" }, "a/b": { items: { format: "date-time" } } } };
  const body = { at: "2026-01-31T10:00:00", "a/b": ["soon", "2026-01-31T10:00:00.5"] };
  expect(() => requireValid(collection("dated", { validate: validatorOf(schema) }), body, [])).toThrow(
    expect.objectContaining({
      details: [
        { path: "at", reason: "must have a zone: Z for UTC, or an offset such as +02:00" },
        { path: "a/b.0", reason: "must be a valid date-time" },
        { path: "a/b.1", reason: "must have a zone: Z for UTC, or an offset such as +02:00" },
      ],
    }),
  );
});

test("Document endpoints 2: limits are told in plain words", () => {
  const schema = {
    properties: {
      list: { type: "array", uniqueItems: true, maxItems: 1 },
      low: { minimum: 3 },
      above: { exclusiveMinimum: 3 },
      high: { maximum: 3 },
      not: { not: { const: 1 } },
    },
  };
  expect(problems(schema, { list: [1, 1], low: 1, above: 3, high: 4, not: 1 })).toEqual([
    "list: must have at most 1 element",
    "low: must be at least 3",
    "above: must be greater than 3",
    "high: must be at most 3",
    "not: is of a form that is excluded",
  ]);
});
