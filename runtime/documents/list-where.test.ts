import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dateNormalizer } from "../filter/dates.ts";
import { documentFields, field } from "../filter/fields.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import {
  code,
  collection,
  details,
  type Received,
  type Shop,
  startShop,
  text,
  validatorOf,
} from "./testing/shop.ts";

const fields = {
  ...documentFields,
  name: field("name", "string"),
  body: field("body", ["string", "null"]),
  priority: field("priority", "integer"),
  hours: field("hours", ["number", "null"]),
  done: field("done", "boolean"),
  due: field("due", ["date-time", "null"]),
  day: field("day", "date"),
  tags: field("tags", ["string", "null"], ["tags"]),
  marks: field("marks", "integer", ["marks"]),
  lines: field("lines", "object", ["lines"]),
  "lines.sku": field("lines.sku", "string", ["lines"]),
  "lines.notes": field("lines.notes", "string", ["lines", "lines.notes"]),
  address: field("address", ["object", "null"]),
  "address.city": field("address.city", "string"),
  either: field("either", ["string", "integer"]),
  constructor: field("constructor", "string"),
  author: field("author", "string"),
};

const items = collection("items", {
  fields,
  validate: validatorOf({ type: "object" }),
  normalizeDates: dateNormalizer(fields.due, fields.day),
  references: {
    author: { database: "main", collection: "items", field: fields.author, key: "id", many: false },
    writer: { database: "main", collection: "items", field: fields.author, key: "id", many: false },
  },
});

/** Each has its `name`; what a test asks of one document says nothing of the others. */
const documents: readonly JsonObject[] = [
  { name: "empty" },
  { name: "nulls", body: null, hours: null, due: null, tags: null, address: null },
  { name: "texts", body: "Straße 100% A_B", either: "5", constructor: "x" },
  { name: "lower", body: "straße 100x a-b" },
  { name: "numbers", priority: 3, hours: 1.5, marks: [1, 2], either: 5 },
  { name: "zero", priority: 0, hours: 0, done: false },
  { name: "dates", due: "2026-03-01T10:30:00.123+02:00", day: "2026-03-01", done: true },
  { name: "midnight", due: "2026-03-01T00:00:00Z", day: "2026-02-28" },
  { name: "tagged", tags: ["red", "blue"], marks: [] },
  { name: "reversed", tags: ["blue", "red"] },
  { name: "holed", tags: ["red", null] },
  { name: "untagged", tags: [] },
  { name: "lines", lines: [{ sku: "a", notes: ["x", "y"] }, { sku: "b" }, {}] },
  { name: "home", address: { city: "Wien" } },
];

let shop: Shop;
let firstId = "";
beforeAll(async () => {
  shop = await startShop("disabled", [items]);
  for (const body of documents) {
    shop.clock.advance(1000);
    const created = await shop.send("POST", "items", { body });
    expect(created.status).toBe(201);
    if (body["name"] === "empty") firstId = text(created.body, "id");
  }
});
afterAll(() => shop.stop());

function list(where: JsonValue | string, more = ""): Promise<Received> {
  const asked = typeof where === "string" ? where : JSON.stringify(where);
  return shop.send("GET", `items?limit=100&where=${encodeURIComponent(asked)}${more}`);
}

function namesOf({ body }: Received): readonly unknown[] {
  return Array.isArray(body["items"])
    ? body["items"].map((item) => (isJsonObject(item) ? item["name"] : item))
    : [body];
}

const all = documents.map(({ name }) => name);
const others = (...names: readonly string[]) => all.filter((name) => !names.includes(String(name)));

/** The names of the documents found, in order of creation. */
async function found(where: JsonValue): Promise<readonly unknown[]> {
  return namesOf(await list(where));
}

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
    expect(await found({ id: firstId })).toEqual(["empty"]);
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
      const answer = await list(JSON.stringify(Object.fromEntries([[path, condition]])));
      expect([answer.status, code(answer), details(answer)]).toEqual([
        400,
        "invalid_query",
        [{ path: `where.${path}`, reason: "unknown field" }],
      ]);
    }
  });

  test("where 2: constructor is a plain name, and so is __proto__", async () => {
    expect(await found({ constructor: "x" })).toEqual(["texts"]);
    const answer = await list('{"__proto__": {"name": "zero"}}');
    expect(details(answer)).toEqual([{ path: "where.__proto__", reason: "unknown field" }]);
  });
});

describe("where 3: value types", () => {
  test.each<[JsonValue, string]>([
    [{ priority: "3" }, "where.priority must be an integer"],
    [{ priority: 1.5 }, "where.priority must be an integer"],
    [{ priority: { $gt: 1.5 } }, "where.priority.$gt must be an integer"],
    [{ priority: true }, "where.priority must be an integer"],
    [{ priority: 9007199254740992 }, "where.priority integers must be within ±9007199254740991"],
    [{ hours: -9007199254740992 }, "where.hours integers must be within ±9007199254740991"],
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
    [{ address: null }, holdsObjects("where.address")],
    [{ address: { $ne: null } }, holdsObjects("where.address.$ne")],
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
    const answer = await shop.send(
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
    expect(await found({ author: "nobody" })).toEqual([]);
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

async function problems(where: JsonValue): Promise<readonly string[]> {
  const answer = await list(where);
  expect([answer.status, code(answer)]).toEqual([400, "invalid_query"]);
  return details(answer).map(({ path, reason }) => `${path} ${reason}`);
}
