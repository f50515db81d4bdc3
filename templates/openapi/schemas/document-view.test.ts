import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";
import { documentView, type View } from "./document-view.ts";
import { judge, samples } from "./testing/judge.ts";

const response: View = {
  added: { id: { type: "string" }, _meta: { type: "object" } },
  required: ["id", "_meta"],
  optional: [],
  open: true,
};

const owned = { id: "1", _meta: {} };

function view(schema: JsonObject, changes: Partial<View>) {
  return judge(schema, (pool, place) =>
    pool.add("View", documentView(pool, place, { ...response, ...changes })),
  );
}

describe.each(samples)("the view of a schema: $name", ({ schema, fitting }) => {
  test("accepts what the schema accepts, with the server's own members", () => {
    const { accepts } = view(schema, {});
    for (const document of fitting) expect(accepts({ ...document, ...owned })).toBe(true);
  });

  test("accepts it without what is hidden from the caller", () => {
    const { accepts } = view(schema, { optional: [["a"], ["b", "c"], ["kind"]] });
    for (const { a, kind, b, ...others } of fitting) {
      const inner = isJsonObject(b)
        ? Object.fromEntries(Object.entries(b).filter(([name]) => name !== "c"))
        : b;
      const seen = { ...others, ...(b !== undefined && { b: inner ?? null }), ...owned };
      expect(accepts(seen)).toBe(true);
      expect(accepts({ ...seen, ...(a !== undefined && { a }), ...(kind !== undefined && { kind }) })).toBe(
        true,
      );
    }
  });

  test("asks for the server's own members", () => {
    const { accepts } = view(schema, {});
    for (const document of fitting) expect(accepts(document)).toBe(false);
  });

  test("with an id to be sent accepts what the schema accepts, with the id", () => {
    const { accepts } = view(schema, { added: { id: { type: "string" } }, required: ["id"], open: false });
    for (const document of fitting) {
      expect(accepts({ ...document, id: "1" })).toBe(true);
      expect(accepts({ ...document, id: 1 })).toBe(false);
      expect(accepts(document)).toBe(false);
    }
  });
});

describe("the view of a schema", () => {
  const closed = {
    type: "object",
    required: ["a"],
    properties: { a: { type: "string" }, b: { type: "object", required: ["c"], properties: { c: true } } },
    additionalProperties: false,
  };

  test("is open where documents are returned, since stored ones may be older than the schema", () => {
    expect(view(closed, {}).accepts({ a: "x", old: 1, ...owned })).toBe(true);
  });

  test("stays closed where documents are sent", () => {
    const { accepts } = view(closed, { added: { id: { type: "string" } }, required: ["id"], open: false });
    expect(accepts({ id: "1", a: "x", unknown: 1 })).toBe(false);
  });

  test("goes on asking for what is not hidden", () => {
    const { accepts } = view(closed, { optional: [["b", "c"]] });
    expect(accepts({ a: "x", b: {}, ...owned })).toBe(true);
    expect(accepts({ b: {}, ...owned })).toBe(false);
  });

  test("keeps a reference to what it does not change", () => {
    const schema = {
      type: "object",
      allOf: [{ $ref: "#/$defs/named" }],
      $defs: { named: { properties: { a: { type: "string" } } } },
    };
    expect(view(schema, {}).components.View).toMatchObject({
      allOf: [{ $ref: "#/components/schemas/ThingsNamed" }],
    });
  });

  test("ends on a schema that refers to itself in place", () => {
    const schema = {
      type: "object",
      $ref: "#/$defs/a",
      $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a", required: ["x"] } },
    };
    expect(view(schema, {}).components.View).toMatchObject({ allOf: [{ required: ["x"] }] });
  });
});
