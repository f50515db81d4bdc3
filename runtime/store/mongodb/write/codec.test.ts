import fc from "fast-check";
import { BSON } from "mongodb";
import { describe, expect, test } from "vitest";
import { documentFields, type Field, type FieldTable, field } from "../../../filter/fields.ts";
import { textIndex } from "../../../filter/search/index.ts";
import type { JsonObject } from "../../../json.ts";
import type { DocumentWrite } from "../../contract/document.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { written } from "../../testing/suite/fixtures.ts";
import { writtenDocument } from "../bson/json-text.ts";
import { encoderFor } from "./codec.ts";

const fields = {
  ...documentFields,
  name: field("name", ["string", "null"]),
  size: field("size", "integer"),
  any: field("any", []),
  due: field("due", "date-time"),
  day: field("day", "date"),
  either: field("either", ["date", "date-time"]),
  loose: field("loose", ["date-time", "string"]),
  tags: field("tags", "string", ["tags"]),
  lines: field("lines", "object", ["lines"]),
  sku: field("lines.sku", ["string", "integer"], ["lines"]),
  dates: field("lines.dates", "date", ["lines", "lines.dates"]),
  city: field("address.city", "string"),
  zero: field("zero.0", "string"),
} satisfies FieldTable;

const shape = (of: FieldTable = fields): CollectionShape => ({
  name: "app.x",
  fields: of,
  indexes: [],
  feed: false,
});
const encode = encoderFor(shape());
const encoded = (body: JsonObject) => encode(written("x", body));
const irregular = (body: JsonObject) =>
  encoded(body)
    .irregular.map(({ path }) => path)
    .sort();

describe("a document as it is stored", () => {
  test("has its id as `_id`, first, and its members in their order", () => {
    const { document } = encoded({ z: 1, a: [null, { b: "c" }] });
    expect(Object.keys(document)).toEqual(["_id", "z", "a", "_meta"]);
    expect(document).toMatchObject({ _id: "x", z: 1, a: [null, { b: "c" }] });
  });

  test("has BSON dates in `_meta`, whatever the shape declares, and what the engine keeps", () => {
    const write = written("x", {}, { version: 3, deletedAt: 5, purgeAt: 7, createdAt: 1 });
    const dates = {
      created_at: new Date(1),
      updated_at: new Date(1),
      deleted_at: new Date(5),
      purge_at: new Date(7),
    };
    for (const made of [encode(write), encoderFor(shape({}))(write)])
      expect(made).toEqual({
        document: { _id: "x", _meta: { ...dates, version: 3, svc: {} } },
        irregular: [],
      });
    expect(encoded({}).document["_meta"].svc).toEqual({ live: true });
  });

  test("has a `_meta` made for it where the text has none", () => {
    const write = { id: "x", version: 2, text: '{"id":"x","due":"d"}', createdAt: 1, purgeAt: 7 };
    expect(encoderFor(shape({}))(write).document).toEqual({
      _id: "x",
      due: "d",
      _meta: { created_at: new Date(1), version: 2, purge_at: new Date(7), svc: { live: true, bare: true } },
    });
    const zero = { id: "x", version: 0, text: "{}", createdAt: 1, deletedAt: 5 };
    expect(encode(zero).document).toEqual({
      _id: "x",
      _meta: { created_at: new Date(1), deleted_at: new Date(5), svc: { bare: true } },
    });
  });

  test("has the stems of its text", () => {
    const text = textIndex({ fields: [{ field: fields.name, weight: 3 }], defaultLanguage: "en" });
    const { document } = encoderFor({ ...shape(), text })(written("x", { name: "running" }));
    expect(document["_meta"].svc).toMatchObject({
      live: true,
      stems: { w3: " run " },
      analysis: expect.any(String),
    });
  });

  test("names have no meaning", () => {
    const text = '{"id":"x","__proto__":{"due":1},"constructor":2,"zero":{"0":"a"}}';
    const { document } = encode({ id: "x", version: 1, text, createdAt: 1 });
    expect(Object.hasOwn(document, "__proto__")).toBe(true);
    expect(document).toMatchObject({ constructor: 2, zero: { "0": "a" } });
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype);
  });
});

describe("dates", () => {
  const at = "2026-03-01T10:00:00.123Z";
  const day = "2026-03-01";

  test("in stored form are BSON dates where they are declared, days are told from instants", () => {
    const body = { due: at, day, either: day, lines: [{}, { dates: [day, null, day] }], other: at };
    const { document, irregular } = encoded(body);
    expect(document).toMatchObject({
      due: new Date(at),
      day: new Date(day),
      either: new Date(day),
      lines: [{}, { dates: [new Date(day), null, new Date(day)] }],
      other: at,
    });
    expect(document["_meta"].svc.days).toEqual(["day", "either", "lines.1.dates.0", "lines.1.dates.2"]);
    expect(irregular).toEqual([]);
  });

  test("stay strings beside other strings", () => {
    expect(encoded({ loose: at })).toMatchObject({ document: { loose: at }, irregular: [] });
  });

  test.each(["2026-02-30", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00.123+01:00", "", "today", `${at} `])(
    "any other string stays as it is, and is irregular: %j",
    (text) => {
      expect(encoded({ due: text })).toMatchObject({ document: { due: text }, irregular: [fields.due] });
    },
  );

  test("of the other kind than declared stay strings, and are irregular", () => {
    expect(irregular({ due: day, day: at, either: at })).toEqual(["day", "due"]);
    expect(encoded({ due: day }).document).toMatchObject({ due: day });
    expect(irregular({ due: 5, lines: [{ dates: [5] }] })).toEqual(["due", "lines.dates"]);
  });
});

describe("what is irregular", () => {
  test("nothing that is as declared, missing or null", () => {
    const lines = [{ sku: "a" }, { sku: 1 }, null, {}, { sku: null, dates: [] }];
    const regular = { name: null, size: 1.5, any: [[]], tags: ["a", null], lines, address: { city: "b" } };
    expect(irregular({ ...regular, any: { a: 1 }, undeclared: [[1]] })).toEqual([]);
    expect(irregular({})).toEqual([]);
    expect(irregular({ size: null, tags: null, lines: null, address: null, due: null })).toEqual([]);
    // Nothing stands at the field.
    expect(irregular({ address: 5 })).toEqual([]);
  });

  test.each<[JsonObject, readonly string[]]>([
    [{ name: 1 }, ["name"]],
    [{ name: true }, ["name"]],
    [{ name: {} }, ["name"]],
    [{ size: "1" }, ["size"]],
    [{ loose: 1 }, ["loose"]],
    [{ name: ["a"] }, ["name"]],
    [{ name: [] }, ["name"]],
    [{ any: [1] }, ["any"]],
    [{ tags: "a" }, ["tags"]],
    [{ tags: ["a", 1] }, ["tags"]],
    [{ tags: [["a"]] }, ["tags"]],
    [{ lines: {} }, ["lines", "lines.dates", "lines.sku"]],
    [{ lines: [[{}]] }, ["lines", "lines.dates", "lines.sku"]],
    [{ lines: ["a"] }, ["lines"]],
    [{ lines: [{ sku: "a" }, { sku: true }] }, ["lines.sku"]],
    [{ lines: [{ dates: "2026-03-01" }] }, ["lines.dates"]],
    [{ address: [{ city: "a" }] }, ["address.city"]],
    [{ zero: ["a"] }, ["zero.0"]],
  ])("%j", (body, paths) => {
    expect(irregular(body)).toEqual(paths);
  });

  test("fields of indexes count, too", () => {
    const extra: Field = field("extra", "integer");
    const indexes = [{ name: "extra", keys: [{ field: extra, descending: false }], unique: false }];
    expect(encoderFor({ ...shape(), indexes })(written("x", { extra: "a" })).irregular).toEqual([extra]);
  });
});

test("what is written is read as it was", () => {
  const leaf = fc.oneof(
    fc.constantFrom(
      null,
      true,
      "2026-03-01",
      "2026-03-01T10:00:00.123Z",
      "2026-02-30",
      5e-324,
      2 ** 40,
      "é😀\n",
    ),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const value = fc.oneof(
    leaf,
    fc.array(leaf),
    fc.array(fc.array(leaf)),
    fc.dictionary(fc.constantFrom("0", "a"), leaf),
  );
  const member = fc.oneof(value, fc.array(fc.dictionary(fc.constantFrom("sku", "dates", "0", "x"), value)));
  const body = fc.dictionary(
    fc.constantFrom("due", "day", "either", "lines", "tags", "zero", "address", "z"),
    member,
  );
  const times = fc.record(
    { version: fc.nat(), deletedAt: fc.nat(), purgeAt: fc.nat(), createdAt: fc.nat() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(body, times, fc.boolean(), (members, columns, isBare) => {
      const write = written("x", members, columns);
      const whole: DocumentWrite = isBare
        ? { ...write, text: JSON.stringify({ id: "x", ...members }) }
        : write;
      expect(writtenDocument(BSON.serialize(encode(whole).document), {})).toEqual(whole);
    }),
  );
});
