import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { compare, eq, type Filter, isIn, TRUE } from "../../../filter/algebra.ts";
import { type BucketUnit, bucketUnits } from "../../../filter/buckets.ts";
import type { Field } from "../../../filter/fields.ts";
import type { JsonObject } from "../../../json.ts";
import { type Aggregate, type GroupKey, MAX_GROUPS } from "../../contract/aggregate.ts";
import type { StoreCollection } from "../../contract/collection.ts";
import { TooManyGroups } from "../../contract/errors.ts";
import { failureOf, type Suite, start, written } from "./fixtures.ts";
import { anyAggregate, anyDocument, count, fields, grouped, of } from "./random-aggregates.ts";

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
      const documents = bodies.map((body, at) => written(`${prefix}${at}`, body));
      for (let at = 0; at < documents.length; at += 1000) await sales.load(documents.slice(at, at + 1000));
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

    /** The periods of instants within these minutes, without the years, and how many each holds. */
    const starts = async (unit: BucketUnit, zone: string, minutes: readonly string[]) => {
      const documents = minutes.map((minute) => written(minute, { at: `${minute}:30.000Z` }));
      await sales.load(documents);
      const filter = isIn(fields.id, minutes);
      const found = await rows({ groupBy: bucketed(fields.at, unit, zone), filter });
      return found.map(([start, size]) => `${String(start).slice(5, -8)} ${size}`);
    };

    test("hours that clocks enter or leave midway begin or end there", async () => {
      const hours = (zone: string, ...minutes: readonly string[]) => starts("hour", zone, minutes);
      // From 2:00 back to 1:30, and the other way.
      expect(
        await hours("Australia/Lord_Howe", "2026-04-04T14:50", "2026-04-04T15:10", "2026-04-04T15:35"),
      ).toEqual(["04-04T14:00 1", "04-04T15:00 1", "04-04T15:30 1"]);
      expect(
        await hours("Australia/Lord_Howe", "2026-10-03T15:10", "2026-10-03T15:40", "2026-10-03T16:10"),
      ).toEqual(["10-03T14:30 1", "10-03T15:30 1", "10-03T16:00 1"]);
      // From 0:01 back to 23:01.
      expect(
        await hours("America/St_Johns", "2010-11-07T02:30", "2010-11-07T02:31", "2010-11-07T03:31"),
      ).toEqual(["11-07T02:30 1", "11-07T02:31 1", "11-07T03:30 1"]);
    });

    test("days whose midnight clocks repeat, come back to or skip", async () => {
      const days = (zone: string, ...minutes: readonly string[]) => starts("day", zone, minutes);
      expect(
        await days("America/Havana", "2026-11-01T03:59", "2026-11-01T04:10", "2026-11-01T05:10"),
      ).toEqual(["10-31T04:00 1", "11-01T04:00 2"]);
      expect(
        await days("America/St_Johns", "2010-11-07T02:30", "2010-11-07T02:31", "2010-11-07T03:31"),
      ).toEqual(["11-06T02:30 1", "11-07T02:30 2"]);
      expect(await days("America/Sao_Paulo", "2018-11-04T02:59", "2018-11-04T03:00")).toEqual([
        "11-03T03:00 1",
        "11-04T03:00 1",
      ]);
      expect(await days("Pacific/Apia", "2011-12-30T09:59", "2011-12-30T10:00")).toEqual([
        "12-29T10:00 1",
        "12-30T10:00 1",
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
      await insert([{ day: "2026-03-01" }, { day: "2026-03-31" }]);
      const starts = async (unit: BucketUnit) =>
        (await rows({ groupBy: bucketed(fields.day, unit, "Asia/Tokyo") })).map(([key]) => key).join(" ");
      expect(await starts("day")).toBe("2026-03-01 2026-03-31");
      expect(await starts("week")).toBe("2026-02-23 2026-03-30");
      expect(await starts("month")).toBe("2026-03-01");
      expect(await starts("quarter")).toBe("2026-01-01");
      expect(await starts("year")).toBe("2026-01-01");
    });

    test("a field of both kinds of date: forms differ, a day lies in periods as its midnight does", async () => {
      await insert([
        { when: "2026-03-01" },
        { when: "2026-03-01T00:00:00.000Z" },
        { when: "2026-03-01T00:59:00.000Z" },
        { when: "2026-03-01T24:00:00.000Z" },
      ]);
      const starts = async (unit: BucketUnit, zone: string) =>
        (await rows({ groupBy: bucketed(fields.when, unit, zone) })).slice(1);
      expect(await starts("hour", "UTC")).toEqual([["2026-03-01T00:00:00.000Z", 3]]);
      expect(await starts("hour", "Asia/Kolkata")).toEqual([
        ["2026-02-28T23:30:00.000Z", 2],
        ["2026-03-01T00:30:00.000Z", 1],
      ]);
      expect(await starts("month", "America/New_York")).toEqual([["2026-02-01T05:00:00.000Z", 3]]);
      expect(await rows({ groupBy: by(fields.when) })).toEqual([
        ["2026-03-01", 1],
        ["2026-03-01T00:00:00.000Z", 1],
        ["2026-03-01T00:59:00.000Z", 1],
        ["2026-03-01T24:00:00.000Z", 1],
      ]);
      const metrics = [of("distinct", fields.when), of("min", fields.when), of("max", fields.when)];
      expect(await rows({ metrics })).toEqual([[4, "2026-03-01", "2026-03-01T24:00:00.000Z"]]);
    });

    test("the ends of time lie in periods, too", async () => {
      await insert([{ at: "0000-01-01T00:00:00.000Z" }, { at: "9999-12-31T23:59:59.999Z" }]);
      for (const unit of bucketUnits) {
        for (const zone of ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
          const found = await rows({ groupBy: bucketed(fields.at, unit, zone) });
          expect(found.map(([key]) => /^(?:0000|999\d)-/.test(`${key}`))).toEqual([true, true]);
        }
      }
      await insertMore([{ day: "0000-01-01" }, { day: "9999-12-31" }]);
      const starts = async (unit: BucketUnit) => {
        const found = await rows({
          groupBy: bucketed(fields.day, unit),
          filter: compare("gte", fields.id, "e"),
        });
        return found.map(([key]) => key).join(" ");
      };
      expect(await starts("day")).toBe("0000-01-01 9999-12-31");
      expect(await starts("week")).toBe("0000-01-01 9999-12-27");
      expect(await starts("month")).toBe("0000-01-01 9999-12-01");
      expect(await starts("quarter")).toBe("0000-01-01 9999-10-01");
      expect(await starts("year")).toBe("0000-01-01 9999-01-01");
    });

    test("of an array each different element is a group, and counts once among the different ones", async () => {
      await insert([
        { tags: ["a", "b", "a"], hours: 1, status: "x" },
        { tags: ["b"], hours: 2, status: "x" },
        { tags: [], hours: 4 },
        { hours: 8 },
        { tags: "a", hours: 16 },
        { tags: [null, 7, "b"], hours: 32 },
      ]);
      const metrics = [count, of("sum", fields.hours), of("distinct", fields.tags)];
      expect(await rows({ groupBy: by(fields.tags), metrics })).toEqual([
        [null, 3, 44, 1],
        ["a", 2, 17, 2],
        ["b", 3, 35, 2],
      ]);
      expect(await rows({ metrics })).toEqual([[6, 63, 2]]);
      expect(
        await rows({ groupBy: by(fields.status), metrics: [of("distinct", fields.tags), count] }),
      ).toEqual([
        [null, 2, 4],
        ["x", 2, 2],
      ]);
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
      // Storing that many takes a shared server a while.
    }, 120_000);

    test("too much text in the groups is refused", async () => {
      const long = (n: number) => ({ status: `${n}`.padEnd(1_000_000, "x"), hours: n });
      await insert(Array.from({ length: 16 }, (_, n) => long(n)));
      expect((await asked({ groupBy: by(fields.status) })).groups).toHaveLength(16);
      await insertMore([long(16)]);
      expect(await failureOf(asked({ groupBy: by(fields.status), limit: 1 }))).toBeInstanceOf(TooManyGroups);
      const longest = { groupBy: by(fields.hours), metrics: [of("max", fields.status)] };
      expect(await failureOf(asked(longest))).toBeInstanceOf(TooManyGroups);
    });

    test("any documents group as they do in memory, also where an index alone tells of them", async () => {
      const { id, status, hours, open, code, city, at, day } = fields;
      const keys = [id, status, hours, open, code, city, at, day].map((key) => ({
        field: key,
        descending: false,
      }));
      const holding = { name: "holding", keys, unique: false };
      await suite.store.provision([
        { name: "app.any", fields, indexes: [], feed: false },
        { name: "app.indexed", fields, indexes: [holding], feed: false },
      ]);
      const any = suite.store.collection("app.any");
      const indexed = suite.store.collection("app.indexed");
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(anyDocument, { maxLength: 30 }), anyAggregate, async (documents, query) => {
          const prefix = `${runs++}-`;
          const ids = documents.map((_, at) => prefix + at);
          const expected = grouped(documents, query);
          for (const collection of [any, indexed]) {
            await collection.load(documents.map((body, at) => written(prefix + at, body)));
            const found = await collection.aggregate({ ...query, filter: isIn(fields.id, ids) });
            expect(found).toEqual(expected);
          }
        }),
        { numRuns: 150 },
      );
    });
  });
}
