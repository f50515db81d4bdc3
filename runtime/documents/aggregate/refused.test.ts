import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiError } from "../../http/failures.ts";
import { realmOf } from "../../http/testing/server.ts";
import type { Exchange } from "../../realm/exchange.ts";
import type { StoreCollection } from "../../store/contract/collection.ts";
import { IndexBuilding, QueryTimeout, StoreBusy, TooManyGroups } from "../../store/contract/errors.ts";
import type { Store } from "../../store/contract/store.ts";
import { aggregateDocuments } from "../routes/aggregate.ts";
import { code, collection, details, paths, type Shop, startShop } from "../testing/shop.ts";
import { type Asked, aggregate, sales } from "./testing/sales.ts";

const all = sales("all");
const plain = collection("plain");
const { text: _, ...withoutText } = sales("silent");

let shop: Shop;
beforeAll(async () => {
  shop = await startShop("disabled", [all, plain, withoutText]);
});
afterAll(() => shop.stop());

test.each<[Asked, string]>([
  [{ group_by: "nothing" }, "group_by"],
  [{ group_by: "title" }, "group_by"],
  [{ group_by: "" }, "group_by"],
  [{ group_by: "status," }, "group_by"],
  [{ group_by: "status,status" }, "group_by"],
  [{ group_by: "due_at:day,due_at:month" }, "group_by"],
  [{ group_by: "due_at:minute" }, "group_by"],
  [{ group_by: "due_at:" }, "group_by"],
  [{ group_by: "due_at:day:day" }, "group_by"],
  [{ group_by: "status:day" }, "group_by"],
  [{ group_by: "day:hour" }, "group_by"],
  [{ group_by: "-status" }, "group_by"],
  [{ group_by: "__proto__" }, "group_by"],
  [{ group_by: "status,hours,open,code,day" }, "group_by"],
  [{ metrics: "" }, "metrics"],
  [{ metrics: "count,count" }, "metrics"],
  [{ metrics: "sum" }, "metrics"],
  [{ metrics: "sum:status" }, "metrics"],
  [{ metrics: "sum:nothing" }, "metrics"],
  [{ metrics: "median:hours" }, "metrics"],
  [{ metrics: "constructor" }, "metrics"],
  [{ order_by: "" }, "order_by"],
  [{ order_by: "status" }, "order_by"],
  [{ order_by: "-" }, "order_by"],
  [{ order_by: "count,-count" }, "order_by"],
  [{ group_by: "due_at:day", order_by: "due_at:day" }, "order_by"],
  [{ group_by: "status", metrics: "sum:hours", order_by: "count" }, "order_by"],
  [{ limit: "0" }, "limit"],
  [{ limit: "1001" }, "limit"],
  [{ limit: "ten" }, "limit"],
  [{ tz: "" }, "tz"],
  [{ tz: "Europe/Nowhere" }, "tz"],
  [{ tz: "+01:00" }, "tz"],
  [{ tz: "CEST" }, "tz"],
  [{ language: "not a language" }, "language"],
  [{ group_by: "status\0" }, "group_by"],
  [{ metrics: "count\0" }, "metrics"],
  [{ order_by: "count\0" }, "order_by"],
  [{ limit: "1\0" }, "limit"],
  [{ tz: "UTC\0" }, "tz"],
  [{ where: "{" }, "where"],
  [{ where: { nothing: 1 } }, "where.nothing"],
  [{ where: { hours: { $gt: "x" } } }, "where.hours.$gt"],
  [{ where: { $or: [{ $search: "x" }] } }, "where.$or.0.$search"],
])("Aggregation: %j is 400 invalid_aggregate, at %s", async (asked, path) => {
  const received = await aggregate(shop, "all", asked);
  expect([received.status, code(received), ...paths(received)]).toEqual([400, "invalid_aggregate", path]);
});

test("Aggregation: all problems are named at once, each by its parameter", async () => {
  const received = await aggregate(shop, "all", {
    group_by: "nothing,status:day",
    metrics: "count,count,sum:x",
    order_by: "nothing,x",
    limit: "0",
    tz: "Mars/Base",
    where: { a: 1, b: 2 },
  });
  expect([received.status, code(received)]).toEqual([400, "invalid_aggregate"]);
  expect(details(received)).toEqual([
    { path: "limit", reason: "must be an integer from 1 to 1000" },
    { path: "tz", reason: "must be an IANA time zone such as Europe/Berlin" },
    { path: "group_by", reason: "cannot group by nothing" },
    { path: "group_by", reason: "status holds no dates: it has no buckets" },
    { path: "metrics", reason: "names count twice" },
    { path: "metrics", reason: "unknown metric: sum:x" },
    { path: "order_by", reason: "the answer has no x" },
    { path: "where.a", reason: "unknown field" },
    { path: "where.b", reason: "unknown field" },
  ]);
});

test("Aggregation: more than 10 metrics are refused, however many there are", async () => {
  const received = await aggregate(shop, "all", { metrics: `count${",sum:x".repeat(2000)}` });
  expect(details(received)[0]).toEqual({ path: "metrics", reason: "must have at most 10 entries" });
  expect(details(received).length).toBeLessThan(20);
});

test("Aggregation: unknown and repeated parameters are 400 invalid_query, as everywhere", async () => {
  const received = await shop.send("GET", "all/_aggregate?skip=1&limit=1&limit=2&tz=%zz");
  expect([received.status, code(received)]).toEqual([400, "invalid_query"]);
  expect([...paths(received)].sort()).toEqual(["limit", "skip", "tz"]);
});

test("Aggregation: without a declaration: 400 aggregate_not_enabled, whatever is asked", async () => {
  for (const query of ["", "?group_by=title", "?nonsense=1"]) {
    const received = await shop.send("GET", `plain/_aggregate${query}`);
    expect([received.status, code(received)]).toEqual([400, "aggregate_not_enabled"]);
  }
});

test("Aggregation: $search without a text index is 400 search_not_enabled", async () => {
  const received = await aggregate(shop, "silent", { where: { $search: "x" } });
  expect([received.status, code(received)]).toEqual([400, "search_not_enabled"]);
});

describe("Aggregation: what costs too much", () => {
  /** Aggregates over a store that fails. */
  async function failing(error: Error) {
    const { instance } = realmOf({});
    const documents = new Proxy<StoreCollection>(Object.create(null), {
      get: () => () => Promise.reject(error),
    });
    const store = new Proxy<Store>(Object.create(null), { get: () => () => documents });
    const { handle } = aggregateDocuments(all)({ ...instance, store });
    const exchange: Exchange = {
      method: "GET",
      params: {},
      search: "",
      headers: {},
      receive: () => Promise.reject(new Error("a read has no body")),
      requestId: "r",
      address: "",
      abandoned: false,
      reserve: () => undefined,
    };
    try {
      return await handle(exchange);
    } catch (thrown) {
      return apiError(thrown);
    }
  }

  test.each([
    [new QueryTimeout(), 422, "aggregate_too_expensive"],
    [new TooManyGroups(), 422, "aggregate_too_expensive"],
    [new StoreBusy(), 503, "unavailable"],
    [new IndexBuilding(7), 503, "index_building"],
  ])("Aggregation: where the store says %s: %i %s", async (error, status, named) => {
    expect(await failing(error)).toMatchObject({ status, code: named });
  });

  test("Aggregation: while the text index is built, Retry-After says when to come again", async () => {
    expect(await failing(new IndexBuilding(7))).toMatchObject({ headers: { "retry-after": "7" } });
  });
});
