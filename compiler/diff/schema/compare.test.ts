/** What the table of checks does not show: references, branches, schemas that refer to themselves. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../runtime/json.ts";
import { schemaOf } from "../../../templates/testing/models.ts";
import type { Change } from "../../settings/change.ts";
import { noting, reporter } from "../../settings/change.ts";
import { checks } from "../catalogue.ts";
import { compareSchemas } from "./compare.ts";

function compared(old: JsonObject, now: JsonObject, others: Record<string, JsonObject> = {}): string[] {
  const changes: Change[] = [];
  const [before, after] = [old, now].map((document) =>
    schemaOf("desk/db/notes/schema.json", document, others),
  );
  if (before && after) compareSchemas(before, after, "schema", reporter(checks, noting("desk", changes)));
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

  test("a branch of oneOf that is widened may take from the others, unless they exclude it", () => {
    const one = (...oneOf: JsonObject[]): JsonObject => object({ a: { oneOf } });
    const texts = (maxLength: number, minLength: number): JsonObject =>
      one({ type: "string", maxLength }, { type: "string", minLength });
    expect(compared(texts(5, 9), texts(12, 9))).toEqual(["variants-changed schema.a"]);
    const typed = (more: JsonObject): JsonObject => one({ type: "string", ...more }, { type: "integer" });
    expect(compared(typed({ maxLength: 5 }), typed({ maxLength: 9 }))).toEqual(["limit-relaxed schema.a"]);
    const kinds = (more: JsonObject): JsonObject =>
      one(
        object({ kind: { const: "card" }, ...more }, { required: ["kind"] }),
        object({ kind: { enum: ["cash", "gift"] } }, { required: ["kind"] }),
      );
    expect(compared(kinds({}), kinds({ number: { type: "string" } }))).toEqual([
      "field-added schema.a.number",
    ]);
  });

  test("what accepts nothing but null", () => {
    expect(compared(object({ a: { const: null } }), object({ a: false }))).toEqual(["null-refused schema.a"]);
    const some = object({ a: { enum: [null], anyOf: [{ type: "string" }] } });
    expect(compared(object({ a: { enum: [null] } }), some)).toEqual(["variants-changed schema.a"]);
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

  test("the order of lists that have none means nothing", () => {
    const one = object(
      { a: { type: ["string", "null"] }, k: { enum: ["x", "y"] } },
      {
        allOf: [
          { anyOf: [{ required: ["a", "k"] }, { required: ["b"] }] },
          { anyOf: [{ required: ["c"] }, { required: ["d"] }] },
          { not: { required: ["e", "f"] } },
          { not: { properties: { k: { enum: ["x", "z"] } } } },
        ],
      },
    );
    const other = object(
      { k: { enum: ["y", "x"] }, a: { type: ["null", "string"] } },
      {
        allOf: [
          { not: { properties: { k: { enum: ["z", "x"] } } } },
          { anyOf: [{ required: ["d"] }, { required: ["c"] }] },
          { not: { required: ["f", "e"] } },
          { anyOf: [{ required: ["b"] }, { required: ["k", "a"] }] },
        ],
      },
    );
    expect(compared(one, other)).toEqual([]);
  });

  test("members that are required and not declared", () => {
    const open = object({});
    expect(compared(object({}, { required: ["x"] }), open)).toEqual(["field-now-optional schema.x"]);
    expect(compared(open, object({}, { required: ["x"] }))).toEqual(["field-now-required schema.x"]);
    expect(
      compared(object({}, { required: ["x"] }), object({ x: { type: "string" } }, { required: ["x"] })),
    ).toEqual(["field-added schema.x"]);
  });

  test("a member that comes is compared with what such members had to be", () => {
    const map = (properties: JsonObject): JsonObject =>
      object(properties, { additionalProperties: { type: "string" } });
    expect(compared(map({}), map({ n: { type: "integer" } }))).toEqual([
      "field-added schema.n",
      "type-changed schema.n",
    ]);
    expect(compared(map({}), map({ n: { type: "string" } }))).toEqual(["field-added schema.n"]);
  });

  test("null, where every other type is accepted by both", () => {
    const all = { type: ["array", "boolean", "number", "object", "string"] };
    expect(compared(object({ a: true }), object({ a: all }))).toEqual(["null-refused schema.a"]);
    expect(compared(object({ a: all }), object({ a: {} }))).toEqual(["null-allowed schema.a"]);
  });

  test("limits that limit nothing", () => {
    const text = (more: JsonObject): JsonObject => object({ t: { type: "string", ...more } });
    expect(compared(text({}), text({ minLength: 0 }))).toEqual(["schema-rewritten schema"]);
    expect(compared(text({ minLength: 1 }), text({ minLength: 0 }))).toEqual(["limit-relaxed schema.t"]);
  });

  test("multiples", () => {
    const both = object({ n: { type: "integer", multipleOf: 4, allOf: [{ multipleOf: 6 }] } });
    expect(compared(both, object({ n: { type: "integer", multipleOf: 6 } }))).toEqual([
      "limit-relaxed schema.n",
    ]);
    const number = (multipleOf: number): JsonObject => object({ n: { type: "integer", multipleOf } });
    expect(compared(number(4), number(2))).toEqual(["limit-relaxed schema.n"]);
    expect(compared(number(2), number(3))).toEqual(["limit-tightened schema.n"]);
    // As decimals: the least common multiple of 0.1 and 0.15 is 0.3.
    const prices = object({ n: { type: "number", multipleOf: 0.1, allOf: [{ multipleOf: 0.15 }] } });
    const price = (multipleOf: number): JsonObject => object({ n: { type: "number", multipleOf } });
    expect(compared(prices, price(0.3))).toEqual(["schema-rewritten schema"]);
    expect(compared(prices, price(0.05))).toEqual(["limit-relaxed schema.n"]);
    expect(
      compared(price(0.3), object({ n: { type: "number", multipleOf: 0.1, allOf: [{ multipleOf: 0.7 }] } })),
    ).toEqual(["limit-tightened schema.n"]);
  });
});
