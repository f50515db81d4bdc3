/** What the table of checks does not show: references, branches, schemas that refer to themselves. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../runtime/json.ts";
import { placeOf } from "../../emit/openapi/schemas/place.ts";
import { schemaOf } from "../../emit/testing.ts";
import { reporter } from "../catalogue.ts";
import type { Change } from "../change.ts";
import { compareSchemas } from "./compare.ts";

function compared(old: JsonObject, now: JsonObject, others: Record<string, JsonObject> = {}): string[] {
  const changes: Change[] = [];
  const [before, after] = [old, now].map((document) =>
    placeOf(schemaOf("desk/db/notes/schema.json", document, others)),
  );
  if (before && after) compareSchemas(before, after, "schema", reporter("desk", changes));
  return changes.map(({ check, where }) => `${check} ${where}`);
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

describe("schemas", () => {
  test("the order of keys, and where a definition stands, mean nothing", () => {
    const shared = { "desk/_shared/x.json": { type: "string", maxLength: 5 } };
    const written = object(
      { a: { maxLength: 5, type: "string" }, b: { enum: ["x", "y"] } },
      { required: ["a", "b"] },
    );
    const again = object(
      { b: { enum: ["y", "x"] }, a: { $ref: "../../_shared/x.json" } },
      { required: ["b", "a"] },
    );
    expect(compared(written, again, shared)).toEqual(["schema-rewritten schema"]);
    expect(
      compared(
        written,
        object({ b: { enum: ["x", "y"] }, a: { type: "string", maxLength: 5 } }, { required: ["a", "b"] }),
      ),
    ).toEqual([]);
  });

  test("allOf narrows, and siblings of $ref count", () => {
    const one = object({ a: { type: "string" } });
    const other = object(
      { a: { $ref: "#/$defs/s", maxLength: 9 } },
      { $defs: { s: { allOf: [{ type: "string" }, { maxLength: 7 }] } } },
    );
    expect(compared(one, other)).toEqual(["limit-tightened schema.a"]);
    expect(compared(other, one)).toEqual(["limit-relaxed schema.a"]);
  });

  test("schemas that refer to themselves are entered once, those that others refer to at each place", () => {
    const tree = (value: JsonObject): JsonObject =>
      object(
        { root: { $ref: "#/$defs/node" } },
        { $defs: { node: object({ value, children: { type: "array", items: { $ref: "#/$defs/node" } } }) } },
      );
    expect(compared(tree({ type: "string" }), tree({ type: "integer" }))).toEqual([
      "type-changed schema.root.value",
    ]);
    const twice = (value: JsonObject): JsonObject =>
      object({ a: { $ref: "#/$defs/v" }, b: { $ref: "#/$defs/v" } }, { $defs: { v: value } });
    expect(compared(twice({ type: "string" }), twice({ type: "integer" }))).toEqual([
      "type-changed schema.a",
      "type-changed schema.b",
    ]);
  });

  test("one branch that changed is looked into", () => {
    const card = (more: JsonObject): JsonObject =>
      object({ by: { anyOf: [object({ card: { type: "string", ...more } }), object({ cash: true })] } });
    expect(compared(card({}), card({ pattern: "^4" }))).toEqual(["pattern-added schema.by.card"]);
    expect(compared(card({}), card({ description: "its number" }))).toEqual([
      "description-changed schema.by.card",
    ]);
  });

  test("a branch for null is one that readers may receive", () => {
    expect(
      compared(
        object({ a: { anyOf: [{ type: "string" }] } }),
        object({ a: { anyOf: [{ type: "string" }, { type: "null" }] } }),
      ),
    ).toEqual(["variant-added schema.a"]);
  });

  test("null in an enumeration is null, not a value", () => {
    expect(compared(object({ a: { enum: ["x"] } }), object({ a: { enum: ["x", null] } }))).toEqual([
      "null-allowed schema.a",
    ]);
  });

  test("members called like keywords of JSON Schema", () => {
    const titled = (value: string): JsonObject =>
      object({ k: { type: "string" } }, { if: { properties: { title: { const: value } } } });
    expect(compared(titled("a"), titled("b"))).toEqual(["condition-changed schema"]);
    expect(compared(object({ title: { type: "string" } }), object({}))).toEqual([
      "field-removed schema.title",
    ]);
  });

  test("elements and undeclared members", () => {
    const list = (items: JsonObject): JsonObject => object({ l: { type: "array", items } });
    expect(compared(list(object({ a: { type: "string" } })), list(object({})))).toEqual([
      "field-removed schema.l[].a",
    ]);
    const map = (value: JsonObject | boolean): JsonObject =>
      object({ m: { type: "object", additionalProperties: value } });
    expect(compared(map({ type: "string" }), map({ type: "integer" }))).toEqual(["type-changed schema.m.*"]);
    expect(compared(map(true), map({ type: "string" }))).toEqual(["type-narrowed schema.m.*"]);
  });

  test("multiples", () => {
    const number = (multipleOf: number): JsonObject => object({ n: { type: "integer", multipleOf } });
    expect(compared(number(4), number(2))).toEqual(["limit-relaxed schema.n"]);
    expect(compared(number(2), number(3))).toEqual(["limit-tightened schema.n"]);
  });
});
