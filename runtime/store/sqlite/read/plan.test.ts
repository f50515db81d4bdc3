import { describe, expect, test } from "vitest";
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
import { documentFields, field } from "../../../filter/fields.ts";
import type { Find } from "../../contract/query.ts";
import { INLINE_ROWS, single } from "../query.ts";
import {
  by,
  either,
  hostile,
  lines,
  open,
  owner,
  Plans,
  place,
  size,
  sorting,
  statements,
  status,
  table,
  tags,
} from "./testing/plans.ts";

const plans = Plans.eachTest();

test("of several indexes the one that the filter narrows down most, then the one that has most of the keys", () => {
  const found = plans.all({ filter: and(eq(owner, "u1"), eq(status, "x"), eq(size, 1)) });
  expect(found[0]).toContain("status_size (<expr>=? AND <expr>=?)");
  expect(found[1]).toContain("owner (owner=?)");
  expect(plans.all({ order: by(["-", open], ["-", size]) })[0]).toContain("svc_index.app.things.open_size");
});

test("a search comes before all other conditions", () => {
  const index = { fields: [], defaultLanguage: "none", stems: () => [], parse: () => ({ problem: "" }) };
  const terms = { phrases: [], words: ["x"], excluded: [] };
  const [sql] = statements({ filter: and(eq(status, "x"), search(index, terms)) }).map((query) => query.sql);
  expect(sql).toContain('"c.app.things" NOT INDEXED');
});

describe("a lookup goes from the values to the documents", () => {
  const lookup = (key: typeof status, filter: Filter = TRUE) =>
    plans.of(table.lookups.lookup(0, { key, values: ["x", "y"], filter, limit: 2 }).first);

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
    expect(plans.find(filter)).toContain(`svc_index.app.things.${use}`);
  });

  test("a page of equal values is in order already", () => {
    for (const filter of [eq(open, true), eq(owner, "u1")])
      expect(plans.all({ filter })[0]).not.toContain(sorting);
  });

  test("the live half of a list of everything uses them too", () => {
    expect(plans.find(eq(open, true), "all")).toContain("svc_index.app.things.open (<expr>=?)");
  });

  test("fields through arrays are looked up in their table of values", () => {
    expect(plans.find(eq(tags, "x"))).toContain("svc_values.app.things.tags USING PRIMARY KEY (value=?)");
    expect(plans.find(eq(lines, "x"))).toContain(
      "svc_values.app.things.lines.sku USING PRIMARY KEY (value=?)",
    );
    expect(plans.find(equalsArray(tags, [null, "x", "y"]))).toContain(
      "svc_values.app.things.tags USING PRIMARY KEY (value=?)",
    );
    expect(plans.find(between(tags, "x", "y"))).toContain(
      "svc_values.app.things.tags USING PRIMARY KEY (value>? AND value<?)",
    );
    expect(plans.find(compare("lt", tags, "x"))).toContain(
      "svc_values.app.things.tags USING PRIMARY KEY (value>? AND value<?)",
    );
  });
});

describe("columns serve the service's own fields", () => {
  test("_meta.created_at by the order index", () => {
    const since = compare("gte", documentFields["_meta.created_at"], "2026-03-01T00:00:00.000Z");
    expect(plans.find(since)).toContain("svc_live.app.things (created_at>?)");
  });

  test("id by its unique index", () => {
    expect(plans.find(eq(documentFields.id, "x"))).toContain("(id=?)");
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

test("a filter of thousands of conditions is no deeper than SQLite allows", () => {
  const alternatives = Array.from({ length: 3000 }, (_, n) => compare("gt", size, n));
  for (const op of ["and", "or"] as const) {
    const query = table.counts.all(0, { op, of: alternatives }, "live");
    expect(plans.connection.allWithin(1000, single(query))).toEqual([[0]]);
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
      table.insert(plans.connection, 0, {
        id: `${n}`,
        version: 1,
        createdAt: n,
        text: JSON.stringify({ status: value, either: value }),
      });
    });
    for (const key of [status, either]) {
      for (const query of statements({ filter: text("startsWith", key, prefix), limit: 99 }))
        expect(plans.connection.allWithin(1000, single(query))).toHaveLength(inside.length);
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
