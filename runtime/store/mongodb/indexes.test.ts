import { describe, expect, test } from "vitest";
import { documentFields, field } from "../../filter/fields.ts";
import type { IndexShape } from "../contract/shape.ts";
import { fields, index, shape } from "../testing/suite/fixtures.ts";
import { declaredIndex, indexDefinitions, isOurs, textIndexDefinition } from "./indexes.ts";

const keysOf = (declared: IndexShape, arrays: readonly string[] = []) => {
  const definitions = indexDefinitions(shape("app.people", { indexes: [declared] }), ({ path }) =>
    arrays.includes(path),
  );
  return definitions.slice(3).map(({ key }) => Object.fromEntries(key))[0];
};
const created = { field: documentFields["_meta.created_at"], descending: true };
const id = { field: documentFields.id, descending: false };
/** So that documents that are only counted need not be fetched. */
const live = { "_meta.svc.live": 1 };
const over = (...keys: IndexShape["keys"]): IndexShape => ({ name: "one", keys, unique: false });

describe("index definitions", () => {
  test("default order, that of deleted documents, and retention are always there", () => {
    expect(indexDefinitions(shape("app.people"))).toEqual([
      {
        name: expect.stringMatching(/^svc_order_[0-9a-f]{12}$/),
        key: new Map([
          ["_meta.created_at", 1],
          ["_id", 1],
          ["_meta.svc.live", 1],
        ]),
      },
      {
        name: expect.stringMatching(/^svc_deleted_[0-9a-f]{12}$/),
        key: new Map([
          ["_meta.created_at", 1],
          ["_id", 1],
        ]),
        partialFilterExpression: { "_meta.deleted_at": { $type: "date" } },
      },
      {
        name: expect.stringMatching(/^svc_purge_[0-9a-f]{12}$/),
        key: new Map([["_meta.purge_at", 1]]),
        partialFilterExpression: { "_meta.purge_at": { $exists: true } },
      },
    ]);
  });

  test("declared ones end with the default order, or with the id where hardly any values are equal", () => {
    expect(keysOf(index("one", ["name", "-size"]))).toEqual({
      name: 1,
      size: -1,
      "_meta.created_at": 1,
      _id: 1,
      ...live,
    });
    const day = { field: field("day", "date"), descending: false };
    expect(keysOf(over(day))).toEqual({ day: 1, _id: 1, ...live });
    expect(keysOf(over(created, { field: fields.name, descending: false }))).toEqual({
      "_meta.created_at": -1,
      name: 1,
      _id: 1,
      ...live,
    });
    expect(keysOf(over({ field: fields.name, descending: false }, id))).toEqual({ name: 1, _id: 1, ...live });
  });

  test("unique ones are over their keys alone, of live documents that have them all", () => {
    const made = indexDefinitions(
      shape("app.people", { indexes: [index("both", ["name", "-place"], true)] }),
    )[3];
    const there = { $type: ["string", "number", "bool", "date"] };
    expect(made).toEqual({
      name: expect.stringMatching(/^svc_both_[0-9a-f]{12}$/),
      key: new Map([
        ["name", 1],
        ["place", -1],
      ]),
      unique: true,
      partialFilterExpression: { "_meta.svc.live": true, name: there, place: there },
    });
  });

  test("one that deleted documents have as well is made of them alone, beside it", () => {
    const declared = { ...index("one", ["name"]), trash: true };
    const [made, ofTrash] = indexDefinitions(shape("app.people", { indexes: [declared] })).slice(3);
    expect(made?.partialFilterExpression).toEqual({ "_meta.svc.live": true });
    expect(ofTrash).toEqual({
      name: expect.stringMatching(/^svc_one_trash_[0-9a-f]{12}$/),
      key: new Map([
        ["name", 1],
        ["_meta.created_at", 1],
        ["_id", 1],
      ]),
      partialFilterExpression: { "_meta.deleted_at": { $type: "date" } },
    });
  });

  test("of the keys at which arrays may stand only the first is in an index", () => {
    expect(keysOf(index("one", ["name", "tags", "size"]))).toMatchObject({ name: 1, tags: 1, size: 1 });
    expect(keysOf(index("one", ["name", "tags", "size"]), ["name"])).toEqual({
      name: 1,
      size: 1,
      "_meta.created_at": 1,
      _id: 1,
      ...live,
    });
    expect(keysOf(index("one", ["tags", "name"]), ["name"])).toEqual({
      tags: 1,
      "_meta.created_at": 1,
      _id: 1,
      ...live,
    });
    expect(keysOf(index("one", ["name"]), ["name"])).toMatchObject({ name: 1 });
  });

  test("MongoDB has one over the id by itself, and none is made twice", () => {
    expect(keysOf(over(id))).toBeUndefined();
    expect(keysOf({ ...over({ ...id, descending: true }), unique: true })).toBeUndefined();
    const twice = [index("one", ["name"]), index("two", ["name"]), index("three", ["name"], true)];
    const names = indexDefinitions(shape("app.people", { indexes: twice })).map(({ name }) => name);
    expect(names.map((name) => name.replace(/_[0-9a-f]+$/, ""))).toEqual([
      "svc_order",
      "svc_deleted",
      "svc_purge",
      "svc_one",
      "svc_three",
    ]);
  });

  test("a unique one may not pass through an array", () => {
    expect(() => indexDefinitions(shape("app.people", { indexes: [index("one", ["tags"], true)] }))).toThrow(
      "unique index one of app.people passes through an array",
    );
  });

  test("the declared index is told by its definition, also where it was named otherwise", () => {
    const indexes = [index("old", ["name"], true), index("size", ["size"], true)];
    const [, , , made] = indexDefinitions(shape("app.people", { indexes }));
    const renamed = shape("app.people", { indexes: [index("size", ["size"]), index("new", ["name"], true)] });
    expect(declaredIndex(renamed, made?.name ?? "")?.name).toBe("new");
    expect(declaredIndex(renamed, "svc_new_000000000000")).toBeUndefined();
  });

  test("the text index is no index of ours to be dropped, whatever declared ones are called", () => {
    const text = { fields: [{ field: fields.name, weight: 3 }], defaultLanguage: "none" };
    const { name, ...definition } = textIndexDefinition({
      ...text,
      stems: () => [],
      parse: () => ({ problem: "" }),
    });
    expect(definition).toMatchObject({ weights: { "_meta.svc.stems.w3": 3 }, default_language: "none" });
    expect(isOurs({ v: 2, name, key: { _fts: "text", _ftsx: 1 } })).toBe(false);
    expect(isOurs({ v: 2, name: "svc_text_0123456789ab", key: { name: 1 } })).toBe(true);
    expect(isOurs({ v: 2, name: "name_1", key: { name: 1 } })).toBe(false);
  });
});
