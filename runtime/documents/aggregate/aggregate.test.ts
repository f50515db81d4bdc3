import { afterAll, beforeAll, expect, test } from "vitest";
import { code, type Shop, startShop } from "../testing/shop.ts";
import { aggregate, create, groups, type queryOf, rows, sales } from "./testing/sales.ts";

const all = sales("all");
const empty = sales("empty");
const soft = sales("soft", { softDelete: {} });
const plain = sales("plain", { aggregate: { groupBy: [], metrics: [] } });

let shop: Shop;
beforeAll(async () => {
  shop = await startShop("disabled", [all, empty, soft, plain]);
  await create(shop, "all", [
    { title: "red apples", status: "open", hours: 1.5, qty: 2, open: true, address: { city: "Bern" } },
    {
      title: "an apple",
      status: "open",
      hours: 6,
      qty: null,
      open: true,
      due_at: "2026-03-29T01:30:00+01:00",
    },
    { title: "pears", status: "open", due_at: "2026-03-29T23:30:00Z", day: "2026-03-29", code: 1 },
    {
      title: "plums",
      status: "closed",
      hours: 2,
      qty: 3,
      open: false,
      due_at: "2026-10-25T00:30:00Z",
      code: "1",
    },
    { title: "plums", hours: 2, due_at: "2026-10-25T01:30:00Z", day: "2026-10-25" },
  ]);
});
afterAll(() => shop.stop());

test("Aggregation: without group_by exactly one group with an empty key, also over nothing", async () => {
  expect(await shop.send("GET", "all/_aggregate")).toMatchObject({
    status: 200,
    text: '{"groups":[{"key":{},"count":5}],"has_more":false}',
  });
  const metrics = "count,sum:hours,avg:hours,min:hours,max:due_at,distinct:status,sum:qty";
  expect((await aggregate(shop, "all", { metrics })).text).toBe(
    '{"groups":[{"key":{},"count":5,"sum:hours":11.5,"avg:hours":2.875,"min:hours":1.5,' +
      '"max:due_at":"2026-10-25T01:30:00.000Z","distinct:status":2,"sum:qty":5}],"has_more":false}',
  );
  expect((await aggregate(shop, "empty", { metrics })).text).toBe(
    '{"groups":[{"key":{},"count":0,"sum:hours":0,"avg:hours":null,"min:hours":null,' +
      '"max:due_at":null,"distinct:status":0,"sum:qty":0}],"has_more":false}',
  );
  expect((await aggregate(shop, "empty", { group_by: "status" })).text).toBe(
    '{"groups":[],"has_more":false}',
  );
});

test("Aggregation: a metric is returned when asked for, count when nothing is", async () => {
  expect(groups(await aggregate(shop, "all", { group_by: "status", metrics: "sum:hours" }))).toEqual([
    { key: { status: null }, "sum:hours": 2 },
    { key: { status: "closed" }, "sum:hours": 2 },
    { key: { status: "open" }, "sum:hours": 7.5 },
  ]);
  expect(groups(await aggregate(shop, "all", { group_by: "status" }))).toContainEqual({
    key: { status: "open" },
    count: 3,
  });
});

test("Aggregation: keys of every kind; missing and null group together; nested keys are named flat", async () => {
  expect(groups(await aggregate(shop, "all", { group_by: "address.city" }))).toEqual([
    { key: { "address.city": null }, count: 4 },
    { key: { "address.city": "Bern" }, count: 1 },
  ]);
  const keys = async (group_by: string) => rows(await aggregate(shop, "all", { group_by }));
  expect(await keys("open")).toEqual([
    [null, 2],
    [false, 1],
    [true, 2],
  ]);
  expect(await keys("code")).toEqual([
    [null, 3],
    [1, 1],
    ["1", 1],
  ]);
  expect(await keys("hours,status")).toEqual([
    [null, "open", 1],
    [1.5, "open", 1],
    [2, null, 1],
    [2, "closed", 1],
    [6, "open", 1],
  ]);
  expect(await keys("day")).toEqual([
    [null, 3],
    ["2026-03-29", 1],
    ["2026-10-25", 1],
  ]);
  // A date without a bucket is a value like any other.
  expect((await keys("due_at"))[1]).toEqual(["2026-03-29T00:30:00.000Z", 1]);
});

test.each([
  ["due_at:month", "UTC", ["2026-03-01T00:00:00.000Z", 2], ["2026-10-01T00:00:00.000Z", 2]],
  [
    "due_at:month",
    "Europe/Berlin",
    ["2026-03-01T00:00:00.000+01:00", 2],
    ["2026-10-01T00:00:00.000+02:00", 2],
  ],
  [
    "due_at:day",
    "Europe/Berlin",
    ["2026-03-29T00:00:00.000+01:00", 1],
    ["2026-03-30T00:00:00.000+02:00", 1],
    ["2026-10-25T00:00:00.000+02:00", 2],
  ],
  [
    "due_at:hour",
    "Europe/Berlin",
    ["2026-03-29T01:00:00.000+01:00", 1],
    ["2026-03-30T01:00:00.000+02:00", 1],
    ["2026-10-25T02:00:00.000+02:00", 1],
    ["2026-10-25T02:00:00.000+01:00", 1],
  ],
  [
    "due_at:week",
    "Asia/Tokyo",
    ["2026-03-23T00:00:00.000+09:00", 1],
    ["2026-03-30T00:00:00.000+09:00", 1],
    ["2026-10-19T00:00:00.000+09:00", 2],
  ],
  [
    "due_at:quarter",
    "America/New_York",
    ["2026-01-01T00:00:00.000-05:00", 2],
    ["2026-10-01T00:00:00.000-04:00", 2],
  ],
  ["due_at:year", "Europe/London", ["2026-01-01T00:00:00.000+00:00", 4]],
  ["day:week", "Asia/Tokyo", ["2026-03-23", 1], ["2026-10-19", 1]],
  ["day:day", "America/New_York", ["2026-03-29", 1], ["2026-10-25", 1]],
  ["day:month", "UTC", ["2026-03-01", 1], ["2026-10-01", 1]],
] as const)(
  "Aggregation: group_by=%s in %s: buckets are named by their start",
  async (group_by, tz, ...expected) => {
    const [none, ...found] = rows(await aggregate(shop, "all", { group_by, tz }));
    expect(none?.[0]).toBeNull();
    expect(found).toEqual(expected);
  },
);

test("Aggregation: tz is UTC unless it is given", async () => {
  const utc = await aggregate(shop, "all", { group_by: "due_at:day", tz: "UTC" });
  expect((await aggregate(shop, "all", { group_by: "due_at:day" })).text).toBe(utc.text);
});

test("Aggregation: order_by takes keys and metrics by their names in the answer; ties come in the keys' order", async () => {
  const order = async (order_by: string) =>
    rows(
      await aggregate(shop, "all", { group_by: "status,due_at:month", metrics: "count,sum:hours", order_by }),
    )
      .map(([status, due]) => `${status ?? "-"}/${typeof due === "string" ? due.slice(5, 7) : "-"}`)
      .join(" ");
  expect(await order("status")).toBe("-/10 closed/10 open/- open/03");
  expect(await order("-status")).toBe("open/- open/03 closed/10 -/10");
  expect(await order("-status,-due_at")).toBe("open/03 open/- closed/10 -/10");
  expect(await order("-count")).toBe("open/03 -/10 closed/10 open/-");
  expect(await order("sum:hours")).toBe("open/- -/10 closed/10 open/03");
  expect(await order("-sum:hours,-due_at,status")).toBe("open/03 -/10 closed/10 open/-");
});

test("Aggregation: limit cuts the groups and has_more says so", async () => {
  const page = async (limit: string) => {
    const received = await aggregate(shop, "all", { group_by: "hours", limit });
    return [groups(received).length, received.body["has_more"]];
  };
  expect(await page("1")).toEqual([1, true]);
  expect(await page("3")).toEqual([3, true]);
  expect(await page("4")).toEqual([4, false]);
  expect(await page("1000")).toEqual([4, false]);
});

test("Aggregation: limit is 100 unless it is given", async () => {
  await create(shop, "plain", [{ hours: 1 }]);
  const many = sales("many");
  const other = await startShop("disabled", [many]);
  await create(
    other,
    "many",
    Array.from({ length: 101 }, (_, n) => ({ hours: n })),
  );
  const received = await aggregate(other, "many", { group_by: "hours" });
  expect([groups(received).length, received.body["has_more"]]).toEqual([100, true]);
  await other.stop();
});

test("Aggregation: of an array of scalars each different element counts in its group, none under null", async () => {
  const tagged = sales("tagged");
  const other = await startShop("disabled", [tagged]);
  await create(other, "tagged", [
    { tags: ["a", "b", "a"], status: "open", hours: 2 },
    { tags: ["b"], status: "closed", hours: 4 },
    { tags: [], status: "open", hours: 8 },
    { status: "open" },
  ]);
  const asked = async (query: Parameters<typeof aggregate>[2]) =>
    rows(await aggregate(other, "tagged", query));
  // Metrics of documents, each once in a group.
  expect(await asked({ group_by: "tags", metrics: "count,sum:hours" })).toEqual([
    [null, 2, 8],
    ["a", 1, 2],
    ["b", 2, 6],
  ]);
  expect(await asked({ group_by: "tags,status", order_by: "-count" })).toEqual([
    [null, "open", 2],
    ["a", "open", 1],
    ["b", "closed", 1],
    ["b", "open", 1],
  ]);
  expect(await asked({ group_by: "status", metrics: "count,distinct:tags,sum:hours" })).toEqual([
    ["closed", 1, 1, 4],
    ["open", 3, 2, 10],
  ]);
  expect(await asked({ metrics: "distinct:tags" })).toEqual([[2]]);
  expect(await asked({ group_by: "tags", where: { tags: "a" } })).toEqual([
    ["a", 1],
    ["b", 1],
  ]);
  const period = await aggregate(other, "tagged", { group_by: "dues:month" });
  expect([period.status, code(period)]).toEqual([400, "invalid_aggregate"]);
  await other.stop();
});

test("Aggregation: org and team where there are no organizations are invalid_query, as on lists", async () => {
  const refused = await aggregate(shop, "all", { org: "o", team: "t" });
  expect([refused.status, code(refused)]).toEqual([400, "invalid_query"]);
  expect(refused.body).toMatchObject({ error: { details: [{ path: "org" }, { path: "team" }] } });
});

test("Aggregation: where and $search choose the documents", async () => {
  const counted = async (where: Parameters<typeof queryOf>[0][string]) =>
    rows(await aggregate(shop, "all", { where }))[0]?.[0];
  expect(await counted({ hours: { $gte: 2 } })).toBe(3);
  expect(await counted({ $or: [{ status: "closed" }, { qty: 2 }] })).toBe(2);
  expect(await counted({ $search: "apple" })).toBe(2);
  expect(await counted({ $search: "apple", hours: { $lt: 2 } })).toBe(1);
  expect(await counted({ status: { $in: [] } })).toBe(0);
  // Stems are those of the language asked for.
  const inItalian = await aggregate(shop, "all", { where: { $search: "apples" }, language: "none-such" });
  expect(inItalian.status).toBe(400);
  expect(await aggregate(shop, "all", { where: { $search: "apples" }, language: "en-GB" })).toMatchObject({
    text: '{"groups":[{"key":{},"count":2}],"has_more":false}',
  });
});

test("Aggregation: deleted documents do not count", async () => {
  const [first] = await create(shop, "soft", [{ hours: 1 }, { hours: 2 }]);
  await shop.send("DELETE", `soft/${first}`);
  expect(rows(await aggregate(shop, "soft", { metrics: "sum:hours" }))).toEqual([[2]]);
});

test("Aggregation: a collection that declares no field counts all the same", async () => {
  expect(rows(await aggregate(shop, "plain"))).toEqual([[1]]);
});

test("Aggregation: HEAD answers as GET does, without the body; other methods are 405", async () => {
  const got = await shop.send("GET", "all/_aggregate");
  const head = await shop.send("HEAD", "all/_aggregate");
  expect([head.status, head.text, head.tag]).toEqual([200, "", got.tag]);
  const posted = await shop.send("POST", "all/_aggregate", { body: {} });
  expect([posted.status, code(posted)]).toEqual([405, "method_not_allowed"]);
});

test("Aggregation: a weak tag over the answer, and 304 while it stays", async () => {
  const asked = { group_by: "status", metrics: "sum:hours" };
  const first = await aggregate(shop, "all", asked);
  expect(first.tag).toMatch(/^W\/"[\w-]{22}"$/);
  expect(first.headers.get("cache-control")).toBe("private, no-cache");
  const again = await aggregate(shop, "all", asked, { headers: { "if-none-match": first.tag ?? "" } });
  expect([again.status, again.text, again.tag]).toEqual([304, "", first.tag]);
  expect(again.headers.get("cache-control")).toBe("private, no-cache");
  expect((await aggregate(shop, "all", { ...asked, order_by: "-status" })).tag).not.toBe(first.tag);

  // What does not change the answer does not change the tag.
  await create(shop, "all", [{ status: "open", title: "x" }]);
  expect(
    (await aggregate(shop, "all", asked, { headers: { "if-none-match": first.tag ?? "" } })).status,
  ).toBe(304);
  await create(shop, "all", [{ status: "open", title: "x", hours: 1 }]);
  expect(
    (await aggregate(shop, "all", asked, { headers: { "if-none-match": first.tag ?? "" } })).status,
  ).toBe(200);
});
