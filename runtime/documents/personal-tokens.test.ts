import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { day, type Person } from "../auth/testing/accounts.ts";
import { makeToken } from "../auth/testing/own-tokens.ts";
import { testSettings } from "../instance/testing/servers.ts";
import type { JsonObject } from "../json.ts";
import { openStream } from "../realtime/testing/streams.ts";
import { ids, meta, notes, startTenants, type Tenants, tickets } from "./testing/organizations.ts";
import { code } from "./testing/shop.ts";

const accounts = { tokens: { personal: true, maxLifetime: 365 * day } };
const { realtime } = testSettings;
const followed = { ...tickets, realtime: true as const };
const a = { title: "a" };

let shop: Tenants;
let made = 0;
beforeAll(async () => {
  const settings = { realtime: { ...realtime, limits: { ...realtime.limits, streamsPerSecond: 100 } } };
  shop = await startTenants([followed, notes], { settings, accounts });
});
afterAll(() => shop.stop());

/** A new member of acme and of nothing else. */
async function member(): Promise<Person> {
  made += 1;
  const person = await shop.signup(`m${made}@example.com`);
  await shop.join(shop.acme, person);
  return person;
}

/** A personal token; every request of the shop's own is below `/v1/shop/main/`, these are not. */
async function tokenOf(who: Person, body: JsonObject = {}, more: JsonObject = {}) {
  made += 1;
  const send: Tenants["send"] = shop.send;
  const server = {
    reauth: shop.reauth,
    send: async (...[method, path, sent = {}]: Parameters<Parameters<typeof makeToken>[0]["send"]>) => {
      const { body: asked, token, headers } = sent;
      return send(method, `..${path}`, {
        ...(asked && { body: asked }),
        ...(token && { token }),
        ...(headers && { headers }),
      });
    },
  };
  return makeToken(server, who, { name: `token ${made}`, ...body }, more);
}

describe("A personal token", () => {
  test("acts as its user under the rules, in their organizations, as they are at each request", async () => {
    const ann = await member();
    const { key } = await tokenOf(ann);
    const create = () => shop.as(key)("POST", `tickets?org=${shop.acme.id}`, a);
    const answer = await create();
    expect(answer.status).toBe(201);
    const by = `user:${ann.id}`;
    expect(meta(answer)).toMatchObject({ owner: ann.id, created_by: by, updated_by: by });
    const hidden = await shop.made(`tickets?org=${shop.bolt.id}`);
    expect((await shop.as(key)("GET", `tickets/${hidden}`)).status).toBe(404);
    expect(ids(await shop.as(key)("GET", "tickets"))).toEqual(ids(await shop.as(ann)("GET", "tickets")));
    // Owners alone may say what it costs.
    const costs = () => shop.as(key)("PATCH", `tickets/${answer.body["id"]}`, { salary: 1 });
    expect((await costs()).status).toBe(403);
    await shop.join(shop.acme, ann, { roles: ["owner"] });
    expect((await costs()).status).toBe(200);
    await shop.as(ann)("POST", `../_orgs/${shop.acme.id}/leave`);
    expect([(await create()).status, ids(await shop.as(key)("GET", "tickets"))]).toEqual([403, []]);
  });

  test("does what its scopes and its user's rules both allow, and manages no organization", async () => {
    const { key } = await tokenOf(shop.ann, { scopes: { read: ["main/tickets"] } });
    const statusOf = async (method: string, path: string, body?: JsonObject) =>
      (await shop.as(key)(method, path, body)).status;
    expect(await statusOf("GET", "tickets")).toBe(200);
    expect(await statusOf("GET", "notes")).toBe(403);
    expect(await statusOf("POST", `tickets?org=${shop.acme.id}`, a)).toBe(403);
    for (const path of ["../_orgs", `../_orgs/${shop.acme.id}`, `../_orgs/${shop.acme.id}/members`])
      expect(await statusOf("GET", path), path).toBe(403);
  });

  test("acts for nobody else: 400 invalid_header", async () => {
    const { key } = await tokenOf(shop.ann);
    const headers = { "x-svc-on-behalf-of": shop.bob.id };
    const answer = await shop.send("GET", "tickets", { token: key, headers });
    expect([answer.status, code(answer)]).toEqual([400, "invalid_header"]);
  });

  test("reaches _admin/data by the area data alone, and there what its scopes name", async () => {
    const boss = await shop.person("boss@example.com", ["boss"]);
    const { key } = await tokenOf(boss, {
      scopes: { read: ["main/tickets"], write: ["main/notes"], admin: ["data"] },
    });
    const id = await shop.made(`tickets?org=${shop.bolt.id}`);
    const data = async (method: string, path: string, body?: JsonObject) =>
      (await shop.as(key)(method, `../_admin/data/main/${path}`, body)).status;
    expect(await data("GET", `tickets/${id}`)).toBe(200);
    expect(await data("GET", "notes")).toBe(403);
    expect(await data("DELETE", `tickets/${id}`)).toBe(403);
    expect(await data("POST", "notes", a)).toBe(201);
    const { key: without } = await tokenOf(boss, { scopes: { read: "*", write: "*" } });
    expect((await shop.as(without)("GET", `../_admin/data/main/tickets/${id}`)).status).toBe(403);
    await shop.giveRoles(boss.id, []);
    expect(await data("GET", `tickets/${id}`)).toBe(403);
  });

  test("has an idempotency key of its own: what a session was answered is not answered to it, nor to another", async () => {
    const ann = await member();
    const [one, other] = [await tokenOf(ann), await tokenOf(ann)];
    const create = (token: string) =>
      shop.send("POST", `tickets?org=${shop.acme.id}`, {
        token,
        body: a,
        headers: { "idempotency-key": "the-same" },
      });
    const answers = [await create(ann.token), await create(one.key), await create(other.key)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body["id"])).size).toBe(3);
    expect((await create(one.key)).body["id"]).toBe(answers[1]?.body["id"]);
  });
});

describe("Organizations that require a second factor", () => {
  test("count for a token only with allow_keys, and while its user has a factor enrolled", async () => {
    const org = await shop.createOrg(shop.ann, { name: "Strict" });
    const [strong, weak] = [await member(), await member()];
    for (const each of [strong, weak]) await shop.join(org, each);
    const factor = await shop.strengthen(strong);
    await shop.changeOrg(org, (record) => ({ ...record, require_mfa: true }));
    const { key } = await tokenOf(strong, {}, { code: factor.recovery[0] ?? "" });
    const { key: plain } = await tokenOf(weak);
    const create = async (token: string) => (await shop.as(token)("POST", `tickets?org=${org.id}`, a)).status;
    expect([await create(strong.token), await create(key), await create(plain)]).toEqual([201, 403, 403]);
    await shop.changeOrg(org, (record) => ({ ...record, allow_keys: true }));
    expect([await create(key), await create(plain), await create(weak.token)]).toEqual([201, 403, 403]);
    const end = { token: await shop.adminKey() };
    await shop.send("DELETE", `../_admin/users/${strong.id}/mfa`, end);
    expect(await create(key)).toBe(403);
  });
});

describe("Realtime streams of a token", () => {
  const follow = (token: string) =>
    openStream(`${shop.url}/v1/shop/_realtime`, [{ id: "s", db: "main", collection: "tickets" }], { token });

  test("see what their user may, and end with session_ended when it is revoked", async () => {
    const ann = await member();
    const { key, id } = await tokenOf(ann);
    const stream = await follow(key);
    await stream.next();
    await shop.made(`tickets?org=${shop.bolt.id}`);
    const mine = await shop.made(`tickets?org=${shop.acme.id}`);
    expect(await stream.next()).toMatchObject({ event: "created", data: { doc: { id: mine } } });
    await shop.send("DELETE", `../_auth/tokens/${id}`, { token: ann.token });
    expect(await stream.next()).toMatchObject({ event: "session_ended", data: { reason: "revoked" } });
    await stream.ended();
  });

  test("end with the account", async () => {
    const ann = await member();
    const stream = await follow((await tokenOf(ann)).key);
    await stream.next();
    await shop.send("DELETE", "../_auth/me", { token: ann.token, headers: await shop.proof(ann) });
    const end = await stream.until(({ event }) => event === "session_ended");
    expect(end.at(-1)).toMatchObject({ data: { reason: "deleted" } });
  });
});
