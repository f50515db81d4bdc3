import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isJsonObject } from "../json.ts";
import { keyRequests } from "../organizations/testing/keys.ts";
import { memberRequests } from "../organizations/testing/members.ts";
import type { Organizations } from "../organizations/testing/realm.ts";
import { openStream, type TestStream } from "../realtime/testing/streams.ts";
import { allowed } from "../rules/index.ts";
import { ids, meta, notes, projects, startTenants, type Tenants, tickets } from "./testing/organizations.ts";
import { code, collection, fields, text } from "./testing/shop.ts";

const followed = { ...tickets, realtime: true as const };
/** One for each caller, under their own id. */
const profiles = collection("profiles", {
  fields,
  customId: { is: "user", duplicateLimit: 20 },
  rules: { create: allowed, read: allowed },
});

let shop: Tenants;
const streams: TestStream[] = [];
beforeAll(async () => {
  shop = await startTenants([followed, notes, projects, profiles], { organizations: { keys: true } });
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});
afterAll(() => shop.stop());

/** With requests to all of the realm. */
const realm = (): Organizations => ({
  ...shop,
  send: (method, path, sent) => shop.send(method, `..${path}`, sent),
});
const { make, revoke } = keyRequests(realm);
const members = memberRequests(realm);
const a = { title: "a" };

describe("An organization key and documents", () => {
  test("a batch creates in its organization without naming one, and in no other", async () => {
    const { id, key, body } = await make(shop.acme, shop.ann, { teams: [shop.desk] });
    const operations = ["tickets", "notes"].map((of) => ({ op: "create", collection: of, document: a }));
    const answer = await shop.as(key)("POST", "_batch", { operations });
    expect(answer.status).toBe(200);
    const results = Array.isArray(answer.body["results"]) ? answer.body["results"].filter(isJsonObject) : [];
    const own = { org: shop.acme.id, owner: id, created_by: `key:${body["name"]}` };
    expect(results).toMatchObject([{ _meta: own }, { _meta: own }]);
    const other = await shop.as(key)("POST", `_batch?org=${shop.bolt.id}`, { operations });
    expect([other.status, code(other)]).toEqual([403, "not_org_member"]);
    const projected = await shop.as(key)("POST", "projects", a);
    expect([projected.status, code(projected)]).toEqual([400, "team_required"]);
    const inTeam = await shop.as(key)("POST", `projects?team=${shop.desk}`, a);
    expect([inTeam.status, meta(inTeam)]).toMatchObject([201, { org: shop.acme.id, team: shop.desk }]);
    const theirs = await shop.as(key)("POST", `projects?team=${shop.crew}`, a);
    expect([theirs.status, code(theirs)]).toEqual([403, "forbidden"]);
  });

  test("its own id is that of a document that has its caller's", async () => {
    const { id, key } = await make(shop.acme, shop.ann);
    const answer = await shop.as(key)("POST", "profiles", { ...a, id });
    expect([answer.status, answer.body]).toMatchObject([201, { id, _meta: {} }]);
    const ann = await shop.as(key)("POST", "profiles", { ...a, id: shop.ann.id });
    expect([ann.status, code(ann)]).toEqual([400, "invalid_id"]);
  });

  test("lists, counts, groups and references know its organization alone", async () => {
    const { key } = await make(shop.acme, shop.ann);
    const [mine, theirs] = [
      await shop.made(`tickets?org=${shop.acme.id}`),
      await shop.made(`tickets?org=${shop.bolt.id}`),
    ];
    const listed = ids(await shop.as(key)("GET", "tickets?limit=100"));
    expect([listed.includes(mine), listed.includes(theirs)]).toEqual([true, false]);
    const counted = await shop.as(key)("GET", "tickets?limit=1&count=true");
    expect(counted.body).toMatchObject({ total: listed.length });
    const groups = await shop.as(key)("GET", "tickets/_aggregate?group_by=_meta.org");
    expect(JSON.stringify(groups.body)).toContain(shop.acme.id);
    expect(JSON.stringify(groups.body)).not.toContain(shop.bolt.id);
    const related = await shop.as(key)("POST", "tickets", { ...a, tags: [mine, theirs] });
    const expanded = await shop.as(key)("GET", `tickets/${text(related.body, "id")}?expand=related`);
    expect(expanded.body["_expanded"]).toMatchObject({ related: [{ id: mine }, null] });
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/restore"],
    ] as const) {
      const answer = await shop.as(key)(
        method,
        `tickets/${theirs}${path}`,
        method === "PATCH" ? a : undefined,
      );
      expect([method, answer.status, code(answer)]).toEqual([method, 404, "not_found"]);
    }
    const admin = await shop.as(key)("POST", "../_admin/data/main/tickets/_assign_org", {
      org: shop.acme.id,
    });
    expect([admin.status, code(admin)]).toEqual([403, "forbidden"]);
  });

  test("its roles, as they are changed, count with the next request; a second factor is asked of it nowhere", async () => {
    const { id, key } = await make(shop.acme, shop.ann);
    const path = `tickets/${await shop.made(`tickets?org=${shop.acme.id}`)}`;
    const pays = async (salary: number) => (await shop.as(key)("PATCH", path, { salary })).status;
    expect(await pays(1)).toBe(403);
    expect((await members.patch(shop.acme, shop.ann, { id }, ["owner"])).status).toBe(200);
    expect(await pays(2)).toBe(200);
    await shop.changeOrg(shop.acme, (org) => ({ ...org, require_mfa: true }));
    expect([await pays(3), (await shop.as(shop.ann)("GET", path)).status]).toEqual([200, 404]);
    await shop.changeOrg(shop.acme, (org) => ({ ...org, require_mfa: false }));
    expect((await members.patch(shop.acme, shop.ann, { id }, [])).status).toBe(200);
    expect(await pays(4)).toBe(403);
  });

  test("its scopes limit it beside the rules", async () => {
    const { key } = await make(shop.acme, shop.ann, { scopes: { read: ["main/tickets"] } });
    expect((await shop.as(key)("GET", "tickets")).status).toBe(200);
    expect((await shop.as(key)("GET", "notes")).status).toBe(403);
    expect((await shop.as(key)("POST", "tickets", a)).status).toBe(403);
  });
});

describe("An organization key that follows documents", () => {
  async function follow(token: string): Promise<TestStream> {
    const wanted = [{ id: "s", db: "main", collection: "tickets" }];
    const stream = await openStream(`${shop.url}/v1/shop/_realtime`, wanted, { token });
    streams.push(stream);
    await stream.next();
    return stream;
  }

  const isEnd = ({ event }: { readonly event: string }): boolean => event === "session_ended";

  test("is told of its organization's documents, and of no other's", async () => {
    const { key } = await make(shop.acme, shop.ann);
    const stream = await follow(key);
    await shop.made(`tickets?org=${shop.bolt.id}`);
    const mine = await shop.made(`tickets?org=${shop.acme.id}`);
    const { event, data } = await stream.next();
    expect([event, data]).toMatchObject(["created", { doc: { id: mine } }]);
  });

  test("is told that its session has ended when it is revoked, and when its organization is deleted", async () => {
    const revoked = await make(shop.acme, shop.ann);
    const stream = await follow(revoked.key);
    expect((await revoke(shop.acme, shop.ann, revoked.id)).status).toBe(204);
    expect((await stream.until(isEnd)).at(-1)?.data).toEqual({ reason: "revoked" });
    await stream.ended();
    const org = await shop.createOrg(shop.ann);
    const { key } = await make(org, shop.ann);
    const other = await follow(key);
    const headers = await shop.proof(shop.ann);
    const { token } = shop.ann;
    expect((await shop.send("DELETE", `../_orgs/${org.id}`, { token, headers })).status).toBe(204);
    expect((await other.until(isEnd)).at(-1)?.data).toEqual({ reason: "revoked" });
    await other.ended();
    expect((await shop.as(key)("GET", "tickets")).status).toBe(401);
  });
});
