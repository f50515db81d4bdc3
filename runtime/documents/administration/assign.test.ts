import { afterAll, beforeAll, expect, test } from "vitest";
import { findJob } from "../../jobs/queue.ts";
import type { JsonObject } from "../../json.ts";
import { startTenants, type Tenants } from "../testing/organizations.ts";
import { code, paths, text } from "../testing/shop.ts";

let shop: Tenants;
beforeAll(async () => {
  shop = await startTenants();
  for (const qty of [1, 2, 3]) await shop.made("notes", { qty });
  await shop.made(`notes?org=${shop.bolt.id}`, { qty: 3 });
});
afterAll(() => shop.stop());

const assign = (body: JsonObject, query = "", name = "notes") =>
  shop.data("POST", `${name}/_assign_org${query}`, body);

test("Administrator routes: a dry run of _assign_org counts documents that have no organization", async () => {
  const org = shop.acme.id;
  const dryRun = "?dry_run=true";
  expect(await assign({ org, where: {} }, dryRun)).toMatchObject({ status: 200, text: '{"count":3}' });
  expect((await assign({ org, where: { qty: { $gte: 2 } } }, dryRun)).body).toEqual({ count: 2 });
  expect((await assign({ org, where: { "_meta.org": shop.bolt.id } }, dryRun)).body).toEqual({ count: 0 });
});

test("Administrator routes: _assign_org queues a job and answers 202 with it", async () => {
  const queued = await assign({ org: shop.acme.id, where: { qty: 1 } }, "?dry_run=false");
  expect([queued.status, queued.text]).toEqual([202, `{"job":"${text(queued.body, "job")}"}`]);
  const job = await findJob(shop.store("shop"), text(queued.body, "job"));
  expect(job).toMatchObject({ kind: "assign_org", target: "collection:main/notes" });
});

test("Audit records: _assign_org is audited when asked for, with address and request id; a dry run is not", async () => {
  /** Those of who asked; what jobs of other tests did may be added at any time. */
  const trail = async () => {
    const query = "../_admin/audit?action=data.assign_org&limit=100";
    const { items } = (await shop.send("GET", query, { token: shop.admin })).body;
    return (Array.isArray(items) ? items.map(Object) : []).filter(
      ({ details }) => details.count === undefined,
    );
  };
  const before = (await trail()).length;
  await assign({ org: shop.bolt.id, where: {} }, "?dry_run=true");
  expect(await trail()).toHaveLength(before);
  const queued = await assign({ org: shop.bolt.id, where: { title: "nobody's" } });
  const job = text(queued.body, "job");
  expect((await trail()).filter(({ details }) => details.job === job)).toEqual([
    {
      id: expect.any(String),
      at: expect.any(String),
      action: "data.assign_org",
      actor: expect.stringMatching(/^key:/),
      target: `org:${shop.bolt.id}`,
      address: "127.0.0.1",
      request_id: queued.headers.get("x-request-id"),
      details: { collection: "main/notes", job },
    },
  ]);
});

test("Administrator routes: what is wrong with an _assign_org queues nothing", async () => {
  const org = shop.acme.id;
  const gone = await shop.createOrg(shop.eve);
  await shop.withhold(gone);
  const cases: readonly (readonly [JsonObject, query: string, code: string, paths: readonly string[]])[] = [
    [{ where: {} }, "", "validation_error", ["org"]],
    [{ org }, "", "validation_error", ["where"]],
    [{ org: null, where: [] }, "", "validation_error", ["org", "where"]],
    [{ org, where: {}, more: 1 }, "", "validation_error", ["more"]],
    [{ org: gone.id, where: {} }, "", "validation_error", ["org"]],
    [{ org: "0".repeat(20), where: {} }, "?dry_run=true", "validation_error", ["org"]],
    [{ org: "no id", where: {} }, "", "validation_error", ["org"]],
    [{ org, where: { nope: 1 } }, "", "invalid_query", ["where.nope"]],
    [{ $org: org, where: { "a.b": 1 } }, "", "validation_error", ["$org", "org"]],
    [{ org, where: { qty: { $gt: "x" } } }, "", "invalid_query", ["where.qty.$gt"]],
    [{ org, where: { title: "x".repeat(5_000) } }, "", "invalid_query", ["where"]],
    [{ org, where: {} }, "?dry_run=yes", "invalid_query", ["dry_run"]],
    [{ org, where: {} }, "?org=x", "invalid_query", ["org"]],
  ];
  const jobs = async () => (await shop.send("GET", "../_admin/jobs", { token: shop.admin })).body["items"];
  const before = await jobs();
  for (const [body, query, expected, wrong] of cases) {
    const answer = await assign(body, query);
    expect([body, answer.status, code(answer), paths(answer)]).toEqual([body, 400, expected, wrong]);
  }
  expect(await jobs()).toEqual(before);
});

test("Administrator routes: _assign_org needs the area data, the scope of a key, and organizations", async () => {
  const body = { org: shop.acme.id, where: {} };
  const path = "../_admin/data/main/notes/_assign_org";
  expect((await shop.send("POST", path, { body })).status).toBe(401);
  expect((await shop.as(shop.ann)("POST", path, body)).status).toBe(403);
  const reader = await shop.adminKey(["data"], "shop", { scopes: { read: "*" } });
  expect((await shop.as(reader)("POST", `${path}?dry_run=true`, body)).status).toBe(403);
  expect([404, 405]).toContain((await assign(body, "", "pages")).status);
});
