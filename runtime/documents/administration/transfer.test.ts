import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../json.ts";
import { meta, startTenants, type Tenants } from "../testing/organizations.ts";
import { code, paths } from "../testing/shop.ts";

let shop: Tenants;
beforeAll(async () => {
  shop = await startTenants();
});
afterAll(() => shop.stop());

const transfer = (path: string, body: JsonObject, headers: Readonly<Record<string, string>> = {}) =>
  shop.data("POST", `${path}/_transfer`, body, headers);

describe("_transfer", () => {
  test("Administrator routes: a document goes to another organization, with the next version", async () => {
    const id = await shop.made(`tickets?org=${shop.acme.id}`, { qty: 1, slug: "x" });
    const before = (await shop.data("GET", `tickets/${id}`)).body;
    shop.clock.advance(1_000);
    const moved = await transfer(`tickets/${id}`, { org: shop.bolt.id });
    expect([moved.status, moved.tag]).toEqual([200, '"2"']);
    expect(moved.headers.get("cache-control")).toBe("no-store");
    const { created_at, created_by, owner } = meta({ body: before });
    expect(moved.body).toEqual({
      ...before,
      _meta: {
        created_at,
        created_by,
        owner,
        updated_at: new Date(shop.clock.now()).toISOString(),
        updated_by: expect.stringMatching(/^key:/),
        version: 2,
        org: shop.bolt.id,
      },
    });
    expect((await shop.as(shop.ann)("GET", `tickets/${id}`)).status).toBe(404);
    expect((await shop.as(shop.cid)("GET", `tickets/${id}`)).text).toBe(moved.text);
  });

  test("Administrator routes: null takes a document out of its organization where it needs none", async () => {
    const note = await shop.made(`notes?org=${shop.acme.id}`);
    const freed = await transfer(`notes/${note}`, { org: null });
    expect([freed.status, meta(freed)["version"]]).toEqual([200, 2]);
    expect(meta(freed)).not.toHaveProperty("org");
    expect(meta(await transfer(`notes/${note}`, { org: shop.bolt.id }))).toMatchObject({ org: shop.bolt.id });
    const ticket = await shop.made(`tickets?org=${shop.acme.id}`);
    const refused = await transfer(`tickets/${ticket}`, { org: null });
    expect([refused.status, code(refused), paths(refused)]).toEqual([400, "validation_error", ["org"]]);
  });

  test("Administrator routes: moving to another organization leaves the team; its own may give one", async () => {
    const { acme, bolt, desk, crew } = shop;
    const id = await shop.made(`tickets?org=${acme.id}`);
    const to = async (body: JsonObject) => meta(await transfer(`tickets/${id}`, body));
    expect(await to({ org: acme.id, team: desk })).toMatchObject({ org: acme.id, team: desk, version: 2 });
    // Without a team it stays where it is.
    expect(await to({ org: acme.id })).toMatchObject({ org: acme.id, team: desk, version: 3 });
    const moved = await to({ org: bolt.id });
    expect(moved).toMatchObject({ org: bolt.id, version: 4 });
    expect(moved).not.toHaveProperty("team");
    expect(await to({ org: acme.id, team: desk })).toMatchObject({ team: desk });
    expect(await to({ org: bolt.id, team: crew })).toMatchObject({ org: bolt.id, team: crew });
    expect(await to({ org: bolt.id, team: null })).not.toHaveProperty("team");
    expect(await to({ org: bolt.id, team: null })).toMatchObject({ org: bolt.id });
  });

  test("Administrator routes: a collection that requires a team needs it named", async () => {
    const { acme, bolt, desk, crew } = shop;
    const id = await shop.made(`projects?org=${acme.id}&team=${desk}`);
    for (const body of [{ org: bolt.id }, { org: bolt.id, team: null }, { org: acme.id, team: null }]) {
      const refused = await transfer(`projects/${id}`, body);
      expect([refused.status, code(refused), paths(refused)]).toEqual([400, "team_required", ["team"]]);
    }
    expect(meta(await transfer(`projects/${id}`, { org: acme.id }))).toMatchObject({ team: desk });
    const moved = await transfer(`projects/${id}`, { org: bolt.id, team: crew });
    expect(meta(moved)).toMatchObject({ org: bolt.id, team: crew });
  });

  test("Administrator routes: the target exists and is not deleted, and the team is one of it", async () => {
    const { acme, bolt, desk, crew } = shop;
    const gone = await shop.createOrg(shop.eve);
    await shop.withhold(gone);
    const ticket = `tickets/${await shop.made(`tickets?org=${acme.id}&team=${desk}`)}`;
    const cases: readonly (readonly [path: string, body: JsonObject, wrong: readonly string[]])[] = [
      [ticket, {}, ["org"]],
      [ticket, { org: 1 }, ["org"]],
      [ticket, { org: [acme.id] }, ["org"]],
      [ticket, { org: gone.id }, ["org"]],
      [ticket, { org: "0".repeat(20) }, ["org"]],
      [ticket, { org: "" }, ["org"]],
      [ticket, { org: "__proto__" }, ["org"]],
      [ticket, { org: bolt.id, team: desk }, ["team"]],
      [ticket, { org: acme.id, team: crew }, ["team"]],
      [ticket, { org: acme.id, team: 5 }, ["team"]],
      [ticket, { org: acme.id, more: 1 }, ["more"]],
      [`notes/${await shop.made("notes")}`, { org: acme.id, team: desk }, ["team"]],
    ];
    for (const [path, body, wrong] of cases) {
      const refused = await transfer(path, body);
      expect([body, refused.status, code(refused), paths(refused)]).toEqual([
        body,
        400,
        "validation_error",
        wrong,
      ]);
    }
    expect(meta(await shop.data("GET", ticket))).toMatchObject({ version: 1, org: acme.id, team: desk });
  });

  test("Administrator routes: out of a deleted organization, and of a team that is gone", async () => {
    const gone = await shop.createOrg(shop.eve);
    const team = await shop.createTeam(gone, "Crew");
    const id = await shop.made(`tickets?org=${gone.id}&team=${team}`);
    await shop.changeOrg(gone, (org) => ({ ...org, teams: [] }));
    expect(meta(await transfer(`tickets/${id}`, { org: gone.id }))).toMatchObject({ team });
    await shop.withhold(gone);
    expect((await transfer(`tickets/${id}`, { org: gone.id })).status).toBe(400);
    expect(meta(await transfer(`tickets/${id}`, { org: shop.acme.id }))).toMatchObject({ org: shop.acme.id });
    expect((await shop.as(shop.ann)("GET", `tickets/${id}`)).status).toBe(200);
  });

  test("Administrator routes: If-Match, unknown and deleted documents, unique indexes", async () => {
    const { acme, bolt } = shop;
    const id = await shop.made(`tickets?org=${acme.id}`, { slug: "clash" });
    const stale = await transfer(`tickets/${id}`, { org: bolt.id }, { "if-match": '"7"' });
    expect([stale.status, code(stale), stale.tag]).toEqual([412, "version_mismatch", '"1"']);
    expect((await transfer(`tickets/${id}`, { org: bolt.id }, { "if-match": '"1"' })).status).toBe(200);
    const second = await shop.made(`tickets?org=${acme.id}`, { slug: "clash" });
    const clash = await transfer(`tickets/${second}`, { org: bolt.id });
    expect([clash.status, code(clash)]).toEqual([409, "conflict"]);
    expect(meta(await shop.data("GET", `tickets/${second}`))).toMatchObject({ version: 1, org: acme.id });
    for (const unknown of ["0".repeat(20), "no.%20id"]) {
      expect((await transfer(`tickets/${unknown}`, { org: bolt.id })).status).toBe(404);
    }
    await shop.data("DELETE", `tickets/${second}`);
    expect((await transfer(`tickets/${second}`, { org: bolt.id })).status).toBe(404);
    expect((await transfer("pages/x", { org: bolt.id })).status).toBe(404);
    const query = await shop.data("POST", `tickets/${id}/_transfer?org=${acme.id}`, { org: acme.id });
    expect([query.status, code(query)]).toEqual([400, "invalid_query"]);
  });

  test("Administrator routes: it needs the area data, and the scope of a key", async () => {
    const id = await shop.made(`tickets?org=${shop.acme.id}`);
    const path = `../_admin/data/main/tickets/${id}/_transfer`;
    const body = { org: shop.bolt.id };
    expect((await shop.send("POST", path, { body })).status).toBe(401);
    expect((await shop.as(shop.ann)("POST", path, body)).status).toBe(403);
    expect((await shop.as(shop.robot)("POST", path, body)).status).toBe(403);
    const reader = await shop.adminKey(["data"], "shop", { scopes: { read: "*" } });
    expect((await shop.as(reader)("POST", path, body)).status).toBe(403);
    expect(meta(await shop.data("GET", `tickets/${id}`))).toMatchObject({ org: shop.acme.id });
    const data = await shop.adminKey(["data"]);
    expect((await shop.as(data)("POST", path, body)).status).toBe(200);
  });

  test("Audit records: a transfer names both organizations, and nothing of the content", async () => {
    const id = await shop.made(`tickets?org=${shop.acme.id}&team=${shop.desk}`, { title: "secret" });
    const before = (await shop.audit("data.transfer")).length;
    await transfer(`tickets/${id}`, { org: "0".repeat(20) });
    await transfer(`tickets/${id}`, { org: shop.bolt.id });
    const note = await shop.made(`notes?org=${shop.acme.id}`);
    await transfer(`notes/${note}`, { org: null });
    const records = (await shop.audit("data.transfer")).slice(before);
    expect(records).toMatchObject([
      {
        target: `document:main/tickets/${id}`,
        details: { version: 2, from: { org: shop.acme.id, team: shop.desk }, to: { org: shop.bolt.id } },
      },
      { target: `document:main/notes/${note}`, details: { from: { org: shop.acme.id }, to: { org: null } } },
    ]);
    expect(JSON.stringify(records)).not.toContain("secret");
  });

  test("Administrator routes: any organization that is not deleted is accepted in ?org=", async () => {
    const orphan = await shop.createOrg(shop.eve, { status: "orphaned", require_mfa: true });
    const team = await shop.createTeam(orphan, "Crew");
    const made = await shop.data("POST", `tickets?org=${orphan.id}&team=${team}`, { title: "a" });
    expect([made.status, meta(made)]).toMatchObject([201, { org: orphan.id, team, owner: null }]);
    for (const [path, status, expected] of [
      ["tickets", 400, "org_required"],
      [`tickets?org=${"0".repeat(20)}`, 403, "not_org_member"],
      [`tickets?org=${orphan.id}&team=${shop.desk}`, 403, "forbidden"],
      [`projects?org=${orphan.id}`, 400, "team_required"],
      [`pages?org=${orphan.id}`, 400, "org_not_allowed"],
    ] as const) {
      const refused = await shop.data("POST", path, { title: "a" });
      expect([path, refused.status, code(refused)]).toEqual([path, status, expected]);
    }
    const operations = [{ op: "create", collection: "tickets", document: { title: "a" } }];
    const batch = await shop.data("POST", `_batch?org=${orphan.id}&team=${team}`, { operations });
    expect(batch.body["results"]).toMatchObject([{ _meta: { org: orphan.id, team } }]);
  });
});
