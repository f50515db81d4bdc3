import { describe, expect, test } from "vitest";
import { eq, or, TRUE } from "../../../filter/algebra.ts";
import { field } from "../../../filter/fields.ts";
import type { Order, Position } from "../../../filter/order.ts";
import {
  by,
  created,
  id,
  open,
  owner,
  Plans,
  place,
  size,
  sorting,
  status,
  table,
  tags,
} from "./testing/plans.ts";

const plans = Plans.eachTest();

describe("the default order needs no sorting", () => {
  test.each([
    ["live", ["svc_live.app.things"]],
    ["deleted", ["svc_deleted.app.things"]],
    ["all", ["svc_live.app.things", "svc_deleted.app.things"]],
  ] as const)("%s", (visibility, indexes) => {
    for (const filter of [TRUE, eq(field("unindexed", "string"), "x")]) {
      const found = plans.find(filter, visibility);
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
      const [found] = plans.all({ filter, visibility, after });
      for (const name of indexes) expect(found).toContain(`${name} ((created_at,id)>(?,?))`);
      expect(found).not.toContain(sorting);
    }
  });

  test("among the documents of a filter, within its index", () => {
    const [found] = plans.all({ filter: eq(open, true), after });
    expect(found).toContain("svc_index.app.things.open (<expr>=? AND (created_at,id)>(?,?))");
    expect(found).not.toContain(sorting);
  });

  test("backwards too", () => {
    const [found] = plans.all({ order: by(["-", created], ["-", id]), after });
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
        const found = plans.all({ ...find, filter });
        expect(found).not.toEqual([]);
        for (const each of found) expect(each).not.toContain(sorting);
      }
    }
    expect(plans.all({ order, after }).join()).not.toContain("SCAN");
  });

  test("the filter's constant is no part of it", () => {
    const found = plans.all({ filter: eq(status, "open"), order: by(["-", size], created, id) });
    expect(found[0]).toContain("svc_index.app.things.status_size (<expr>=?)");
    expect(found[0]).not.toContain(sorting);
    const after = plans.all({
      filter: eq(status, "open"),
      order: by(status, ["-", size], created, id),
      after: ["open", 3, "2026-03-01T00:00:00.000Z", "x"],
    });
    expect(after[1]).toContain("svc_index.app.things.status_size (<expr>=? AND <expr><?)");
    expect(after[0]).not.toContain(sorting);
  });

  test("rows equal in all of its keys are put in order by their ids, and nothing else is", () => {
    const [found] = plans.all({ order: by(status, ["-", size]) });
    expect(found).toContain("COVERING INDEX svc_index.app.things.status_size");
    expect(found).toContain("USE TEMP B-TREE FOR LAST TERM OF ORDER BY");
    const [after] = plans.all({ order: by(status, ["-", size]), after: ["x", 3, "x"] });
    expect(after).toContain("COVERING INDEX svc_index.app.things.status_size (<expr>=? AND <expr><?)");
    expect(after).toContain("USE TEMP B-TREE FOR LAST TERM OF ORDER BY");
  });

  test("as far as the directions agree", () => {
    const [found] = plans.all({ order: by(status, size, created) });
    expect(found).toContain("COVERING INDEX svc_index.app.things.status_size");
    expect(found).toContain("USE TEMP B-TREE FOR LAST 3 TERMS OF ORDER BY");
  });

  test("or, where they are many, are looked for among all ids", () => {
    const after = ["x", "x"];
    const found = plans.all({ order: by(status), after });
    expect(found.some((each) => each.includes("sqlite_autoindex_c.app.things_1 (id>?)"))).toBe(true);
    expect(plans.all({ order: by(status) }).join()).toContain("sqlite_autoindex_c.app.things_1");
  });

  test("or along the index in the other direction, within the first of them", () => {
    const order = by(["-", status], ["-", size]);
    const within = "svc_index.app.things.status_size (<expr>=?";
    const start = plans.all({ order })[1];
    expect(start).toContain(`COVERING INDEX ${within})`);
    expect(start).toContain("USE TEMP B-TREE FOR LAST TERM OF ORDER BY");
    const after = plans.all({ order, after: ["x", 3, "x"] });
    expect(after.filter((each) => each.includes(`${within} AND <expr><?)`))).not.toEqual([]);
  });

  test("nulls are gone to as well", () => {
    for (const order of [by(status), by(["-", status])]) {
      const found = plans.all({ order, after: [null, "x"] });
      expect(found[0]).toContain("svc_index.app.things.status_size (<expr>=?)");
    }
    expect(plans.all({ order: by(["-", status]), after: ["x", "x"] })[1]).toContain(
      "svc_index.app.things.status_size (<expr>=?)",
    );
    expect(plans.all({ order: by(status), after: [null, "x"] })[1]).toContain(
      "svc_index.app.things.status_size (<expr>>?)",
    );
  });
});

test("what has to be sorted is sorted without the documents", () => {
  for (const order of [by(field("other", "string")), by(["-", tags])]) {
    const [found] = plans.all({ order });
    expect(found).toContain("CO-ROUTINE");
    expect(found).toContain("SEARCH c.app.things USING INTEGER PRIMARY KEY (rowid=?)");
  }
});

describe("of two ways to a page", () => {
  const rule = or(eq(open, true), eq(owner, "u1"));

  test("one goes by the filter's indexes, of each alternative its own", () => {
    const [sorted] = plans.all({ filter: rule });
    expect(sorted).toContain("MULTI-INDEX OR");
    expect(sorted).toContain("svc_index.app.things.open");
    expect(sorted).toContain("svc_index.app.things.owner (owner=?)");
  });

  test.each(["without", "with"])("the other along the order, %s statistics", (statistics) => {
    for (let n = 0; n < 200; n++) {
      const text = JSON.stringify({ open: true, status: `s${n}`, _meta: { owner: `u${n}` } });
      table.insert(plans.connection, 0, { id: `${n}`, version: 1, createdAt: n, text });
    }
    if (statistics === "with") plans.connection.database.exec("ANALYZE");
    const [, walked] = plans.all({ filter: rule });
    expect(walked).toContain("SCAN c.app.things USING INDEX svc_live.app.things");
    expect(walked).not.toContain(sorting);
    const [first] = plans.all({ filter: eq(open, true) });
    expect(first).toContain("svc_index.app.things.open (<expr>=?)");
    expect(first).not.toContain(sorting);
  });
});
