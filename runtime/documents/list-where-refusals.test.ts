import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonValue } from "../json.ts";
import { Items } from "./testing/items.ts";
import { code, details } from "./testing/shop.ts";

let items: Items;
beforeAll(async () => {
  items = await Items.start();
});
afterAll(() => items.stop());

const list = (where: JsonValue | string) => items.list(where);
const problems = (where: JsonValue) => items.problems(where);

describe("where 3: value types", () => {
  test.each<[JsonValue, string]>([
    [{ priority: "3" }, "where.priority must be an integer"],
    [{ priority: 1.5 }, "where.priority must be an integer"],
    [{ priority: { $gt: 1.5 } }, "where.priority.$gt must be an integer"],
    [{ priority: true }, "where.priority must be an integer"],
    [{ priority: 9007199254740992 }, "where.priority integers must be within ±9007199254740991"],
    [{ priority: -9007199254740992 }, "where.priority integers must be within ±9007199254740991"],
    [{ marks: [9007199254740992] }, "where.marks element 0 integers must be within ±9007199254740991"],
    [{ priority: 1e21 }, "where.priority integers must be within ±9007199254740991"],
    [{ hours: "1" }, "where.hours must be a number"],
    [{ name: 1 }, "where.name must be a string"],
    [{ name: null }, "where.name must not be null: use $isNull"],
    [{ name: { $ne: null } }, "where.name.$ne must not be null: use $isNull"],
    [{ name: { $in: ["a", null] } }, "where.name.$in element 1 must not be null: use $isNull"],
    [{ name: ["a"] }, "where.name must be a string: the field holds no array"],
    [{ done: "true" }, "where.done must be true or false"],
    [{ done: 1 }, "where.done must be true or false"],
    [{ done: { $gt: false } }, "where.done.$gt the field holds booleans, which have no order"],
    [{ name: { $gt: true } }, "where.name.$gt must be a string"],
    [{ name: { $lt: null } }, "where.name.$lt must be a string"],
    [{ either: true }, "where.either must be a string or an integer"],
    [{ either: 1.5 }, "where.either must be a string or an integer"],
    [{ due: "tomorrow" }, "where.due must be an RFC 3339 date-time"],
    [{ due: "2026-02-30" }, "where.due must be an RFC 3339 date-time"],
    [{ due: "2026-03-01T10:00:00" }, "where.due must be an RFC 3339 date-time"],
    [{ due: 1772323200000 }, "where.due must be an RFC 3339 date-time"],
    [{ day: "2026-3-1" }, "where.day must be an RFC 3339 date"],
    [{ day: { $between: ["2026-03-01", "x"] } }, "where.day.$between max must be an RFC 3339 date"],
    [{ tags: 1 }, "where.tags must be a string"],
    [{ tags: ["a", 1] }, "where.tags element 1 must be a string"],
    [{ tags: [["a"]] }, "where.tags element 0 must be a string"],
    [{ tags: [{}] }, "where.tags element 0 must be a string"],
    [{ marks: [null] }, "where.marks element 0 must not be null: use $isNull"],
    [{ tags: { $gt: ["a"] } }, "where.tags.$gt must be a string"],
    [{ address: "Wien" }, holdsObjects("where.address")],
    [{ address: { $in: [null, "Wien"] } }, holdsObjects("where.address.$in")],
    [{ lines: null }, holdsObjects("where.lines")],
    [{ lines: { $ne: null } }, holdsObjects("where.lines.$ne")],
    [{ nothing: 1 }, holdsObjects("where.nothing")],
    [{ nothing: { $gt: null } }, holdsObjects("where.nothing.$gt")],
    [{ lines: [] }, holdsObjects("where.lines")],
    [{ lines: { $in: [[]] } }, holdsObjects("where.lines.$in")],
    [
      { address: { city: "Wien" } },
      'where.address.city unknown operator: write "address.city" for the field',
    ],
    [{ name: { $eq: { a: 1 } } }, "where.name.$eq must be a string"],
    [{ name: { $in: "zero" } }, "where.name.$in must be an array"],
    [{ name: { $nin: { a: 1 } } }, "where.name.$nin must be an array"],
    [{ priority: { $between: [1] } }, "where.priority.$between must be an array [min, max]"],
    [{ priority: { $between: [1, 2, 3] } }, "where.priority.$between must be an array [min, max]"],
    [{ priority: { $between: 1 } }, "where.priority.$between must be an array [min, max]"],
    [{ priority: { $between: [1, null] } }, "where.priority.$between max must be an integer"],
    [{ either: { $between: [1, "2"] } }, "where.either.$between min and max must be of one type"],
    [
      { done: { $between: [false, true] } },
      "where.done.$between the field holds booleans, which have no order",
    ],
    [{ name: { $isNull: 1 } }, "where.name.$isNull must be true or false"],
    [{ name: { $notNull: null } }, "where.name.$notNull must be true or false"],
    [{ name: { $contains: 1 } }, "where.name.$contains must be a string"],
    [{ name: { $like: null } }, "where.name.$like must be a string"],
    [{ name: "a\0b" }, "where.name must not hold NUL or a lone surrogate"],
    [{ name: "\ud800" }, "where.name must not hold NUL or a lone surrogate"],
    [{ name: { $in: ["\udc00a"] } }, "where.name.$in element 0 must not hold NUL or a lone surrogate"],
    [{ body: { $icontains: "\0" } }, "where.body.$icontains must not hold NUL or a lone surrogate"],
  ])("where 3: %j is refused", async (where, problem) => {
    expect(await problems(where)).toEqual([problem]);
  });

  function holdsObjects(path: string): string {
    return `${path} the field holds objects, which take only $isNull and $notNull; name a field inside`;
  }

  test("where 3: numbers beyond all doubles are refused", async () => {
    const answer = await list('{"hours": 1e400, "priority": {"$lt": -1e999}}');
    expect(details(answer).map(({ path }) => path)).toEqual(["where.hours", "where.priority.$lt"]);
  });
});

describe("where 4: text operators", () => {
  test.each(["priority", "hours", "done", "due", "day", "marks"])(
    "where 4: text operators are refused on %s",
    async (path) => {
      for (const operator of ["$like", "$istartsWith", "$contains"]) {
        const where = { [path]: { [operator]: "2026" } };
        expect(await problems(where)).toEqual([
          `where.${path}.${operator} text operators apply to strings only`,
        ]);
      }
    },
  );
});

describe("where 7: groups", () => {
  test.each<[JsonValue, string]>([
    [{ $or: [] }, "where.$or must be a non-empty array of conditions"],
    [{ $and: {} }, "where.$and must be a non-empty array of conditions"],
    [{ $or: [{ name: "a" }, {}] }, "where.$or.1 must be a non-empty object"],
    [{ $and: [null] }, "where.$and.0 must be a non-empty object"],
    [{ $and: [[{ name: "a" }]] }, "where.$and.0 must be a non-empty object"],
    [{ $nor: [{ name: "a" }] }, "where.$nor unknown operator"],
    [{ $not: { name: "a" } }, "where.$not unknown operator"],
    [{ $where: "1" }, "where.$where unknown operator"],
    [{ $or: [{ $expr: 1 }] }, "where.$or.0.$expr unknown operator"],
    [{ name: { $not: "a" } }, "where.name.$not unknown operator"],
    [{ name: { $regex: "a" } }, "where.name.$regex unknown operator"],
    [{ name: { $or: [{ name: "a" }] } }, "where.name.$or unknown operator"],
    [{ name: { constructor: 1 } }, "where.name.constructor unknown operator"],
    [{ name: {} }, "where.name must have an operator"],
    [
      { $or: [{ $and: [{ $or: [{ $and: [{ $or: [{ name: "a" }] }] }] }] }] },
      "where.$or.0.$and.0.$or.0.$and.0.$or groups must nest at most 4 levels",
    ],
    [{ $or: [{ name: "a" }, { body: { $icontains: 5 } }] }, "where.$or.1.body.$icontains must be a string"],
  ])("where 7: %j is refused", async (where, problem) => {
    expect(await problems(where)).toEqual([problem]);
  });
});

describe("where 8: what is wrong", () => {
  test("where 8: all problems of a query are reported at once", async () => {
    const where = {
      titel: 1,
      due: "soon",
      priority: { $gt: "x", $foo: 1, $lt: 5 },
      $or: [{ name: "a" }, { body: { $icontains: 1, $like: "%%%%%" } }, {}],
      $nor: [],
    };
    const answer = await items.shop.send(
      "GET",
      `items?where=${encodeURIComponent(JSON.stringify(where))}&limit=0&order_by=nope,-name,name&color=red`,
    );
    expect([answer.status, code(answer)]).toEqual([400, "invalid_query"]);
    expect(details(answer)).toEqual([
      { path: "color", reason: 'unknown parameter; fields are filtered by where={"color":"red"}' },
      { path: "limit", reason: "must be an integer from 1 to 100" },
      { path: "where.titel", reason: "unknown field" },
      { path: "where.due", reason: "must be an RFC 3339 date-time" },
      { path: "where.priority.$gt", reason: "must be an integer" },
      { path: "where.priority.$foo", reason: "unknown operator" },
      { path: "where.$or.1.body.$icontains", reason: "must be a string" },
      { path: "where.$or.1.body.$like", reason: "must have at most 4 wildcards (% and _)" },
      { path: "where.$or.2", reason: "must be a non-empty object" },
      { path: "where.$nor", reason: "unknown operator" },
      { path: "order_by", reason: "unknown field: nope" },
      { path: "order_by", reason: "names name twice" },
    ]);
  });

  test.each([
    [{ name: { eq: "a" } }, "where.name.eq", "unknown operator: write $eq"],
    [
      { address: { city: "Wien" } },
      "where.address.city",
      'unknown operator: write "address.city" for the field',
    ],
    [{ address: { town: "Wien" } }, "where.address.town", "unknown operator"],
  ])("where 8: %j says what was meant", async (where, path, reason) => {
    expect(details(await list(JSON.stringify(where)))).toEqual([{ path, reason }]);
  });

  test("where 8: a condition in brackets says that where is JSON, and how it is written so", async () => {
    const answer = await items.shop.send("GET", "items?where[name]=a&where%5Bpriority%5D%5B$gte%5D=3");
    expect([answer.status, code(answer)]).toEqual([400, "invalid_query"]);
    const json = "unknown parameter; where is one JSON object: where=";
    expect(details(answer)).toEqual([
      { path: "where[name]", reason: `${json}{"name":"a"}` },
      { path: "where[priority][$gte]", reason: `${json}{"priority":{"$gte":3}}` },
    ]);
  });

  test.each(["", "x", "null", "[]", "1", '"a"', "{", '{"name":"a"}x', "{'name':1}", "{name:1}"])(
    "where 8: %j is not a JSON object",
    async (where) => {
      expect(details(await list(where))).toEqual([{ path: "where", reason: "must be a JSON object" }]);
    },
  );

  test.each(["writer", "writer.name", "author.name", "author._meta.version"])(
    "where 8: %s leads through a reference",
    async (path) => {
      const [name] = path.split(".");
      expect(await problems({ [path]: "a" })).toEqual([
        `where.${path} leads through the reference ${name}, which queries cannot follow`,
      ]);
    },
  );

  test("where 8: the source field of a reference of its name is a field", async () => {
    expect(await items.found({ author: "nobody" })).toEqual([]);
  });
});

describe("Limits of where", () => {
  test("Limits: size of where: 4096 bytes of UTF-8 after decoding", async () => {
    const filled = (size: number) => {
      const rest = size - Buffer.byteLength(JSON.stringify({ $or: [{ name: { $in: [""] } }] }));
      return JSON.stringify({
        $or: [{ name: { $in: ["é".repeat(Math.floor(rest / 2)) + "x".repeat(rest % 2)] } }],
      });
    };
    expect(Buffer.byteLength(filled(4096))).toBe(4096);
    expect((await list(filled(4096))).status).toBe(200);
    const answer = await list(filled(4097));
    expect(details(answer)).toEqual([{ path: "where", reason: "must have at most 4096 bytes" }]);
  });

  test("Limits: size of where: what fits into it is answered, be it nothing but sets of arrays", async () => {
    const arrays = Array.from({ length: 690 }, (_, at) => [at]);
    expect(JSON.stringify(arrays).length).toBeGreaterThan(3900);
    expect((await list({ marks: { $nin: arrays } })).status).toBe(200);
    expect((await list({ tags: { $in: Array.from({ length: 800 }, () => null) } })).status).toBe(200);
    expect((await list({ priority: { $in: Array.from({ length: 980 }, (_, at) => at) } })).status).toBe(200);
  });

  test("Limits: conditions in where: 32, counted across groups", async () => {
    const conditions = (count: number) => ({
      $or: Array.from({ length: count - 3 }, (_, priority) => ({ priority })),
      $and: [{ priority: { $gt: 1, $lt: 5 } }],
      name: "a",
    });
    expect((await list(conditions(32))).status).toBe(200);
    expect(await problems(conditions(33))).toEqual(["where must have at most 32 conditions"]);
    expect((await list({ priority: { $in: Array.from({ length: 100 }, (_, at) => at) } })).status).toBe(200);
  });

  test.each([
    "$like",
    "$ilike",
    "$startsWith",
    "$istartsWith",
    "$endsWith",
    "$iendsWith",
    "$contains",
    "$icontains",
  ])("Limits: text operator value: 256 characters: %s", async (operator) => {
    expect((await list({ body: { [operator]: "😀".repeat(256) } })).status).toBe(200);
    expect(await problems({ body: { [operator]: "😀".repeat(257) } })).toEqual([
      `where.body.${operator} must have at most 256 characters`,
    ]);
  });

  test.each(["$like", "$ilike"])(
    "Limits: wildcards in a pattern: 4, both kinds counted: %s",
    async (operator) => {
      expect((await list({ body: { [operator]: "%a_b%c_" } })).status).toBe(200);
      expect(await problems({ body: { [operator]: "%a_b%c_%" } })).toEqual([
        `where.body.${operator} must have at most 4 wildcards (% and _)`,
      ]);
      expect((await list({ body: { $contains: "%%%%%_____" } })).status).toBe(200);
    },
  );
});
