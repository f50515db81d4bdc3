import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonValue } from "../json.ts";
import { all, Items, others } from "./testing/items.ts";
import { code, details } from "./testing/shop.ts";

let items: Items;
beforeAll(async () => {
  items = await Items.start();
});
afterAll(() => items.stop());

const found = (where: JsonValue) => items.found(where);

describe("where 1: paths, conjunction, bare values", () => {
  test.each<[JsonValue, readonly unknown[]]>([
    [{}, all],
    [{ name: "zero" }, ["zero"]],
    [{ "address.city": "Wien" }, ["home"]],
    [{ priority: { $gte: 0, $lt: 3 } }, ["zero"]],
    [{ priority: { $gte: 0 }, hours: { $gt: 1 } }, ["numbers"]],
    [{ name: "zero", priority: 3 }, []],
  ])("where 1: %j", async (where, expected) => {
    expect(await found(where)).toEqual(expected);
  });
});

describe("where 2: the fields", () => {
  test("where 2: declared fields, id, _meta.created_at, _meta.updated_at and _meta.version", async () => {
    expect(await found({ id: items.firstId })).toEqual(["empty"]);
    expect(await found({ "_meta.created_at": { $lte: "2026-01-01T00:00:02Z" } })).toEqual(["empty", "nulls"]);
    expect(await found({ "_meta.updated_at": { $lt: "2026-01-01T02:00:02+02:00" } })).toEqual(["empty"]);
    expect(await found({ "_meta.version": 1 })).toEqual(all);
    expect(await found({ "_meta.version": { $ne: 1 } })).toEqual([]);
  });

  test.each([
    "titel",
    "name.length",
    "address.street",
    "lines.0.sku",
    "_meta",
    "_meta.owner",
    "_meta.deleted_at",
    "_id",
    "",
    ".",
    "__proto__",
    "toString",
    "hasOwnProperty",
  ])("where 2: %j is an unknown field", async (path) => {
    for (const condition of ["x", { $eq: "x" }, { $isNull: true }, { $nonsense: 1 }, null]) {
      const answer = await items.list(JSON.stringify(Object.fromEntries([[path, condition]])));
      expect([answer.status, code(answer), details(answer)]).toEqual([
        400,
        "invalid_query",
        [{ path: `where.${path}`, reason: "unknown field" }],
      ]);
    }
  });

  test("where 2: constructor is a plain name, and so is __proto__", async () => {
    expect(await found({ constructor: "x" })).toEqual(["texts"]);
    const answer = await items.list('{"__proto__": {"name": "zero"}}');
    expect(details(answer)).toEqual([{ path: "where.__proto__", reason: "unknown field" }]);
  });
});

describe("where 3: value types", () => {
  test.each<[JsonValue, readonly unknown[]]>([
    [{ priority: 3.0 }, ["numbers"]],
    [{ priority: -0 }, ["zero"]],
    [{ hours: { $lt: 1e300 } }, ["numbers", "zero"]],
    [{ hours: { $gte: -1.5e-300 } }, ["numbers", "zero"]],
    [{ priority: 9007199254740991 }, []],
    [{ done: false }, ["zero"]],
    [{ done: { $in: [true] } }, ["dates"]],
    [{ either: "5" }, ["texts"]],
    [{ either: 5 }, ["numbers"]],
    [{ either: { $in: [5, "5"] } }, ["texts", "numbers"]],
  ])("where 3: %j", async (where, expected) => {
    expect(await found(where)).toEqual(expected);
  });

  test.each<[JsonValue, readonly unknown[]]>([
    [{ due: "2026-03-01T08:30:00.123Z" }, ["dates"]],
    [{ due: "2026-03-01T08:30:00.123999Z" }, ["dates"]],
    [{ due: "2026-03-01t03:30:00.123-05:00" }, ["dates"]],
    [{ due: "2026-03-01" }, ["midnight"]],
    [{ due: { $gt: "2026-03-01" } }, ["dates"]],
    [{ due: { $between: ["2026-03-01", "2026-03-02"] } }, ["dates", "midnight"]],
    [{ due: { $in: ["2026-03-01T01:00:00+01:00"] } }, ["midnight"]],
    [{ day: "2026-03-01" }, ["dates"]],
    [{ day: "2026-03-01T02:00:00+02:00" }, ["dates"]],
    [{ day: { $lt: "2026-03-01T00:00:00.001Z" } }, ["dates", "midnight"]],
    [{ day: { $lt: "2026-03-01T00:00:00Z" } }, ["midnight"]],
    [{ day: "2026-03-01T12:00:00Z" }, []],
  ])("where 3: timestamps of any offset and precision compare as dates: %j", async (where, expected) => {
    expect(await found(where)).toEqual(expected);
  });
});

describe("where 3: operators", () => {
  test.each<[JsonValue, readonly unknown[]]>([
    [{ priority: { $eq: 3 } }, ["numbers"]],
    [{ priority: { $ne: 3 } }, others("numbers")],
    [{ priority: { $gt: 0 } }, ["numbers"]],
    [{ priority: { $gte: 0 } }, ["numbers", "zero"]],
    [{ priority: { $lt: 3 } }, ["zero"]],
    [{ priority: { $lte: 3 } }, ["numbers", "zero"]],
    [{ name: { $gt: "zer" } }, ["zero"]],
    [{ priority: { $in: [0, 7] } }, ["zero"]],
    [{ priority: { $in: [] } }, []],
    [{ priority: { $nin: [0, 3] } }, others("numbers", "zero")],
    [{ priority: { $nin: [] } }, all],
    [{ priority: { $between: [0, 3] } }, ["numbers", "zero"]],
    [{ priority: { $between: [3, 3] } }, ["numbers"]],
    [{ priority: { $between: [3, 0] } }, []],
    [{ name: { $between: ["n", "o"] } }, ["nulls", "numbers"]],
    [{ body: { $isNull: true } }, others("texts", "lower")],
    [{ body: { $isNull: false } }, ["texts", "lower"]],
    [{ body: { $notNull: true } }, ["texts", "lower"]],
    [{ body: { $notNull: false } }, others("texts", "lower")],
    [{ address: { $notNull: true } }, ["home"]],
    [{ address: { $isNull: true } }, others("home")],
    [{ address: null }, others("home")],
    [{ address: { $ne: null } }, ["home"]],
    [{ address: { $in: [null] } }, others("home")],
    [{ address: { $nin: [null] } }, ["home"]],
    [{ nothing: null }, all],
    [{ nothing: { $eq: null } }, all],
    [{ nothing: { $ne: null } }, []],
    [{ nothing: { $in: [] } }, []],
    [{ lines: { $notNull: true } }, ["lines"]],
  ])("where 3: %j", async (where, expected) => {
    expect(await found(where)).toEqual(expected);
  });
});

describe("where 4: text operators", () => {
  test.each<[JsonValue, readonly unknown[]]>([
    [{ body: { $startsWith: "Straße" } }, ["texts"]],
    [{ body: { $istartsWith: "STRAẞE" } }, ["texts", "lower"]],
    [{ body: { $istartsWith: "STRASSE" } }, []],
    [{ body: { $endsWith: "_B" } }, ["texts"]],
    [{ body: { $iendsWith: "-B" } }, ["lower"]],
    [{ body: { $contains: "100%" } }, ["texts"]],
    [{ body: { $contains: "" } }, ["texts", "lower"]],
    [{ body: { $icontains: "A_b" } }, ["texts"]],
    [{ body: { $like: "Straße%" } }, ["texts"]],
    [{ body: { $like: "%100_ %" } }, ["texts", "lower"]],
    [{ body: { $like: "traße" } }, []],
    [{ body: { $ilike: "STRAẞE%B" } }, ["texts", "lower"]],
    [{ body: { $like: "%*%" } }, []],
    [{ body: { $like: "%[A]%" } }, []],
    [{ tags: { $startsWith: "bl" } }, ["tagged", "reversed"]],
    [{ either: { $contains: "5" } }, ["texts"]],
  ])("where 4: %j", async (where, expected) => {
    expect(await found(where)).toEqual(expected);
  });
});

describe("where 5: missing fields", () => {
  test.each<[JsonValue, readonly unknown[]]>([
    [{ hours: { $ne: 0 } }, others("zero")],
    [{ hours: { $nin: [0] } }, others("zero")],
    [{ hours: null }, others("numbers", "zero")],
    [{ hours: { $eq: null } }, others("numbers", "zero")],
    [{ hours: { $ne: null } }, ["numbers", "zero"]],
    [{ hours: { $in: [null, 0] } }, others("numbers")],
    [{ hours: { $in: [null] } }, others("numbers", "zero")],
    [{ hours: { $nin: [null, 0] } }, ["numbers"]],
    [{ due: null }, others("dates", "midnight")],
    [{ tags: null }, others("tagged", "reversed", "holed", "untagged")],
    [{ hours: { $lt: 100 } }, ["numbers", "zero"]],
    [{ "address.city": { $isNull: true } }, others("home")],
    [{ "lines.sku": { $isNull: true } }, others("lines")],
  ])("where 5: %j", async (where, expected) => {
    expect(await found(where)).toEqual(expected);
  });
});

describe("where 6: arrays", () => {
  test.each<[JsonValue, readonly unknown[]]>([
    [{ tags: "red" }, ["tagged", "reversed", "holed"]],
    [{ tags: { $ne: "red" } }, others("tagged", "reversed", "holed")],
    [{ tags: { $in: ["blue", "green"] } }, ["tagged", "reversed"]],
    [{ tags: ["red", "blue"] }, ["tagged"]],
    [{ tags: { $ne: ["red", "blue"] } }, others("tagged")],
    [{ tags: ["red"] }, []],
    [{ tags: ["red", null] }, ["holed"]],
    [{ tags: [] }, ["untagged"]],
    [{ tags: { $in: [["blue", "red"], [], null] } }, others("tagged", "holed")],
    [{ tags: { $nin: [["blue", "red"], "red"] } }, others("tagged", "reversed", "holed")],
    [{ marks: 2 }, ["numbers"]],
    [{ marks: [] }, ["tagged"]],
    [{ marks: { $gt: 1 } }, ["numbers"]],
    [{ marks: { $between: [1.0, 1] } }, ["numbers"]],
    [{ "lines.sku": "b" }, ["lines"]],
    [{ "lines.sku": { $in: ["b", "z"] } }, ["lines"]],
    [{ "lines.notes": "y" }, ["lines"]],
    [{ "lines.notes": ["x", "y"] }, ["lines"]],
    [{ "lines.notes": ["y", "x"] }, []],
  ])("where 6: %j", async (where, expected) => {
    expect(await found(where)).toEqual(expected);
  });
});

describe("where 7: groups", () => {
  test.each<[JsonValue, readonly unknown[]]>([
    [{ $or: [{ priority: 0 }, { priority: 3 }] }, ["numbers", "zero"]],
    [{ $and: [{ priority: { $gte: 0 } }, { hours: 0 }] }, ["zero"]],
    [{ $or: [{ priority: 0 }, { priority: 3 }], hours: 1.5 }, ["numbers"]],
    [{ $or: [{ priority: 0, hours: 1 }, { name: "home" }] }, ["home"]],
    [{ $or: [{ priority: 0 }], $and: [{ $or: [{ hours: 0 }, { hours: 1.5 }] }] }, ["zero"]],
    [{ $or: [{ $and: [{ $or: [{ $and: [{ name: "home" }] }] }] }] }, ["home"]],
  ])("where 7: %j", async (where, expected) => {
    expect(await found(where)).toEqual(expected);
  });
});
