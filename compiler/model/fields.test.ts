import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../runtime/json.ts";
import type { Schema } from "../schema/place.ts";
import { TooManyParts } from "../schema/shapes.ts";
import { pointerOf } from "../source/source.ts";
import { declaredFields } from "./fields.ts";

function schemaOf(document: JsonObject, others: Record<string, JsonObject> = {}): Schema {
  const path = "desk/support/tickets/schema.json";
  const files = Object.entries({ ...others, [path]: document }).map(([name, value]) => ({
    path: name,
    document: value,
  }));
  return { path, pointer: "", document, files };
}

/** `path: kinds`, with `[]` for each array on the way, `?` for nullable, `=` for the values allowed. */
function describeFields(document: JsonObject, others?: Record<string, JsonObject>): string[] {
  return declaredFields(schemaOf(document, others)).fields.map(
    ({ path, kinds, arrays, scalar, nullable, values }) => {
      const own = arrays.includes(path) ? (scalar ? "[]|" : "[]") : "";
      const through = arrays.filter((each) => each !== path).map((each) => ` via ${each}[]`);
      return `${path}${own}${nullable ? "?" : ""}: ${kinds.join("|")}${values === undefined ? "" : `=${values.join(",")}`}${through.join("")}`;
    },
  );
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const string = { type: "string" };
const date = { type: "string", format: "date-time", "x-svc-store": "date" };

describe("declared fields", () => {
  test("are nullable where the value, or an element of the array there, may be null", () => {
    const document = object({
      a: { type: ["string", "null"] },
      b: { type: "array", items: { type: ["string", "null"] } },
      c: { type: ["array", "null"], items: string },
      d: { type: "array", items: { anyOf: [string, { type: "null" }] } },
      e: { enum: ["x", null] },
      f: { type: "array", items: string },
      g: { type: "array" },
    });
    expect(describeFields(document).map((line) => line.replace(/:.*/, ""))).toEqual([
      "a?",
      "b[]?",
      "c[]?",
      "d[]?",
      "e?",
      "f[]",
      "g[]?",
    ]);
  });

  test("are reached through properties and items, sorted by path", () => {
    const document = object({
      title: string,
      done: { type: "boolean" },
      count: { type: "integer" },
      ratio: { type: ["number", "null"] },
      tags: { type: "array", items: string },
      lines: {
        type: "array",
        items: object({ sku: string, sizes: { type: "array", items: { type: "integer" } } }),
      },
      address: object({ city: string }),
    });
    expect(describeFields(document)).toEqual([
      "address: object",
      "address.city: string",
      "count: integer",
      "done: boolean",
      "lines[]: object",
      "lines.sizes[]: integer via lines[]",
      "lines.sku: string via lines[]",
      "ratio?: number",
      "tags[]: string",
      "title: string",
    ]);
  });

  test("patternProperties, additionalProperties, if, not and contains declare nothing", () => {
    const inner = object({ hidden: string });
    expect(
      describeFields({
        type: "object",
        patternProperties: { "^x": inner },
        additionalProperties: inner,
        if: inner,
        not: inner,
      }),
    ).toEqual([]);
  });

  test("reserved names, names with dots and with $, and impossible members are not declared", () => {
    expect(
      describeFields(
        object({ id: string, _meta: {}, "a.b": string, $c: string, no: false, in: object({ id: string }) }),
      ),
    ).toEqual(["in: object", "in.id: string"]);
  });

  test("enum and const give kinds and values", () => {
    const document = object({
      status: { enum: ["open", "closed"] },
      maybe: { type: ["string", "null"], enum: ["b", "a", null] },
      kind: { const: "x" },
      level: { enum: [1, 2] },
      mixed: { enum: ["a", 1.5] },
      tags: { type: "array", items: { enum: ["x", "y"] } },
    });
    expect(describeFields(document)).toEqual([
      "kind: string=x",
      "level: integer",
      "maybe?: string=a,b",
      "mixed: number|string=a",
      "status: string=closed,open",
      "tags[]: string=x,y",
    ]);
  });

  test("without a type a field may be anything", () => {
    expect(describeFields(object({ any: {}, also: true }))).toEqual([
      "also[]|?: boolean|number|object|string",
      "any[]|?: boolean|number|object|string",
    ]);
  });

  test("branches of anyOf and oneOf are merged", () => {
    const document = object(
      { id_or_list: { anyOf: [string, { type: "array", items: { type: "integer" } }, { type: "null" }] } },
      {
        oneOf: [
          object({ a: string, both: { enum: ["x"] } }),
          object({ b: { type: "integer" }, both: { enum: ["y"] } }),
        ],
      },
    );
    expect(describeFields(document)).toEqual([
      "a: string",
      "b: integer",
      "both: string=x,y",
      "id_or_list[]|?: integer|string",
    ]);
  });

  test("values are known only where every branch has them", () => {
    const document = object({
      a: { anyOf: [{ const: "x" }, string] },
      b: { anyOf: [{ const: "x" }, { type: "integer" }] },
    });
    expect(describeFields(document)).toEqual(["a: string", "b: integer|string=x"]);
  });

  test("allOf and the siblings of $ref narrow", () => {
    const document = object(
      {
        a: { allOf: [{ type: ["string", "null"] }, string] },
        b: { $ref: "#/$defs/number", type: "integer" },
        c: { $ref: "#/$defs/person", properties: { age: { type: "integer" } } },
        d: { allOf: [{ enum: ["x", "y"] }, { enum: ["y", "z"] }] },
      },
      { $defs: { number: { type: "number" }, person: object({ name: string }) } },
    );
    expect(describeFields(document)).toEqual([
      "a: string",
      "b: integer",
      "c: object",
      "c.age: integer",
      "c.name: string",
      "d: string=y",
    ]);
  });

  test("$ref reaches other files, and from them further", () => {
    const document = object({ home: { $ref: "../../_shared/address.json#/$defs/address" } });
    const others = {
      "desk/_shared/address.json": { $defs: { address: object({ street: { $ref: "street.json" } }) } },
      "desk/_shared/street.json": string,
    };
    expect(describeFields(document, others)).toEqual(["home: object", "home.street: string"]);
  });

  test("a path enters the same $ref once", () => {
    const node = object({ name: string, children: { type: "array", items: { $ref: "#/$defs/node" } } });
    expect(describeFields(object({ root: { $ref: "#/$defs/node" } }, { $defs: { node } }))).toEqual([
      "root: object",
      "root.children[]: object",
      "root.name: string",
    ]);
    const tree = object({ name: string, children: { type: "array", items: { $ref: "#" } } });
    expect(describeFields(tree)).toEqual([
      "children[]: object",
      "children.children[]: object via children[]",
      "children.name: string via children[]",
      "name: string",
    ]);
  });

  test("x-svc-store makes dates, also beside null and through $ref with siblings", () => {
    const document = object(
      {
        at: date,
        on: { type: ["string", "null"], format: "date", "x-svc-store": "date" },
        plain: { type: "string", format: "date-time" },
        ref: { $ref: "#/$defs/at", description: "when" },
        list: { type: "array", items: date },
      },
      { $defs: { at: date } },
    );
    expect(describeFields(document)).toEqual([
      "at: date-time",
      "list[]: date-time",
      "on?: date",
      "plain: string",
      "ref: date-time",
    ]);
  });

  test("branches that disagree about a date are told", () => {
    const document = object({
      at: { anyOf: [date, string] },
      fine: { anyOf: [date, { type: "null" }, { type: "integer" }] },
    });
    const { disagreements } = declaredFields(schemaOf(document));
    expect(disagreements.map(({ path, stores }) => `${path} ${[...stores].sort().join()}`)).toEqual([
      "at date-time,plain",
    ]);
  });

  test("tuples count with their elements, arrays of arrays like objects", () => {
    const document = object({
      pair: { type: "array", prefixItems: [string, { type: "integer" }], items: false },
      matrix: { type: "array", items: { type: "array", items: { type: "number" } } },
    });
    expect(describeFields(document)).toEqual(["matrix[]: object", "pair[]: integer|string"]);
  });

  test("a schema that unfolds without end is given up", () => {
    const names = [..."abcdefghij"];
    const all = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const $defs = Object.fromEntries(names.map((name) => [name, object(all)]));
    expect(() => declaredFields(schemaOf(object(all, { $defs })))).toThrow(TooManyParts);
  });

  test("where a field is declared is asked of the caller", () => {
    const asked: string[] = [];
    declaredFields(
      schemaOf(object({ a: { $ref: "#/$defs/x" } }, { $defs: { x: object({ "b/c": string }) } })),
      (place) => {
        asked.push(pointerOf(place.at));
        return { file: place.path, line: 1, column: 1, endLine: 1, endColumn: 1 };
      },
    );
    expect(asked).toEqual(["/properties/a", "/$defs/x/properties/b~1c"]);
  });
});
