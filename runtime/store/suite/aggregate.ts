import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { compare, eq, type Filter, type Scalar, TRUE } from "../../filter/algebra.ts";
import { type BucketUnit, bucketUnits } from "../../filter/buckets.ts";
import { documentFields, type Field, field } from "../../filter/fields.ts";
import { compareText } from "../../filter/predicate.ts";
import { periodStart } from "../../filter/testing.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import {
  type Aggregate,
  type Group,
  type GroupKey,
  MAX_GROUPS,
  type Metric,
  type StoreCollection,
  TooManyGroups,
} from "../contract.ts";
import { failureOf, type Suite, start, written } from "./fixtures.ts";

const fields = {
  ...documentFields,
  status: field("status", "string"),
  hours: field("hours", "number"),
  open: field("open", "boolean"),
  code: field("code", ["string", "integer", "boolean"]),
  city: field("address.city", ["string", "null"]),
  at: field("at", "date-time"),
  day: field("day", "date"),
};

const count: Metric = { op: "count" };
const of = (op: Exclude<Metric["op"], "count">, by: Field): Metric => ({ op, field: by });
const by = (...keys: readonly Field[]): readonly GroupKey[] => keys.map((key) => ({ field: key }));
const bucketed = (key: Field, unit: BucketUnit, zone = "UTC"): readonly GroupKey[] => [
  { field: key, bucket: { unit, zone } },
];

/** Groups and what is measured in them. */
export function describeAggregates(suite: Suite): void {
  describe("aggregate", () => {
    let sales: StoreCollection;
    beforeEach(async () => {
      await suite.store.provision([{ name: "app.sales", fields, indexes: [], feed: false }]);
      sales = suite.store.collection("app.sales");
    });

    const insert = async (bodies: readonly JsonObject[], prefix = "d") => {
      await Promise.all(bodies.map((body, at) => sales.insert(written(`${prefix}${at}`, body))));
    };
    const insertMore = (bodies: readonly JsonObject[]) => insert(bodies, "e");
    const asked = (query: Partial<Aggregate>) =>
      sales.aggregate({
        filter: TRUE,
        visibility: "live",
        groupBy: [],
        metrics: [count],
        order: [],
        limit: 100,
        ...query,
      });
    /** Keys and metrics of each group, in a row. */
    const rows = async (query: Partial<Aggregate>) =>
      (await asked(query)).groups.map(({ key, metrics }) => [...key, ...metrics]);

    test("without keys there is exactly one group, also over nothing", async () => {
      const metrics = [
        count,
        of("sum", fields.hours),
        of("avg", fields.hours),
        of("min", fields.at),
        of("max", fields.hours),
        of("distinct", fields.status),
      ];
      expect(await asked({ metrics })).toEqual({
        groups: [{ key: [], metrics: [0, 0, null, null, null, 0] }],
        hasMore: false,
      });
      await insert([{ hours: 1 }, { hours: 2.5, status: "a" }, { status: "a" }]);
      expect(await rows({ metrics })).toEqual([[3, 3.5, 1.75, null, 2.5, 1]]);
    });

    test("with keys there is no group over nothing", async () => {
      expect(await asked({ groupBy: by(fields.status) })).toEqual({ groups: [], hasMore: false });
    });

    test("missing and null group together, first", async () => {
      await insert([
        { address: { city: "Bern" } },
        { address: { city: null } },
        { address: {} },
        { address: null },
        {},
        { address: "Bern" },
        { address: { city: { name: "Bern" } } },
      ]);
      expect(await rows({ groupBy: by(fields.city) })).toEqual([
        [null, 6],
        ["Bern", 1],
      ]);
    });

    test("values keep their types: booleans, numbers, their digits", async () => {
      await insert([
        { code: 1 },
        { code: 1.0 },
        { code: "1" },
        { code: true },
        { code: false },
        { code: 10 },
      ]);
      expect(await rows({ groupBy: by(fields.code) })).toEqual([
        [1, 2],
        [10, 1],
        ["1", 1],
        [false, 1],
        [true, 1],
      ]);
      await insertMore([{ open: true }, { open: false }, { open: 1 }]);
      expect(await rows({ filter: compare("gte", fields.id, "e"), groupBy: by(fields.open) })).toEqual([
        [null, 1],
        [false, 1],
        [true, 1],
      ]);
      expect(await rows({ metrics: [of("distinct", fields.code), of("distinct", fields.open)] })).toEqual([
        [5, 2],
      ]);
    });
    test("sums neither overflow nor lose what a double holds", async () => {
      const most = Number.MAX_SAFE_INTEGER;
      await insert([{ hours: most }, { hours: -most }, { hours: 0.5 }, { hours: "5" }, { hours: true }]);
      const metrics = [of("sum", fields.hours), of("min", fields.hours), of("max", fields.hours)];
      expect(await rows({ metrics })).toEqual([[0.5, -most, most]]);
      await insertMore(Array.from({ length: 2100 }, () => ({ hours: most, status: "many" })));
      const [sum = 0] =
        (await asked({ filter: eq(fields.status, "many"), metrics })).groups[0]?.metrics ?? [];
      expect(sum).toBe(2100 * most);
    });

    test("beyond what a double holds there is no sum", async () => {
      await insert([{ hours: 1e308 }, { hours: 1e308 }]);
      expect(await rows({ metrics: [of("sum", fields.hours), of("max", fields.hours)] })).toEqual([
        [null, 1e308],
      ]);
    });

    test("least and greatest: of strings by code point, of dates, of numbers", async () => {
      await insert([
        { status: "z", at: "2026-03-01T10:00:00.000Z", hours: 9 },
        { status: "\uffff", at: "2026-02-01T10:00:00.000Z", hours: 10 },
        { status: "😀", at: "2026-02-01T09:59:59.999Z", hours: -0.5 },
      ]);
      const metrics = [fields.status, fields.at, fields.hours].flatMap((one) => [
        of("min", one),
        of("max", one),
      ]);
      expect(await rows({ metrics })).toEqual([
        ["z", "😀", "2026-02-01T09:59:59.999Z", "2026-03-01T10:00:00.000Z", -0.5, 10],
      ]);
    });

    test("only documents of the filter and the visibility count", async () => {
      await sales.insert(written("a", { status: "x", hours: 1 }));
      await sales.insert(written("b", { status: "y", hours: 2 }));
      await sales.insert(written("c", { status: "x", hours: 4 }, { deletedAt: start }));
      await sales.insert(written("d", { status: "x", hours: 8 }, { deletedAt: start, purgeAt: start }));
      const sum = async (visibility: Aggregate["visibility"], filter: Filter) =>
        (await rows({ visibility, filter, metrics: [of("sum", fields.hours)] }))[0]?.[0];
      expect(await sum("live", TRUE)).toBe(3);
      expect(await sum("live", eq(fields.status, "x"))).toBe(1);
      expect(await sum("deleted", TRUE)).toBe(4);
      expect(await sum("all", TRUE)).toBe(7);
    });

    test("order by keys and metrics, ties by the keys, a limit, and whether there are more", async () => {
      await insert([
        { status: "b", open: true, hours: 1 },
        { status: "b", open: false, hours: 1 },
        { status: "a", open: true, hours: 3 },
        { status: "c", open: true, hours: 2 },
        { status: "c", open: true },
        { open: true },
      ]);
      const query = { groupBy: by(fields.status, fields.open), metrics: [count, of("max", fields.hours)] };
      const ordered = async (...order: Aggregate["order"]) =>
        (await rows({ ...query, order }))
          .map(([status, open]) => `${status ?? "-"}${open === true ? 1 : 0}`)
          .join(" ");
      expect(await ordered()).toBe("-1 a1 b0 b1 c1");
      expect(await ordered({ column: 0, descending: true })).toBe("c1 b0 b1 a1 -1");
      expect(await ordered({ column: 1, descending: true })).toBe("-1 a1 b1 c1 b0");
      expect(await ordered({ column: 2, descending: true })).toBe("c1 -1 a1 b0 b1");
      expect(await ordered({ column: 3, descending: false })).toBe("-1 b0 b1 c1 a1");
      expect(await ordered({ column: 3, descending: true }, { column: 0, descending: true })).toBe(
        "a1 c1 b0 b1 -1",
      );

      const page = await asked({ ...query, limit: 4 });
      expect([page.groups.length, page.hasMore]).toEqual([4, true]);
      expect(await asked({ ...query, limit: 5 })).toMatchObject({ hasMore: false });
    });

    test("periods of instants, in UTC and by local clocks", async () => {
      await insert([
        { at: "2026-03-28T22:59:59.999Z" },
        { at: "2026-03-28T23:00:00.000Z" },
        { at: "2026-03-29T00:59:59.999Z" },
        { at: "2026-03-29T01:00:00.000Z" },
        { at: "2026-03-29T21:59:59.999Z" },
        { at: "2026-03-29T22:00:00.000Z" },
        { at: "2025-12-31T23:30:00.000Z" },
        {},
        { at: "soon" },
        { at: "2026-02-30T00:00:00.000Z" },
        { at: "2026-02-28" },
      ]);
      const groups = async (unit: BucketUnit, zone: string) =>
        (await rows({ groupBy: bucketed(fields.at, unit, zone), filter: TRUE })).slice(1);
      expect(await rows({ groupBy: bucketed(fields.at, "year", "UTC") })).toEqual([
        [null, 4],
        ["2025-01-01T00:00:00.000Z", 1],
        ["2026-01-01T00:00:00.000Z", 6],
      ]);
      expect(await groups("day", "Europe/Berlin")).toEqual([
        ["2025-12-31T23:00:00.000Z", 1],
        ["2026-03-27T23:00:00.000Z", 1],
        ["2026-03-28T23:00:00.000Z", 4],
        ["2026-03-29T22:00:00.000Z", 1],
      ]);
      expect(await groups("week", "Europe/Berlin")).toEqual([
        ["2025-12-28T23:00:00.000Z", 1],
        ["2026-03-22T23:00:00.000Z", 5],
        ["2026-03-29T22:00:00.000Z", 1],
      ]);
      expect(await groups("year", "Europe/Berlin")).toEqual([["2025-12-31T23:00:00.000Z", 7]]);
      expect(await groups("quarter", "America/New_York")).toEqual([
        ["2025-10-01T04:00:00.000Z", 1],
        ["2026-01-01T05:00:00.000Z", 6],
      ]);
      expect(await groups("hour", "Asia/Kolkata")).toEqual([
        ["2025-12-31T23:30:00.000Z", 1],
        ["2026-03-28T22:30:00.000Z", 2],
        ["2026-03-29T00:30:00.000Z", 2],
        ["2026-03-29T21:30:00.000Z", 2],
      ]);
    });

    test("the hour that clocks repeat is two", async () => {
      await insert(
        ["2026-10-24T23:59:00.000Z", "2026-10-25T00:10:00.000Z", "2026-10-25T01:10:00.000Z"].map((at) => ({
          at,
        })),
      );
      expect(await rows({ groupBy: bucketed(fields.at, "hour", "Europe/Berlin") })).toEqual([
        ["2026-10-24T23:00:00.000Z", 1],
        ["2026-10-25T00:00:00.000Z", 1],
        ["2026-10-25T01:00:00.000Z", 1],
      ]);
    });

    test("local periods of more documents than are looked at where everybody waits", async () => {
      const berlin = Date.parse("2026-03-29T00:00:00.000+01:00");
      const minutes = Array.from({ length: 23 * 60 + 2 }, (_, n) => berlin + (n - 1) * 60_000);
      await insert(minutes.map((at) => ({ at: new Date(at).toISOString() })));
      expect(await rows({ groupBy: bucketed(fields.at, "day", "Europe/Berlin") })).toEqual([
        ["2026-03-27T23:00:00.000Z", 1],
        ["2026-03-28T23:00:00.000Z", 23 * 60],
        ["2026-03-29T22:00:00.000Z", 1],
      ]);
      const hours = await rows({ groupBy: bucketed(fields.at, "hour", "Europe/Berlin") });
      expect(hours.map(([, size]) => size)).toEqual([1, ...Array.from({ length: 23 }, () => 60), 1]);
    });

    test("periods of days are the same in every zone", async () => {
      await insert([
        { day: "2026-03-01" },
        { day: "2026-03-31" },
        { day: "0000-01-01" },
        { day: "9999-12-31" },
      ]);
      const starts = async (unit: BucketUnit) =>
        (await rows({ groupBy: bucketed(fields.day, unit, "Asia/Tokyo") })).map(([key]) => key).join(" ");
      expect(await starts("day")).toBe("0000-01-01 2026-03-01 2026-03-31 9999-12-31");
      expect(await starts("week")).toBe("0000-01-01 2026-02-23 2026-03-30 9999-12-27");
      expect(await starts("month")).toBe("0000-01-01 2026-03-01 9999-12-01");
      expect(await starts("quarter")).toBe("0000-01-01 2026-01-01 9999-10-01");
      expect(await starts("year")).toBe("0000-01-01 2026-01-01 9999-01-01");
    });

    test("the ends of time lie in periods, too", async () => {
      await insert([{ at: "0000-01-01T00:00:00.000Z" }, { at: "9999-12-31T23:59:59.999Z" }]);
      for (const unit of bucketUnits) {
        for (const zone of ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
          const found = await rows({ groupBy: bucketed(fields.at, unit, zone) });
          expect(found.map(([key]) => /^(?:0000|999\d)-/.test(`${key}`))).toEqual([true, true]);
        }
      }
    });

    test("server-owned times group as well", async () => {
      await sales.insert(written("a", {}, { createdAt: start }));
      await sales.insert(written("b", {}, { createdAt: start + 1 }));
      await sales.insert(written("c", {}, { createdAt: start - 40 * 86_400_000 }));
      const createdAt = fields["_meta.created_at"];
      expect(await rows({ groupBy: bucketed(createdAt, "month", "UTC") })).toEqual([
        ["2026-01-01T00:00:00.000Z", 1],
        ["2026-03-01T00:00:00.000Z", 2],
      ]);
      expect(await rows({ groupBy: by(createdAt), order: [{ column: 0, descending: true }] })).toEqual([
        ["2026-03-01T10:00:00.001Z", 1],
        ["2026-03-01T10:00:00.000Z", 1],
        ["2026-01-20T10:00:00.000Z", 1],
      ]);
      expect(await rows({ metrics: [of("min", createdAt), of("sum", fields["_meta.version"])] })).toEqual([
        ["2026-01-20T10:00:00.000Z", 3],
      ]);
    });

    test("too many groups, or distinct values in one, are refused", async () => {
      await insert(Array.from({ length: MAX_GROUPS }, (_, n) => ({ hours: n, code: n })));
      const distinct = { metrics: [of("distinct", fields.code)] };
      expect(await rows(distinct)).toEqual([[MAX_GROUPS]]);
      expect(await asked({ groupBy: by(fields.hours), limit: 1 })).toMatchObject({ hasMore: true });
      await insertMore([{ hours: -1, code: -1 }]);
      expect(await failureOf(asked({ groupBy: by(fields.hours), limit: 1 }))).toBeInstanceOf(TooManyGroups);
      expect(await failureOf(asked(distinct))).toBeInstanceOf(TooManyGroups);
      expect(
        await asked({ groupBy: by(fields.hours), ...distinct, filter: eq(fields.code, 7) }),
      ).toMatchObject({
        groups: [{ key: [7], metrics: [1] }],
      });
    });

    test("too much text in the groups is refused", async () => {
      const long = (n: number) => ({ status: `${n}`.padEnd(1_000_000, "x"), hours: n });
      await insert(Array.from({ length: 16 }, (_, n) => long(n)));
      expect((await asked({ groupBy: by(fields.status) })).groups).toHaveLength(16);
      await insertMore([long(16)]);
      expect(await failureOf(asked({ groupBy: by(fields.status), limit: 1 }))).toBeInstanceOf(TooManyGroups);
      const longest = { groupBy: by(fields.hours), metrics: [of("max", fields.status)] };
      expect(await failureOf(asked(longest))).toBeInstanceOf(TooManyGroups);
    });

    test("any documents group as they do in memory", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyDocument, { maxLength: 30 }), anyAggregate, async (documents, query) => {
          await suite.store.provision([{ name: "app.any", fields, indexes: [], feed: false }]);
          const any = suite.store.collection("app.any");
          await Promise.all(documents.map((body, at) => any.insert(written(`d${at}`, body))));
          const found = await any.aggregate(query);
          await Promise.all(documents.map((_, at) => any.remove(`d${at}`)));
          expect(found).toEqual(grouped(documents, query));
        }),
        { numRuns: 150 },
      );
    });
  });
}

/** Fractions that add up exactly in any order. */
const anyNumber = fc.integer({ min: -40, max: 40 }).map((n) => n / 8);
const anyInstant = fc
  .oneof(
    fc.integer({ min: Date.UTC(2018, 0), max: Date.UTC(2027, 0) }),
    // Around changes of clocks.
    fc
      .tuple(
        fc.constantFrom(
          Date.UTC(2026, 2, 29, 1),
          Date.UTC(2026, 9, 25, 1),
          Date.UTC(2018, 10, 4, 3),
          Date.UTC(2026, 3, 4, 15),
          Date.UTC(2011, 11, 30, 10),
        ),
        fc.integer({ min: -3_600_000 * 30, max: 3_600_000 * 30 }),
      )
      .map(([change, by]) => change + by),
  )
  .map((at) => new Date(at).toISOString());
const strange = fc.constantFrom<JsonValue>(null, true, false, 0, "", "1", "é", "😀", "\uffff", {}, [], ["a"]);
const sometimes = (value: fc.Arbitrary<JsonValue>) =>
  fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: strange });

const anyDocument: fc.Arbitrary<JsonObject> = fc.record(
  {
    status: sometimes(fc.constantFrom("open", "closed", "")),
    hours: sometimes(anyNumber),
    open: sometimes(fc.boolean()),
    code: sometimes(fc.oneof(fc.constantFrom("a", "1"), fc.constantFrom(1, 2), fc.boolean())),
    address: sometimes(fc.record({ city: sometimes(fc.constantFrom("Bern", "Rome")) })),
    at: sometimes(anyInstant),
    day: sometimes(anyInstant.map((at) => at.slice(0, 10))),
  },
  { requiredKeys: [] },
);

const groupable = [fields.status, fields.hours, fields.open, fields.code, fields.city, fields.at, fields.day];
const zone = fc.constantFrom(
  "UTC",
  "Europe/Berlin",
  "America/Sao_Paulo",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Pacific/Apia",
);
const anyKey: fc.Arbitrary<GroupKey> = fc.oneof(
  fc.constantFrom(...groupable).map((one) => ({ field: one })),
  fc.record({ unit: fc.constantFrom(...bucketUnits), zone }).map((bucket) => ({ field: fields.at, bucket })),
  fc
    .record({ unit: fc.constantFrom("day", "week", "month", "quarter", "year"), zone })
    .map((bucket) => ({ field: fields.day, bucket })),
);
const anyMetric: fc.Arbitrary<Metric> = fc.oneof(
  fc.constant(count),
  fc.constantFrom("sum" as const, "avg" as const).map((op) => of(op, fields.hours)),
  fc
    .tuple(
      fc.constantFrom("min" as const, "max" as const),
      fc.constantFrom(fields.status, fields.hours, fields.at, fields.day),
    )
    .map(([op, one]) => of(op, one)),
  fc.constantFrom(...groupable).map((one) => of("distinct", one)),
);
const anyAggregate: fc.Arbitrary<Aggregate> = fc
  .record({
    groupBy: fc.array(anyKey, { maxLength: 3 }),
    metrics: fc.array(anyMetric, { minLength: 1, maxLength: 4 }),
    columns: fc.array(fc.record({ column: fc.nat(6), descending: fc.boolean() }), { maxLength: 3 }),
    limit: fc.constantFrom(1, 3, 100),
  })
  .map(({ groupBy, metrics, columns, limit }) => ({
    filter: TRUE,
    visibility: "live",
    groupBy,
    metrics,
    order: columns.filter(({ column }) => column < groupBy.length + metrics.length),
    limit,
  }));

/** What an aggregation answers, as its documentation says it. */
function grouped(documents: readonly JsonObject[], query: Aggregate) {
  const groups = new Map<string, { key: (Scalar | null)[]; documents: JsonObject[] }>();
  if (query.groupBy.length === 0) groups.set("[]", { key: [], documents: [] });
  for (const document of documents) {
    const key = query.groupBy.map((by) => keyOf(document, by));
    const group = groups.get(JSON.stringify(key)) ?? { key, documents: [] };
    groups.set(JSON.stringify(key), group);
    group.documents.push(document);
  }
  const all: Group[] = Array.from(groups.values(), ({ key, documents: within }) => ({
    key,
    metrics: query.metrics.map((metric) => metricOf(metric, within)),
  }));
  const ties = query.groupBy.map((_, column) => ({ column, descending: false }));
  all.sort((one, other) => {
    for (const { column, descending } of [...query.order, ...ties]) {
      const difference = compareScalars(columnOf(one, column), columnOf(other, column));
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  });
  return { groups: all.slice(0, query.limit), hasMore: all.length > query.limit };
}

const columnOf = ({ key, metrics }: Group, column: number) => [...key, ...metrics][column] ?? null;

function keyOf(document: JsonObject, { field: of, bucket }: GroupKey): Scalar | null {
  const value = valueAt(document, of);
  if (bucket === undefined || value === null) return value;
  const [short, long] = [/^\d{4}-\d\d-\d\d$/, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/];
  const isDate = typeof value === "string" && (of.kinds.includes("date") ? short : long).test(value);
  if (!isDate) return null;
  return of.kinds.includes("date")
    ? periodStart(`${value}T00:00:00.000Z`, bucket.unit, "UTC").slice(0, 10)
    : periodStart(value, bucket.unit, bucket.zone);
}

/** The field's value; null where it is none that the field declares. */
function valueAt(document: JsonObject, of: Field): Scalar | null {
  let value: JsonValue | undefined = document;
  for (const segment of of.segments) {
    value =
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Reflect.get(value, segment)
        : null;
  }
  const types = of.kinds.map((kind) =>
    kind === "boolean" ? "boolean" : kind === "integer" || kind === "number" ? "number" : "string",
  );
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return null;
  return types.some((type) => type === typeof value) ? value : null;
}

function metricOf(metric: Metric, documents: readonly JsonObject[]): string | number | null {
  if (metric.op === "count") return documents.length;
  const values = documents
    .map((document) => valueAt(document, metric.field))
    .filter((value) => value !== null);
  const sum = values.reduce<number>((total, value) => total + Number(value), 0);
  switch (metric.op) {
    case "sum":
      return sum;
    case "avg":
      return values.length === 0 ? null : sum / values.length;
    case "distinct":
      return new Set(values).size;
    default: {
      const sorted = values.toSorted(compareScalars);
      const value = sorted.at(metric.op === "min" ? 0 : -1) ?? null;
      return typeof value === "boolean" ? null : value;
    }
  }
}

/** Null, numbers, strings by code point, booleans. */
function compareScalars(one: Scalar | null, other: Scalar | null): number {
  const rank = (value: Scalar | null) => ["object", "number", "string", "boolean"].indexOf(typeof value);
  if (rank(one) !== rank(other)) return rank(one) - rank(other);
  return typeof one === "string" && typeof other === "string"
    ? compareText(one, other)
    : Number(one) - Number(other);
}
