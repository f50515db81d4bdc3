import { afterAll, beforeAll, expect, test } from "vitest";
import { eq } from "../../filter/algebra.ts";
import { allowed, byCaller, denied } from "../../rules/index.ts";
import { code, paths, type Shop, startShop } from "../testing/shop.ts";
import { aggregate, create, fields, rows, sales } from "./testing/sales.ts";

const own = sales("own", {
  rules: {
    create: allowed,
    read: {
      filter: ({ user }) => eq(fields["_meta.owner"], user?.id),
      check: () => true,
    },
  },
});
const open = sales("open", {
  rules: {
    create: allowed,
    read: { filter: () => eq(fields.status, "open"), check: (_, { status }) => status === "open" },
  },
  publicMaxAge: 60,
});
const unread = sales("unread", { rules: { create: allowed, read: denied } });
const { aggregate: _, ...withoutAggregate } = sales("undeclared", { rules: { create: allowed } });
const isHr = byCaller(({ user }) => user?.email === "hr@example.com");
const people = sales("people", {
  rules: { create: allowed, read: allowed },
  fieldRules: [{ path: ["salary"], read: isHr }],
});

let shop: Shop;
let ada = "";
let bob = "";
let hr = "";
let key = "";
beforeAll(async () => {
  shop = await startShop("enabled", [own, open, unread, withoutAggregate, people]);
  ada = (await shop.signUp("ada@example.com")).token;
  bob = (await shop.signUp("bob@example.com")).token;
  hr = (await shop.signUp("hr@example.com")).token;
  key = await shop.key();
  await create(shop, "own", [{ hours: 1 }, { hours: 2 }], { token: ada });
  await create(shop, "own", [{ hours: 4 }], { token: bob });
  await create(shop, "open", [
    { status: "open", hours: 1 },
    { status: "closed", hours: 2 },
  ]);
  await create(shop, "people", [{ status: "a", salary: 10 }, { status: "a" }], { token: hr });
});
afterAll(() => shop.stop());

test("Aggregation: over only the documents that the caller may read", async () => {
  const sum = async (token: string) =>
    rows(await aggregate(shop, "own", { metrics: "count,sum:hours" }, { token }));
  expect(await sum(ada)).toEqual([[2, 3]]);
  expect(await sum(bob)).toEqual([[1, 4]]);
  expect(await sum(hr)).toEqual([[0, 0]]);
  expect(await sum(key)).toEqual([[3, 7]]);
  const widened = await aggregate(
    shop,
    "own",
    { where: { $or: [{ hours: { $gt: 0 } }, { hours: { $isNull: true } }] } },
    { token: ada },
  );
  expect(rows(widened)).toEqual([[2]]);
});

test("Aggregation: a read rule that is false for the caller answers 401 or 403 first, whatever is asked", async () => {
  for (const name of ["own", "unread", "undeclared"]) {
    const anonymous = await shop.send("GET", `${name}/_aggregate?nonsense=1&limit=0`);
    expect([name, anonymous.status, code(anonymous)]).toEqual([name, 401, "unauthenticated"]);
  }
  for (const name of ["unread", "undeclared"]) {
    const refused = await aggregate(shop, name, { limit: "0" }, { token: ada });
    expect([name, refused.status, code(refused)]).toEqual([name, 403, "forbidden"]);
  }
  const token = await shop.key({ name: "reader", scopes: { read: ["main/open"] } });
  expect((await aggregate(shop, "people", {}, { token })).status).toBe(403);
  expect((await aggregate(shop, "open", {}, { token })).status).toBe(200);
  expect((await aggregate(shop, "own", {}, { token: "svs_nobody" })).status).toBe(401);
});

test("Aggregation: hidden fields are invalid_aggregate as undeclared ones are, so that nothing can be probed", async () => {
  const asked = {
    group_by: "salary",
    metrics: "sum:salary,count",
    order_by: "salary",
    where: { salary: 10 },
  };
  const refused = await aggregate(shop, "people", asked, { token: ada });
  expect([refused.status, code(refused)]).toEqual([400, "invalid_aggregate"]);
  expect(paths(refused)).toEqual(["group_by", "metrics", "where.salary"]);
  const undeclared = await aggregate(shop, "people", { group_by: "pay", metrics: "sum:pay" }, { token: ada });
  const hidden = await aggregate(
    shop,
    "people",
    { group_by: "salary", metrics: "sum:salary" },
    { token: ada },
  );
  const reasons = ({ text }: typeof hidden) =>
    text.replaceAll("salary", "pay").replace(/"request_id":"[^"]*"/, "");
  expect(reasons(hidden)).toBe(reasons(undeclared));

  expect(rows(await aggregate(shop, "people", asked, { token: hr }))).toEqual([[10, 10, 1]]);
  expect(rows(await aggregate(shop, "people", { metrics: "sum:salary" }, { token: key }))).toEqual([[10]]);
});

test("Aggregation: anonymous reads of a public collection may be kept by anybody; errors and others may not", async () => {
  const caching = async (token?: string, limit = "5") => {
    const sent = token === undefined ? {} : { token };
    return (await aggregate(shop, "open", { limit }, sent)).headers.get("cache-control");
  };
  expect(await caching()).toBe("public, max-age=60");
  expect(await caching(ada)).toBe("private, no-cache");
  expect(await caching(undefined, "0")).toBe("private, no-cache");
  const { tag } = await aggregate(shop, "open");
  const unchanged = await aggregate(shop, "open", {}, { headers: { "if-none-match": tag ?? "" } });
  expect([unchanged.status, unchanged.headers.get("cache-control")]).toEqual([304, "public, max-age=60"]);
});

test("Aggregation: a search in the language of Accept-Language says that it varies by it", async () => {
  const vary = async (where: object, token?: string, language?: string) => {
    const asked = { where: JSON.stringify(where), ...(language !== undefined && { language }) };
    const received = await aggregate(shop, "open", asked, token === undefined ? {} : { token });
    return received.headers.get("vary")?.includes("Accept-Language");
  };
  expect(await vary({ $search: "x" })).toBe(true);
  expect(await vary({ $search: "x" }, undefined, "en")).toBe(false);
  expect(await vary({ $search: "x" }, ada)).toBe(false);
  expect(await vary({ status: "open" })).toBe(false);
});
