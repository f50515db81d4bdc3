import { describe, expect, test } from "vitest";
import { and, compare, eq, type Filter, isIn, not, TRUE } from "../../../filter/algebra.ts";
import { field } from "../../../filter/fields.ts";
import type { Aggregate, GroupKey } from "../../contract/aggregate.ts";
import { open, owner, Plans, place, size, status, table, tags } from "./testing/plans.ts";

const plans = Plans.eachTest();

describe("indexes alone tell how many there are", () => {
  const counting = (filter: Filter) => plans.of(table.counts.all(0, filter, "live"));

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
    plans.of(
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

describe("counting and skipping read the index alone", () => {
  test("count", () => {
    expect(plans.of(table.counts.all(0, TRUE, "live"))).toContain("USING COVERING INDEX");
    expect(plans.of(table.counts.all(0, eq(open, true), "live"))).toContain(
      "USING COVERING INDEX svc_index.app.things.open",
    );
  });

  test("expired documents by the purge index", () => {
    const rows = plans.of({
      sql: 'SELECT seq FROM "c.app.things" WHERE purge_at <= ?1 ORDER BY purge_at LIMIT 5',
      parameters: [0],
    });
    expect(rows).toContain("svc_purge.app.things (purge_at<?)");
  });
});
