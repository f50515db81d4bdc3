import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { and, compare, eq, type Filter, isIn, not, or, TRUE, text } from "../../filter/algebra.ts";
import { documentFields, field, ownershipFields } from "../../filter/fields.ts";
import type { CollectionShape, Visibility } from "../contract.ts";
import { Connection } from "./connection.ts";
import { type StoreFile, storeFile } from "./file.ts";
import { provision } from "./provision.ts";
import { INLINE_ROWS, type Query, Table } from "./table.ts";

const status = field("status", "string");
const size = field("size", "integer");
const open = field("open", "boolean");
const hostile = field('it\'s "q" é 0', "string");
const either = field("either", ["string", "integer"]);
const tags = field("tags", "string", ["tags"]);
const lines = field("lines.sku", "string", ["lines"]);
const owner = ownershipFields["_meta.owner"];

const index = (name: string, ...fields: (typeof status)[]) => ({
  name,
  keys: fields.map((key) => ({ field: key, descending: key === size })),
  unique: false,
});

const shape: CollectionShape = {
  name: "app.things",
  fields: documentFields,
  indexes: [
    index("status_size", status, size),
    index("open", open),
    index("hostile", hostile),
    index("either", either),
    index("owner", owner),
    index("tags", tags),
    index("lines", lines),
    { ...index("code", field("code", "string")), unique: true },
  ],
  feed: false,
};

let file: StoreFile;
let connection: Connection;
const table = new Table(shape);

beforeEach(() => {
  file = storeFile(":memory:", "plan");
  connection = new Connection(file.path, { readOnly: false, busyTimeout: 0 });
  provision(connection, [shape]);
});
afterEach(() => {
  connection.close();
  file.remove();
});

function plan({ sql, parameters }: Query): string {
  const rows: readonly unknown[] = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
  return rows.map((row) => (Array.isArray(row) ? `${row[3]}` : "")).join("\n");
}
const findPlan = (filter: Filter, visibility: Visibility = "live") =>
  plan(table.find(0, { filter, visibility, limit: 21, skip: 0 }));

const sorting = "TEMP B-TREE";

describe("the default order needs no sorting", () => {
  test.each([
    ["live", ["svc_live.app.things"]],
    ["deleted", ["svc_deleted.app.things"]],
    ["all", ["svc_live.app.things", "svc_deleted.app.things"]],
  ] as const)("%s", (visibility, indexes) => {
    for (const filter of [TRUE, eq(field("unindexed", "string"), "x")]) {
      const found = findPlan(filter, visibility);
      for (const name of indexes) expect(found).toContain(name);
      expect(found).not.toContain(sorting);
    }
  });
});

describe("declared indexes serve filters over live documents", () => {
  test.each([
    ["equality", eq(status, "open"), "status_size (<expr>=?)"],
    ["a boolean", eq(open, true), "open (<expr>=?)"],
    ["a name with quotes", eq(hostile, "x"), "hostile (<expr>=?)"],
    ["a string of a union", eq(either, "x"), "either (<expr>=?)"],
    ["a number of a union", eq(either, 1), "either (<expr>=?)"],
    ["a fraction", and(eq(status, "x"), eq(size, 0.1)), "status_size (<expr>=? AND <expr>=?)"],
    ["_meta.owner", eq(owner, "u1"), "owner (owner=?)"],
    ["one of several", isIn(status, ["a", "b"]), "status_size (<expr>=?)"],
    [
      "a range",
      and(compare("gt", status, "m"), compare("lt", status, "n")),
      "status_size (<expr>>? AND <expr><?)",
    ],
    ["a prefix", text("startsWith", status, "op"), "status_size (<expr>>? AND <expr><?)"],
    ["two keys", and(eq(status, "open"), compare("gte", size, 3)), "status_size (<expr>=? AND <expr>>?)"],
    ["a unique index", eq(field("code", "string"), "x"), "code (<expr>=?)"],
    [
      "beside a condition without index",
      and(eq(open, false), eq(field("other", "string"), "x")),
      "open (<expr>=?)",
    ],
  ])("%s", (_, filter, use) => {
    expect(findPlan(filter)).toContain(`svc_index.app.things.${use}`);
  });

  test("a page of equal values is in order already", () => {
    expect(findPlan(eq(open, true))).not.toContain(sorting);
    expect(findPlan(eq(owner, "u1"))).not.toContain(sorting);
  });

  test("the live half of a list of everything uses them too", () => {
    expect(findPlan(eq(open, true), "all")).toContain("svc_index.app.things.open (<expr>=?)");
  });

  test("fields through arrays are looked up in their table of values", () => {
    expect(findPlan(eq(tags, "x"))).toContain("svc_values.app.things.tags USING PRIMARY KEY (value=?)");
    expect(findPlan(eq(lines, "x"))).toContain("svc_values.app.things.lines.sku USING PRIMARY KEY (value=?)");
    expect(findPlan(compare("lt", tags, "x"))).toContain(
      "svc_values.app.things.tags USING PRIMARY KEY (value>? AND value<?)",
    );
  });
});

describe("columns serve the service's own fields", () => {
  test("_meta.created_at by the order index", () => {
    const since = compare("gte", documentFields["_meta.created_at"], "2026-03-01T00:00:00.000Z");
    expect(findPlan(since)).toContain("svc_live.app.things (created_at>?)");
  });

  test("id by its unique index", () => {
    expect(findPlan(eq(documentFields.id, "x"))).toContain("(id=?)");
  });
});

describe("the budget counts rows that do not match; of those that do, a page takes few", () => {
  const unindexed = eq(field("other", "string"), "x");
  const beside = (filter: Filter, more = {}) =>
    table.find(0, { filter, visibility: "live", limit: 20, skip: 0, ...more }).sql.includes("OR NOT ((seq");

  test("where no index serves the filter", () => {
    for (const filter of [
      unindexed,
      not(eq(status, "x")),
      or(eq(status, "x"), unindexed),
      and(unindexed, not(unindexed)),
      text("contains", status, "x"),
      eq(size, 1),
    ])
      expect(beside(filter)).toBe(true);
  });

  test("else every row, since a condition within an OR is out of the index's reach", () => {
    for (const filter of [
      eq(status, "x"),
      eq(tags, "x"),
      eq(documentFields.id, "x"),
      and(unindexed, eq(status, "x")),
      or(eq(status, "x"), eq(open, true)),
      { op: "false" } as const,
    ])
      expect(beside(filter)).toBe(false);
    expect(beside(unindexed, { skip: INLINE_ROWS })).toBe(false);
  });
});

test("columns are asked before the document, whatever the order of the rule", () => {
  const retired = eq(field("state", "string"), "retired");
  for (const filter of [
    or(not(retired), eq(owner, "u1")),
    and(not(retired), or(eq(owner, "u1"), eq(owner, "u2"))),
  ]) {
    const { sql } = table.find(0, { filter, visibility: "live", limit: 21, skip: 0 });
    expect(sql.indexOf("owner = ")).toBeGreaterThan(0);
    expect(sql.indexOf("owner = ")).toBeLessThan(sql.indexOf("json_"));
  }
});

describe("counting and skipping read the index alone", () => {
  test("count", () => {
    expect(plan(table.count(0, TRUE, "live"))).toContain("USING COVERING INDEX");
    expect(plan(table.count(0, eq(open, true), "live"))).toContain(
      "USING COVERING INDEX svc_index.app.things.open",
    );
  });

  test("expired documents by the purge index", () => {
    const rows = plan({
      sql: 'SELECT seq FROM "c.app.things" WHERE purge_at <= ?1 ORDER BY purge_at LIMIT 5',
      parameters: [0],
    });
    expect(rows).toContain("svc_purge.app.things (purge_at<?)");
  });
});

test("a filter of thousands of conditions is no deeper than SQLite allows", () => {
  const alternatives = Array.from({ length: 3000 }, (_, n) => compare("gt", size, n));
  for (const op of ["and", "or"] as const) {
    const { sql, parameters } = table.count(0, { op, of: alternatives }, "live");
    expect(connection.allWithin(1000, sql, parameters)).toEqual([[0]]);
  }
});

describe("prefixes end where the next string begins", () => {
  test.each([
    ["a\ud7ff", ["a\ud7ff", "a\ud7ffz"], ["a\ue000", "a\ufffd", "b"]],
    ["a\u{10ffff}", ["a\u{10ffff}", "a\u{10ffff}b"], ["a", "b", "a\uffff"]],
    ["\u{10ffff}", ["\u{10ffff}", "\u{10ffff}\u{10ffff}"], ["\uffff", ""]],
    ["", ["", "a", "\u{10ffff}"], []],
  ])("%j", (prefix, inside, outside) => {
    const all = [...inside, ...outside, 1, true, null, ["x"]];
    all.forEach((value, n) => {
      table.insert(connection, 0, {
        id: `${n}`,
        version: 1,
        createdAt: n,
        text: JSON.stringify({ status: value, either: value }),
      });
    });
    for (const key of [status, either]) {
      const { sql, parameters } = table.find(0, {
        filter: text("startsWith", key, prefix),
        visibility: "live",
        limit: 99,
        skip: 0,
      });
      expect(connection.allWithin(1000, sql, parameters)).toHaveLength(inside.length);
    }
  });
});
