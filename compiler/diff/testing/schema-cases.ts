import type { schemaChecks } from "../checks/schema.ts";
import type { Case, Sketch } from "./case.ts";

/** A schema with one field. */
const field = (value: object | boolean | undefined, more: object = {}): Sketch => ({
  schema: { type: "object", properties: value === undefined ? {} : { a: value }, ...more },
});
const text = { type: "string" };
const place = "db/notes schema.a";

export const schemaCases: Readonly<Record<keyof typeof schemaChecks, Case>> = {
  "field-removed": { old: field(text), now: field(undefined), line: `${place}: the field is gone` },
  "field-added": { old: field(undefined), now: field(text), line: `${place}: the field is new and optional` },
  "field-added-required": {
    old: field(undefined),
    now: field(text, { required: ["a"] }),
    line: `${place}: the field is new and required`,
  },
  "field-now-required": {
    old: field({ type: "object", properties: { b: text } }),
    now: field({ type: "object", properties: { b: text }, required: ["b"] }),
    line: `${place}.b: the field is required`,
  },
  "field-now-optional": {
    old: field(text, { required: ["a"] }),
    now: field(text),
    line: `${place}: the field is optional: readers may miss it`,
  },
  "type-narrowed": {
    old: field({ type: "number" }),
    now: field({ type: "integer" }),
    line: `${place}: was number, is integer`,
  },
  "type-widened": {
    old: field(text),
    now: field({ type: ["string", "boolean"] }),
    line: `${place}: was string, may be boolean or string: readers may receive boolean`,
  },
  "type-changed": {
    old: field({ type: "array", items: text }),
    now: field({ type: "array", items: { type: "integer" } }),
    line: `${place}[]: was string, is integer`,
  },
  "null-refused": {
    old: field({ type: ["string", "null"] }),
    now: field(text),
    line: `${place}: must not be null`,
  },
  "null-allowed": {
    old: field(text),
    now: field({ type: ["string", "null"] }),
    line: `${place}: may be null: readers may receive null`,
  },
  "storage-changed": {
    old: field({ type: "string", format: "date-time" }),
    now: field({ type: "string", format: "date-time", "x-svc-store": "date" }),
    line: `${place}: was stored as a text, is stored as a date`,
  },
  "value-removed": {
    old: field({ enum: ["open", "closed"] }),
    now: field({ enum: ["open"] }),
    line: `${place}: 'closed' is not accepted any longer`,
  },
  "value-added": {
    old: field({ enum: ["open"] }),
    now: field({ enum: ["open", "closed"] }),
    line: `${place}: 'closed' is accepted; readers may receive it`,
  },
  "values-introduced": {
    old: field(text),
    now: field({ type: "string", enum: ["a", "b"] }),
    line: `${place}: only 'a', 'b' are accepted`,
  },
  "values-lifted": {
    old: field({ type: "string", const: "a" }),
    now: field(text),
    line: `${place}: other values than 'a' are accepted; readers may receive them`,
  },
  "limit-tightened": {
    old: field({ type: "string", maxLength: 100 }),
    now: field({ type: "string", maxLength: 10 }),
    line: `${place}: maxLength was 100 and is 10`,
  },
  "limit-relaxed": {
    old: field({ type: "integer", minimum: 1 }),
    now: field({ type: "integer" }),
    line: `${place}: minimum was 1 and is none`,
  },
  "pattern-added": {
    old: field(text),
    now: field({ type: "string", pattern: "^a" }),
    line: `${place}: must match ^a`,
  },
  "pattern-removed": {
    old: field({ type: "string", pattern: "^a" }),
    now: field(text),
    line: `${place}: need not match ^a`,
  },
  "pattern-changed": {
    old: field({ type: "string", pattern: "^a" }),
    now: field({ type: "string", pattern: "^b" }),
    line: `${place}: had to match ^a, must match ^b`,
  },
  "format-added": {
    old: field(text),
    now: field({ type: "string", format: "email" }),
    line: `${place}: must be a valid email`,
  },
  "format-removed": {
    old: field({ type: "string", format: "email" }),
    now: field(text),
    line: `${place}: need not be a valid email`,
  },
  "format-changed": {
    old: field({ type: "string", format: "email" }),
    now: field({ type: "string", format: "uri" }),
    line: `${place}: had to be a valid email, must be a valid uri`,
  },
  "items-unique": {
    old: field({ type: "array", items: text }),
    now: field({ type: "array", items: text, uniqueItems: true }),
    line: `${place}: elements must differ`,
  },
  "items-may-repeat": {
    old: field({ type: "array", items: text, uniqueItems: true }),
    now: field({ type: "array", items: text }),
    line: `${place}: elements may repeat`,
  },
  "members-refused": {
    old: field(text),
    now: field(text, { additionalProperties: false }),
    line: "db/notes schema: members that are not declared are refused",
  },
  "members-allowed": {
    old: field(text, { additionalProperties: false }),
    now: field(text),
    line: "db/notes schema: members that are not declared are accepted",
  },
  "variant-removed": {
    old: field({ anyOf: [text, { type: "integer" }] }),
    now: field({ anyOf: [text] }),
    line: `${place}: an alternative is gone: {"type":"integer"}`,
  },
  "variant-added": {
    old: field({ oneOf: [text] }),
    now: field({ oneOf: [text, { type: "integer" }] }),
    line: `${place}: an alternative is new, which readers may receive: {"type":"integer"}`,
  },
  "variants-changed": {
    old: field({ anyOf: [text, { type: "integer" }] }),
    now: field({ anyOf: [{ type: "boolean" }, { type: "object" }] }),
    line: `${place}: the alternatives (anyOf) are others`,
  },
  "condition-added": {
    old: field(text),
    now: field({ type: "string", not: { const: "b" } }),
    line: `${place}: not is new`,
  },
  "condition-removed": {
    old: field(text, { dependentRequired: { a: ["b"] } }),
    now: field(text),
    line: "db/notes schema: dependentRequired is gone",
  },
  "condition-changed": {
    old: field({ type: "object", patternProperties: { "^x": text } }),
    now: field({ type: "object", patternProperties: { "^y": text } }),
    line: `${place}: patternProperties is another`,
  },
  "description-changed": {
    old: field({ type: "string", description: "a text" }),
    now: field({ type: "string", description: "another text", examples: ["x"] }),
    line: `${place}: description, examples changed`,
  },
  "schema-rewritten": {
    old: field({ type: "string", maxLength: 5 }),
    now: field({ $ref: "#/$defs/short" }, { $defs: { short: { type: "string", maxLength: 5 } } }),
    line: "db/notes schema: the schema is written otherwise and means the same",
  },
};
