import { Ajv2020 } from "ajv/dist/2020.js";
import type { OpenAPIV3_1 } from "openapi-types";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import { formats } from "../../runtime/validation/formats.ts";
import { openapiDocument } from "./document.ts";
import {
  aggregate,
  type CollectionSketch,
  codesOf,
  expand,
  publicCache,
  type RealmSketch,
  reference,
  responseOf,
  sketch,
  text,
} from "./testing/models.ts";

const schema: JsonObject = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string" },
    nick: { type: ["string", "null"] },
    age: { type: "integer" },
    cost: { type: ["number", "null"] },
    done: { type: "boolean" },
    due: { type: "string", format: "date-time", "x-svc-store": "date" },
    day: { type: ["string", "null"], format: "date", "x-svc-store": "date" },
    tags: { type: "array", items: { type: "string" } },
    mixed: { type: ["string", "integer", "boolean"] },
    address: { type: "object", required: ["city"], properties: { city: { type: "string" } } },
    lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } } } },
    other: { type: "string" },
    others: { type: "array", items: { type: "string" } },
  },
  additionalProperties: false,
};

class Described {
  readonly document: OpenAPIV3_1.Document;
  readonly #ajv = new Ajv2020({ strict: false, formats });

  constructor(realm: RealmSketch) {
    const { realm: model, rules } = sketch(realm);
    this.document = openapiDocument(model, rules);
    this.#ajv.addSchema(JSON.parse(JSON.stringify(this.document)), "document");
  }

  accepts(component: string, value: JsonValue): boolean {
    return this.#ajv.validate(`document#/components/schemas/${component}`, value);
  }

  operation(id: string): OpenAPIV3_1.OperationObject | undefined {
    const paths = Object.values(this.document.paths ?? {});
    return paths.flatMap((path) => path?.get ?? []).find(({ operationId }) => operationId === id);
  }

  /** Component names of the parameters. */
  parameters(id: string): readonly string[] {
    return (this.operation(id)?.parameters ?? []).flatMap((each) =>
      "$ref" in each ? (each.$ref.split("/").at(-1) ?? "") : [],
    );
  }

  response(id: string, status: number): OpenAPIV3_1.ResponseObject | undefined {
    return responseOf(this.document, this.operation(id), status);
  }

  codes(id: string, status: number): readonly string[] {
    return codesOf(this.response(id, status));
  }
}

const things = (further: Partial<CollectionSketch> = {}) =>
  new Described({ databases: { db: { things: { schema, ...further } } } });

describe("where", () => {
  const plain = things();
  const accepts = (value: JsonValue) => plain.accepts("DbThingsWhere", value);

  test.each<JsonValue>([
    {},
    { name: "x", age: 3, "_meta.version": { $gte: 2 } },
    { name: { $like: "a%b_", $ilike: "", $icontains: "x".repeat(256) } },
    { "address.city": "Bern", "lines.sku": { $startsWith: "A" } },
    { $or: [{ name: "x" }, { $and: [{ age: 1 }, { done: true }] }], cost: { $between: [1, 2.5] } },
    { age: { $in: [] }, name: { $nin: ["a", "b"] } },
  ])("where 1: %j is described", (where) => expect(accepts(where)).toBe(true));

  test.each<JsonValue>([
    { unheard_of: 1 },
    { $nor: [{ name: "x" }] },
    { name: {} },
    { name: { $not: "x" } },
    { $or: [] },
    { $and: [{}] },
    { $or: { name: "x" } },
    { $or: [{ unheard_of: 1 }] },
    [],
    "name",
  ])("where 2, where 7: %j is not", (where) => expect(accepts(where)).toBe(false));

  test.each<readonly [string, readonly JsonValue[], readonly JsonValue[]]>([
    [
      "name",
      ["x", { $eq: "x" }, { $in: ["x"] }],
      [1, null, ["x"], { $eq: null }, { $in: [1] }, { $in: "x" }],
    ],
    ["nick", [null, { $ne: null }, { $in: ["x", null] }], [false, { $gt: null }]],
    ["age", [1, -5, { $between: [1, 2] }], [1.5, "1", { $between: [1] }, { $like: "1" }]],
    ["cost", [1.5, 1, null], ["1.5", { $lt: null }, { $contains: "1" }]],
    ["done", [true, { $ne: false }, { $isNull: true }], [1, { $gt: false }, { $between: [false, true] }]],
    [
      "due",
      ["2026-03-01T00:00:00+01:00", "2026-03-01", { $lt: "2026-03-01T00:00:00Z" }],
      ["x", null, { $like: "2%" }],
    ],
    ["day", ["2026-03-01", "2026-03-01T00:00:00Z", null], ["1st of March", { $startsWith: "2026" }]],
    ["tags", ["x", ["x", "y"], [], { $eq: ["x"] }, { $contains: "x" }], [[1], 1, [["x"]], null]],
    [
      "mixed",
      ["x", 1, true, { $gt: "a" }, { $between: [1, 2] }],
      [1.5, { $gt: true }, { $between: [1, "b"] }],
    ],
    [
      "address",
      [{ $isNull: true }, { $notNull: true }],
      ["x", null, { city: "x" }, { $eq: null }, { $in: [] }],
    ],
    ["lines", [{ $isNull: false }], [[], [{ sku: "x" }]]],
    ["_meta.owner", ["u", null], [1]],
    ["_meta.created_at", ["2026-03-01", { $gte: "2026-03-01T00:00:00.000Z" }], ["now", 0]],
    ["id", ["x"], [null, 1]],
  ])("where 3: %s takes values of its type", (path, good, bad) => {
    for (const value of good) expect(accepts({ [path]: value }), JSON.stringify(value)).toBe(true);
    for (const value of bad) expect(accepts({ [path]: value }), JSON.stringify(value)).toBe(false);
  });

  test("Limits: text is bounded, and so are wildcards", () => {
    expect(accepts({ name: { $contains: "x".repeat(257) } })).toBe(false);
    expect(accepts({ name: { $like: "%_%_" } })).toBe(true);
    expect(accepts({ name: { $like: "%_%_%" } })).toBe(false);
  });

  test("where 2: ownership and deletion marks are fields where documents have them", () => {
    const open = new Described({ auth: false, databases: { db: { things: { schema, softDelete: {} } } } });
    expect(accepts({ "_meta.deleted_at": "2026-01-01" })).toBe(false);
    expect(open.accepts("DbThingsWhere", { "_meta.deleted_at": "2026-01-01" })).toBe(true);
    for (const path of ["_meta.deleted_by", "_meta.owner", "_meta.created_by"]) {
      expect(open.accepts("DbThingsWhere", { [path]: "x" })).toBe(false);
    }
  });

  test("fields that rules hide from some callers are described", () => {
    const hidden = things({ hidden: ["cost"] });
    expect(hidden.accepts("DbThingsWhere", { cost: 1 })).toBe(true);
    expect(hidden.accepts("DbThingsOrderBy", ["-cost"])).toBe(true);
  });

  test("Full-text search 2: $search stands at the top, where there is a text index", () => {
    const searchable = things(text("name"));
    const search = { $search: '"a b" -c' };
    expect(accepts(search)).toBe(false);
    expect(searchable.accepts("DbThingsWhere", { ...search, $or: [{ name: "x" }] })).toBe(true);
    expect(searchable.accepts("DbThingsWhere", { $or: [search] })).toBe(false);
    expect(searchable.accepts("DbThingsWhere", { $search: { $eq: "x" } })).toBe(false);
    expect(searchable.accepts("DbThingsWhere", { $or: [{ unheard_of: 1 }] })).toBe(false);
  });

  test("collections share the conditions of a kind of field", () => {
    const two = new Described({ databases: { db: { things: { schema }, people: { schema } } } });
    const names = Object.keys(two.document.components?.schemas ?? {});
    const own = Object.keys(plain.document.components?.schemas ?? {});
    const conditions = (all: readonly string[]) => all.filter((name) => /Condition$|Operators$/.test(name));
    expect(conditions(names)).toEqual(conditions(own));
  });
});

describe("List query parameters", () => {
  test("order_by names each field, descending too; relevance alone and with a text index", () => {
    const [plain, searchable] = [things(), things(text("name"))];
    for (const order of [["id"], ["-due", "lines.sku"], ["_meta.created_at"]]) {
      expect(plain.accepts("DbThingsOrderBy", order)).toBe(true);
    }
    const many = ["name", "nick", "age", "cost", "done", "due", "day", "mixed", "other"];
    for (const order of [[], ["unheard_of"], ["name", "name"], ["_relevance"], many]) {
      expect(plain.accepts("DbThingsOrderBy", order)).toBe(false);
    }
    expect(searchable.accepts("DbThingsOrderBy", ["_relevance"])).toBe(true);
    expect(searchable.accepts("DbThingsOrderBy", ["_relevance", "name"])).toBe(false);
    expect(searchable.accepts("DbThingsOrderBy", ["age", "name"])).toBe(true);
  });

  test("order_by leaves out what a list of names cannot hold", () => {
    const odd = { type: "object", properties: { "a,b": { type: "string" }, "-c": { type: "string" } } };
    const described = new Described({ databases: { db: { things: { schema: odd } } } });
    for (const name of ["a,b", "-a,b", "-c", "--c"]) {
      expect(described.accepts("DbThingsOrderBy", [name])).toBe(false);
    }
    expect(described.accepts("DbThingsWhere", { "a,b": "x", "-c": "y" })).toBe(true);
  });

  test("parameters are there only where they mean something", () => {
    const always = ["DbThingsWhere", "DbThingsOrderBy", "Limit", "Skip", "Cursor", "Count", "IfNoneMatch"];
    expect(things().parameters("listDbThings")).toEqual(always);
    const all = things({ ...text("name"), softDelete: {}, references: [reference("other", "things")] });
    expect(all.parameters("listDbThings").toSorted()).toEqual(
      [...always, "Language", "DbThingsExpand", "Deleted"].toSorted(),
    );
    expect(all.parameters("getDbThingsDocument")).toEqual(["DbThingsExpand", "Deleted", "IfNoneMatch"]);
  });

  test("Cursor paging 1: a page may have a cursor", () => {
    const page = { items: [], limit: 20, skip: 0, has_more: true };
    expect(things().accepts("DbThingsPage", { ...page, next_cursor: "x" })).toBe(true);
    expect(things().accepts("DbThingsPage", { ...page, next_cursor: 1 })).toBe(false);
  });

  test("Full-text search 5: documents found by relevance have a score", () => {
    const scored = {
      id: "x",
      name: "n",
      _meta: { created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z", score: 1.5 },
    };
    expect(things(text("name")).accepts("DbThingsDocument", scored)).toBe(true);
    expect(things().accepts("DbThingsDocument", scored)).toBe(false);
  });

  test("Errors: a list answers what its collection can", () => {
    const plain = things();
    expect(plain.codes("listDbThings", 400)).toEqual(
      expect.arrayContaining(["search_not_enabled", "invalid_expand", "invalid_query"]),
    );
    expect(plain.codes("listDbThings", 400)).not.toContain("expand_too_large");
    expect(plain.operation("listDbThings")?.responses).not.toHaveProperty("422");
    const all = things({ ...text("name"), references: [reference("other", "things")] });
    expect(all.codes("listDbThings", 400)).toContain("expand_too_large");
    expect(all.codes("listDbThings", 400)).not.toContain("search_not_enabled");
    expect(all.codes("listDbThings", 422)).toEqual(["search_too_expensive"]);
    expect(all.codes("listDbThings", 503)).toEqual(["index_building", "unavailable"]);
    expect(all.response("listDbThings", 503)).toHaveProperty(["headers", "Retry-After"]);
    expect(all.codes("getDbThingsDocument", 400)).toContain("expand_too_large");
  });
});

describe("Reference expansion", () => {
  const nested = [reference("other", "people"), reference("others", "people", { many: true })];
  const people: CollectionSketch = { schema, references: [reference("other", "things")] };
  const described = new Described({ databases: { db: { things: { schema, references: nested }, people } } });
  const stamps = { created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
  const document = { id: "x", name: "n", _meta: stamps };

  test("Reference expansion 1: entries are names, names with fields, and nested ones", () => {
    for (const entries of [
      ["other"],
      ["others(name,address.city)", "other.other"],
      ["other.other(id,_meta)"],
    ]) {
      expect(described.accepts("DbThingsExpand", entries)).toBe(true);
    }
    const bad = [
      [],
      ["unheard_of"],
      ["other()"],
      ["other(a,)"],
      ["other", "other"],
      ["other.other.other"],
      ["other.others"],
    ];
    for (const entries of bad) expect(described.accepts("DbThingsExpand", entries)).toBe(false);
  });

  test("Limits: a collection may lower them", () => {
    const lowered = new Described({
      databases: {
        db: { things: { schema, references: nested, ...expand({ maxDepth: 1, maxPaths: 1 }) }, people },
      },
    });
    expect(lowered.accepts("DbThingsExpand", ["other"])).toBe(true);
    expect(lowered.accepts("DbThingsExpand", ["other", "others"])).toBe(false);
    expect(lowered.accepts("DbThingsExpand", ["other.other"])).toBe(false);
  });

  test("Reference expansion 3, Reference expansion 4: documents, null, arrays and what is left of too long ones", () => {
    const expanded: readonly JsonObject[] = [
      { other: document },
      { other: null, others: [document, null] },
      { others: [] },
      { others: { items: [document], truncated: true } },
      { other: { ...document, _expanded: { other: null } } },
    ];
    for (const _expanded of expanded) {
      expect(described.accepts("DbThingsDocument", { ...document, _expanded })).toBe(true);
    }
    const bad: readonly JsonObject[] = [
      { other: "x" },
      { other: [document] },
      { other: { name: "n" } },
      { others: document },
      { others: { items: [] } },
      { unheard_of: null },
    ];
    for (const _expanded of bad) {
      expect(described.accepts("DbThingsDocument", { ...document, _expanded })).toBe(false);
    }
  });

  test("Reference expansion 1: of selected fields only the id is always there", () => {
    for (const other of [{ id: "x" }, { id: "x", address: {} }, { id: "x", _meta: { version: 1 } }]) {
      expect(described.accepts("DbThingsDocument", { ...document, _expanded: { other } })).toBe(true);
    }
    for (const other of [{}, { id: "x", age: "old" }, { id: "x", _meta: { version: "1" } }]) {
      expect(described.accepts("DbThingsDocument", { ...document, _expanded: { other } })).toBe(false);
    }
  });

  test("Reference expansion 6: reads that can expand tell what it took", () => {
    for (const id of ["listDbThings", "getDbThingsDocument"]) {
      expect(described.response(id, 200)).toHaveProperty(["headers", "X-Svc-Expand-Queries"]);
      expect(described.response(id, 200)).toHaveProperty(["headers", "X-Svc-Expand-Docs"]);
    }
    expect(things().response("listDbThings", 200)).not.toHaveProperty(["headers", "X-Svc-Expand-Docs"]);
  });
});

describe("Aggregation", () => {
  const declared = aggregate(
    ["name", "due", "day"],
    [
      { path: "cost", functions: ["sum", "avg", "min", "max"] },
      { path: "due", functions: ["min", "distinct"] },
    ],
  );

  test("Aggregation: it is described where it is declared", () => {
    expect(things().document.paths).not.toHaveProperty(["/v1/desk/db/things/_aggregate"]);
    const described = things({ ...declared, ...publicCache });
    expect(described.document.paths).toHaveProperty(["/v1/desk/db/things/_aggregate"]);
    expect(described.parameters("aggregateDbThings")).toEqual([
      "DbThingsGroupBy",
      "DbThingsMetrics",
      "DbThingsWhere",
      "DbThingsGroupOrder",
      "GroupLimit",
      "TimeZone",
      "IfNoneMatch",
    ]);
    expect(described.codes("aggregateDbThings", 400)).toEqual(
      expect.arrayContaining(["invalid_aggregate", "search_not_enabled"]),
    );
    expect(described.codes("aggregateDbThings", 422)).toEqual(["aggregate_too_expensive"]);
    const searchable = things({ ...declared, ...text("name") });
    expect(searchable.parameters("aggregateDbThings")).toContain("Language");
    expect(searchable.codes("aggregateDbThings", 503)).toEqual(["index_building", "unavailable"]);
  });

  test("Aggregation: keys, periods, metrics and orders are those declared", () => {
    const described = things(declared);
    const good: readonly (readonly [string, JsonValue])[] = [
      ["DbThingsGroupBy", ["name", "due:hour", "day:week"]],
      ["DbThingsMetrics", ["count", "sum:cost", "distinct:due"]],
      ["DbThingsGroupOrder", ["-count", "due", "-sum:cost"]],
    ];
    for (const [component, value] of good) expect(described.accepts(component, value)).toBe(true);
    const bad: readonly (readonly [string, JsonValue])[] = [
      ["DbThingsGroupBy", ["age"]],
      ["DbThingsGroupBy", ["name:month"]],
      ["DbThingsGroupBy", ["day:hour"]],
      ["DbThingsGroupBy", ["name", "due", "due:day", "due:week", "day"]],
      ["DbThingsMetrics", ["sum:due"]],
      ["DbThingsMetrics", ["count", "count"]],
      ["DbThingsGroupOrder", ["due:month"]],
    ];
    for (const [component, value] of bad) expect(described.accepts(component, value)).toBe(false);
  });

  test("Aggregation: groups have the keys and metrics asked for", () => {
    const described = things(declared);
    const answer = (group: JsonObject) => ({ groups: [group], has_more: false });
    const good: readonly JsonObject[] = [
      { key: {}, count: 0 },
      { key: { name: null, due: "2026-03-01T00:00:00.000+01:00", day: "2026-03-01" }, count: 1 },
      { key: { name: "x" }, "sum:cost": 1.5, "avg:cost": null, "min:due": "2026-03-01T00:00:00.000Z" },
    ];
    for (const group of good) expect(described.accepts("DbThingsGroups", answer(group))).toBe(true);
    const bad: readonly JsonObject[] = [
      { count: 1 },
      { key: { age: 1 } },
      { key: {}, count: 1.5 },
      { key: {}, "sum:cost": null },
      { key: {}, "sum:due": 1 },
    ];
    for (const group of bad) expect(described.accepts("DbThingsGroups", answer(group))).toBe(false);
  });

  test("Aggregation: without anything to group by there is no such parameter", () => {
    expect(things(aggregate([], [])).parameters("aggregateDbThings")).not.toContain("DbThingsGroupBy");
  });
});
