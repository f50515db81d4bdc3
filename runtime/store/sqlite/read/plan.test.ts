import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  and,
  between,
  compare,
  eq,
  equalsArray,
  type Filter,
  isIn,
  like,
  not,
  or,
  search,
  TRUE,
  text,
} from "../../../filter/algebra.ts";
import { documentFields, type Field, field, ownershipFields } from "../../../filter/fields.ts";
import { type Order, orderBy, type Position } from "../../../filter/order.ts";
import type { Aggregate, GroupKey } from "../../contract/aggregate.ts";
import type { Visibility } from "../../contract/document.ts";
import type { Find } from "../../contract/query.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { Connection } from "../connection.ts";
import { type StoreFile, storeFile } from "../file.ts";
import { provision } from "../provision.ts";
import { INLINE_ROWS, type Query, single } from "../query.ts";
import { Table } from "../table.ts";

const status = field("status", "string");
const size = field("size", "integer");
const open = field("open", "boolean");
const hostile = field('it\'s "q" é 0', "string");
const either = field("either", ["string", "integer"]);
const place = field("place", "string");
const tags = field("tags", "string", ["tags"]);
const lines = field("lines.sku", "string", ["lines"]);
const owner = ownershipFields["_meta.owner"];

const { id, "_meta.created_at": created } = documentFields;

const by = (...keys: readonly (Field | readonly ["-", Field])[]): Order =>
  orderBy(
    keys.map((key) =>
      "path" in key ? { field: key, descending: false } : { field: key[1], descending: true },
    ),
  );

const index = (name: string, ...fields: (typeof status)[]) => ({
  name,
  keys: fields.map((key) => ({ field: key, descending: key === size })),
  unique: false,
});

const shape: CollectionShape = {
  name: "app.things",
  fields: documentFields,
  indexes: [
    index("owner", owner),
    index("status_size", status, size),
    index("open", open),
    index("open_size", open, size),
    index("hostile", hostile),
    index("either", either),
    index("place_id", place, id),
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
const statements = (find: Partial<Find>) =>
  table.pages.find(0, { filter: TRUE, visibility: "live", limit: 21, skip: 0, ...find }).flatMap((way) => {
    const { first, others } = way();
    return [first, ...others.map((other) => other())];
  });
/** Of each statement of each way. */
const plans = (find: Partial<Find>) => statements(find).map(plan);
const findPlan = (filter: Filter, visibility: Visibility = "live") =>
  plans({ filter, visibility }).join("\n");

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

describe("a position in the default order is gone to at once", () => {
  const after = ["2026-03-01T00:00:00.000Z", "x"];

  test.each([
    ["live", ["svc_live.app.things"]],
    ["deleted", ["svc_deleted.app.things"]],
    ["all", ["svc_live.app.things", "svc_deleted.app.things"]],
  ] as const)("%s", (visibility, indexes) => {
    for (const filter of [TRUE, eq(field("unindexed", "string"), "x")]) {
      const [found] = plans({ filter, visibility, after });
      for (const name of indexes) expect(found).toContain(`${name} ((created_at,id)>(?,?))`);
      expect(found).not.toContain(sorting);
    }
  });

  test("among the documents of a filter, within its index", () => {
    const [found] = plans({ filter: eq(open, true), after });
    expect(found).toContain("svc_index.app.things.open (<expr>=? AND (created_at,id)>(?,?))");
    expect(found).not.toContain(sorting);
  });

  test("backwards too", () => {
    const [found] = plans({ order: by(["-", created], ["-", id]), after });
    expect(found).toContain("svc_live.app.things ((created_at,id)<(?,?))");
    expect(found).not.toContain(sorting);
  });
});

describe("an order is walked along its index", () => {
  const position = ["x", 1, "2026-03-01T00:00:00.000Z", "x"];
  const whole: readonly (readonly [string, Order, Position])[] = [
    ["as declared", by(status, ["-", size], created, id), position],
    ["in reverse", by(["-", status], size, ["-", created], ["-", id]), position],
    ["an index that ends with the id", by(place), ["x", "x"]],
    ["the id alone", by(id), ["x"]],
    ["the id alone in reverse", by(["-", id]), ["x"]],
  ];

  test.each(whole)("without sorting: %s", (_, order, after) => {
    for (const find of [{ order }, { order, after }]) {
      for (const filter of [TRUE, eq(field("unindexed", "string"), "x")]) {
        const found = plans({ ...find, filter });
        expect(found).not.toEqual([]);
        for (const each of found) expect(each).not.toContain(sorting);
      }
    }
    expect(plans({ order, after }).join()).not.toContain("SCAN");
  });

  test("the filter's constant is no part of it", () => {
    const found = plans({ filter: eq(status, "open"), order: by(["-", size], created, id) });
    expect(found[0]).toContain("svc_index.app.things.status_size (<expr>=?)");
    expect(found[0]).not.toContain(sorting);
    const after = plans({
      filter: eq(status, "open"),
      order: by(status, ["-", size], created, id),
      after: ["open", 3, "2026-03-01T00:00:00.000Z", "x"],
    });
    expect(after[1]).toContain("svc_index.app.things.status_size (<expr>=? AND <expr><?)");
    expect(after[0]).not.toContain(sorting);
  });

  test("rows equal in all of its keys are put in order by their ids, and nothing else is", () => {
    const [found] = plans({ order: by(status, ["-", size]) });
    expect(found).toContain("COVERING INDEX svc_index.app.things.status_size");
    expect(found).toContain("USE TEMP B-TREE FOR LAST TERM OF ORDER BY");
    const [after] = plans({ order: by(status, ["-", size]), after: ["x", 3, "x"] });
    expect(after).toContain("COVERING INDEX svc_index.app.things.status_size (<expr>=? AND <expr><?)");
    expect(after).toContain("USE TEMP B-TREE FOR LAST TERM OF ORDER BY");
  });

  test("as far as the directions agree", () => {
    const [found] = plans({ order: by(status, size, created) });
    expect(found).toContain("COVERING INDEX svc_index.app.things.status_size");
    expect(found).toContain("USE TEMP B-TREE FOR LAST 3 TERMS OF ORDER BY");
  });

  test("or, where they are many, are looked for among all ids", () => {
    const after = ["x", "x"];
    const found = plans({ order: by(status), after });
    expect(found.some((each) => each.includes("sqlite_autoindex_c.app.things_1 (id>?)"))).toBe(true);
    expect(plans({ order: by(status) }).join()).toContain("sqlite_autoindex_c.app.things_1");
  });

  test("or along the index in the other direction, within the first of them", () => {
    const order = by(["-", status], ["-", size]);
    const within = "svc_index.app.things.status_size (<expr>=?";
    const start = plans({ order })[1];
    expect(start).toContain(`COVERING INDEX ${within})`);
    expect(start).toContain("USE TEMP B-TREE FOR LAST TERM OF ORDER BY");
    const after = plans({ order, after: ["x", 3, "x"] });
    expect(after.filter((each) => each.includes(`${within} AND <expr><?)`))).not.toEqual([]);
  });

  test("nulls are gone to as well", () => {
    for (const order of [by(status), by(["-", status])]) {
      const found = plans({ order, after: [null, "x"] });
      expect(found[0]).toContain("svc_index.app.things.status_size (<expr>=?)");
    }
    expect(plans({ order: by(["-", status]), after: ["x", "x"] })[1]).toContain(
      "svc_index.app.things.status_size (<expr>=?)",
    );
    expect(plans({ order: by(status), after: [null, "x"] })[1]).toContain(
      "svc_index.app.things.status_size (<expr>>?)",
    );
  });
});

test("what has to be sorted is sorted without the documents", () => {
  for (const order of [by(field("other", "string")), by(["-", tags])]) {
    const [found] = plans({ order });
    expect(found).toContain("CO-ROUTINE");
    expect(found).toContain("SEARCH c.app.things USING INTEGER PRIMARY KEY (rowid=?)");
  }
});

describe("of two ways to a page", () => {
  const rule = or(eq(open, true), eq(owner, "u1"));

  test("one goes by the filter's indexes, of each alternative its own", () => {
    const [sorted] = plans({ filter: rule });
    expect(sorted).toContain("MULTI-INDEX OR");
    expect(sorted).toContain("svc_index.app.things.open");
    expect(sorted).toContain("svc_index.app.things.owner (owner=?)");
  });

  test.each(["without", "with"])("the other along the order, %s statistics", (statistics) => {
    for (let n = 0; n < 200; n++) {
      const text = JSON.stringify({ open: true, status: `s${n}`, _meta: { owner: `u${n}` } });
      table.insert(connection, 0, { id: `${n}`, version: 1, createdAt: n, text });
    }
    if (statistics === "with") connection.database.exec("ANALYZE");
    const [, walked] = plans({ filter: rule });
    expect(walked).toContain("SCAN c.app.things USING INDEX svc_live.app.things");
    expect(walked).not.toContain(sorting);
    const [first] = plans({ filter: eq(open, true) });
    expect(first).toContain("svc_index.app.things.open (<expr>=?)");
    expect(first).not.toContain(sorting);
  });
});

test("of several indexes the one that the filter narrows down most, then the one that has most of the keys", () => {
  const found = plans({ filter: and(eq(owner, "u1"), eq(status, "x"), eq(size, 1)) });
  expect(found[0]).toContain("status_size (<expr>=? AND <expr>=?)");
  expect(found[1]).toContain("owner (owner=?)");
  expect(plans({ order: by(["-", open], ["-", size]) })[0]).toContain("svc_index.app.things.open_size");
});

test("a search comes before all other conditions", () => {
  const index = { fields: [], defaultLanguage: "none", stems: () => [], parse: () => ({ problem: "" }) };
  const terms = { phrases: [], words: ["x"], excluded: [] };
  const [sql] = statements({ filter: and(eq(status, "x"), search(index, terms)) }).map((query) => query.sql);
  expect(sql).toContain('"c.app.things" NOT INDEXED');
});

describe("a lookup goes from the values to the documents", () => {
  const lookup = (key: typeof status, filter: Filter = TRUE) =>
    plan(table.lookups.lookup(0, { key, values: ["x", "y"], filter, limit: 2 }).first);

  test.each([
    ["id", documentFields.id, "(id=?)"],
    ["a unique index", field("code", "string"), "svc_index.app.things.code (<expr>=?)"],
  ] as const)("%s", (_, key, use) => {
    for (const filter of [
      TRUE,
      eq(status, "x"),
      eq(owner, "u1"),
      eq(tags, "x"),
      or(eq(open, true), eq(owner, "u")),
    ]) {
      const [first, second] = lookup(key, filter).split("\n");
      expect(first).toContain(use);
      expect(second).toContain("LIST SUBQUERY");
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
    ["a range with both ends", between(status, "m", "n"), "status_size (<expr>>? AND <expr><?)"],
    ["a pattern that begins literally", like(status, "op_n%"), "status_size (<expr>>? AND <expr><?)"],
    ["a pattern without wildcards", like(status, "open"), "status_size (<expr>=?)"],
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
    for (const filter of [eq(open, true), eq(owner, "u1")])
      expect(plans({ filter })[0]).not.toContain(sorting);
  });

  test("the live half of a list of everything uses them too", () => {
    expect(findPlan(eq(open, true), "all")).toContain("svc_index.app.things.open (<expr>=?)");
  });

  test("fields through arrays are looked up in their table of values", () => {
    expect(findPlan(eq(tags, "x"))).toContain("svc_values.app.things.tags USING PRIMARY KEY (value=?)");
    expect(findPlan(eq(lines, "x"))).toContain("svc_values.app.things.lines.sku USING PRIMARY KEY (value=?)");
    expect(findPlan(equalsArray(tags, [null, "x", "y"]))).toContain(
      "svc_values.app.things.tags USING PRIMARY KEY (value=?)",
    );
    expect(findPlan(between(tags, "x", "y"))).toContain(
      "svc_values.app.things.tags USING PRIMARY KEY (value>? AND value<?)",
    );
    expect(findPlan(compare("lt", tags, "x"))).toContain(
      "svc_values.app.things.tags USING PRIMARY KEY (value>? AND value<?)",
    );
  });
});

describe("indexes alone tell how many there are", () => {
  const counting = (filter: Filter) => plan(table.counts.all(0, filter, "live"));

  test("of a value, of others, of a range, of several, of all", () => {
    for (const [filter, index] of [
      [eq(status, "x"), "status_size"],
      [not(eq(status, "x")), "status_size"],
      [and(eq(status, "x"), compare("gt", size, 3)), "status_size"],
      [isIn(place, ["x", "y"]), "place"],
    ] as const)
      expect(counting(filter)).toContain(`COVERING INDEX svc_index.app.things.${index}`);
    expect(counting(TRUE)).toContain("COVERING INDEX");
  });

  test("but where something else is asked", () => {
    expect(counting(and(eq(status, "x"), eq(field("other", "string"), "y")))).not.toContain("COVERING");
  });
});

describe("an index alone tells the groups of an aggregation", () => {
  const grouped = (groupBy: readonly GroupKey[], more: Partial<Aggregate> = {}) =>
    plan(
      table.aggregate(0, {
        filter: TRUE,
        visibility: "live",
        groupBy,
        metrics: [{ op: "count" }],
        order: [],
        limit: 10,
        ...more,
      }),
    );

  test("where it holds what is grouped by, measured and asked", () => {
    for (const [found, index] of [
      [grouped([{ field: status }]), "status_size"],
      [grouped([{ field: size }]), "status_size"],
      [grouped([{ field: size }], { filter: eq(status, "x") }), "status_size"],
      [grouped([{ field: status }], { metrics: [{ op: "sum", field: size }] }), "status_size"],
      [grouped([{ field: size }], { filter: eq(open, true) }), "open_size"],
      [grouped([], { filter: eq(open, true) }), "open"],
    ] as const)
      expect(found).toContain(`COVERING INDEX svc_index.app.things.${index}`);
  });

  test("but not of what it lacks, of what may repeat, of deleted ones, nor where another one finds the documents", () => {
    for (const found of [
      grouped([{ field: field("other", "string") }]),
      grouped([{ field: tags }]),
      grouped([{ field: status }], { visibility: "deleted" }),
      grouped([{ field: status }], { filter: eq(owner, "u1") }),
      grouped([{ field: status }], { metrics: [{ op: "max", field: field("other", "string") }] }),
      grouped([{ field: field("code", "string") }]),
    ])
      expect(found).not.toContain("COVERING");
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
    statements({ filter, ...more })[0]?.sql.includes("OR NOT (seq");

  test("where no index serves the filter", () => {
    for (const filter of [
      unindexed,
      or(eq(status, "x"), unindexed),
      and(unindexed, not(unindexed)),
      text("contains", status, "x"),
      text("startsWith", status, "x", true),
      like(status, "%x"),
      equalsArray(status, ["x"]),
      equalsArray(tags, [null]),
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
      like(status, "x_y%"),
      equalsArray(tags, ["x"]),
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
    const [sql = ""] = statements({ filter }).map((statement) => statement.sql);
    expect(sql.indexOf("owner = ")).toBeGreaterThan(0);
    expect(sql.indexOf("owner = ")).toBeLessThan(sql.indexOf("json_"));
  }
});

describe("counting and skipping read the index alone", () => {
  test("count", () => {
    expect(plan(table.counts.all(0, TRUE, "live"))).toContain("USING COVERING INDEX");
    expect(plan(table.counts.all(0, eq(open, true), "live"))).toContain(
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
    const query = table.counts.all(0, { op, of: alternatives }, "live");
    expect(connection.allWithin(1000, single(query))).toEqual([[0]]);
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
      for (const query of statements({ filter: text("startsWith", key, prefix), limit: 99 }))
        expect(connection.allWithin(1000, single(query))).toHaveLength(inside.length);
    }
  });
});

test("no limit is a bare parameter, for whose value SQLite would prepare the statement anew", () => {
  const after = ["2026-03-01T00:00:00.000Z", "x"];
  const finds: readonly Partial<Find>[] = [
    {},
    { after },
    { visibility: "all" },
    { filter: eq(status, "a"), order: by(["-", size]) },
    { filter: eq(field("unindexed", "string"), "x"), order: by(place) },
    { filter: isIn(owner, ["a", "b"]) },
    {
      filter: isIn(
        owner,
        Array.from({ length: 100 }, (_, n) => `${n}`),
      ),
    },
  ];
  for (const { sql } of finds.flatMap(statements)) {
    expect(sql).toMatch(/LIMIT \+\?2/);
    expect(sql).not.toMatch(/LIMIT \?\d+(?! \+)/);
  }
});
