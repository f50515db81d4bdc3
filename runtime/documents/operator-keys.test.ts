import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collections } from "../auth/collections.ts";
import { writeKey } from "../auth/key-records.ts";
import { makeKey } from "../auth/keys.ts";
import { idGenerator } from "../ids.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { ids, meta, startTenants, type Tenants } from "./testing/organizations.ts";
import { code, details, text } from "./testing/shop.ts";

let shop: Tenants;
beforeAll(async () => {
  shop = await startTenants();
});
afterAll(() => shop.stop());

const hour = 3_600_000;
const a = { title: "a" };
let names = 0;
const newId = idGenerator({ now: Date.now });

function create(asked: JsonObject, token = shop.admin) {
  names += 1;
  return shop.as(token)("POST", "../_admin/keys", { name: `key ${names}`, ...asked });
}

async function make(asked: JsonObject) {
  const answer = await create(asked);
  if (answer.status !== 201) throw new Error(answer.text);
  return { id: text(answer.body, "id"), key: text(answer.body, "key"), body: answer.body };
}

const rotate = (id: string, body: JsonObject = {}, token = shop.admin) =>
  shop.as(token)("POST", `../_admin/keys/${id}/rotate`, body);
const read = async (key: string) => (await shop.as(key)("GET", "tickets")).status;
const wrong = async (asked: JsonObject) => {
  const answer = await create(asked);
  return [answer.status, code(answer), details(answer)?.map(({ path }) => path)];
};
const memberIds = async () => {
  const answer = await shop.as(shop.ann)("GET", `../_orgs/${shop.acme.id}/members`);
  return Array.isArray(answer.body["items"])
    ? answer.body["items"].map((item) => isJsonObject(item) && item["user"])
    : [];
};
const everyKey = async () => {
  const found: string[] = [];
  let after = "";
  for (;;) {
    const { body } = await shop.as(shop.admin)("GET", `../_admin/keys?limit=3${after}`);
    found.push(...ids({ body }));
    if (body["has_more"] !== true) return found;
    after = `&after=${text(body, "next_cursor")}`;
  }
};

describe("POST /_admin/keys", () => {
  test("user: the key always acts as that user, under the rules", async () => {
    const { key, body } = await make({ user: shop.ann.id });
    expect(body).toMatchObject({ kind: "operator", user: shop.ann.id, org: null, start: key.slice(0, 8) });
    expect(body["warnings"]).toBeUndefined();
    const answer = await shop.as(key)("POST", `tickets?org=${shop.acme.id}`, a);
    expect(answer.status).toBe(201);
    expect(meta(answer)).toMatchObject({ owner: shop.ann.id, created_by: `user:${shop.ann.id}` });
    expect(code(await shop.as(key)("POST", `tickets?org=${shop.bolt.id}`, a))).toBe("not_org_member");
  });

  test("org: it acts as a service member with these roles and teams, in that organization alone", async () => {
    const { id, key, body } = await make({ org: shop.acme.id, roles: ["clerk"], teams: [shop.desk] });
    expect(body).toMatchObject({ kind: "operator", user: null, org: shop.acme.id });
    expect(await memberIds()).toContain(id);
    const answer = await shop.as(key)("POST", "tickets", a);
    expect(answer.status).toBe(201);
    expect(meta(answer)).toMatchObject({ owner: id, org: shop.acme.id });
    expect(code(await shop.as(key)("POST", `tickets?org=${shop.bolt.id}`, a))).toBe("not_org_member");
    const ended = await shop.as(shop.admin)("DELETE", `../_admin/keys/${id}`);
    expect(ended.status).toBe(204);
    expect(await memberIds()).not.toContain(id);
    expect(await read(key)).toBe(401);
  });

  test("on_behalf_of: required does nothing without the header, on any route", async () => {
    const { key } = await make({ on_behalf_of: "required", scopes: { read: "*" } });
    const stream = { subscriptions: [{ id: "a", collection: "tickets" }] };
    for (const [method, path, body] of [
      ["GET", "tickets"],
      ["POST", `tickets?org=${shop.acme.id}`, a],
      ["GET", "../_admin/users"],
      ["GET", "../_admin/data/main/tickets"],
      ["POST", "../_realtime", stream],
      ["GET", "../_auth/me"],
    ] as const) {
      const answer = await shop.as(key)(method, path, body);
      expect([path, answer.status, code(answer)]).toEqual([path, 403, "forbidden"]);
    }
    const headers = { "x-svc-on-behalf-of": shop.ann.id };
    expect((await shop.send("GET", "tickets", { token: key, headers })).status).toBe(200);
  });

  test("warnings say what a key can do that has neither pin nor scopes, and what to do instead", async () => {
    const warnings = async (asked: JsonObject) => (await make(asked)).body["warnings"];
    expect(await warnings({})).toEqual([expect.stringMatching(/past every rule.*Give it scopes, or pin it/)]);
    expect(await warnings({ on_behalf_of: true })).toHaveLength(2);
    expect(await warnings({ on_behalf_of: "required" })).toEqual([expect.stringMatching(/whom it names/)]);
    expect(await warnings({ scopes: { read: "*" } })).toBeUndefined();
    expect(await warnings({ user: shop.bob.id })).toBeUndefined();
  });

  test("what makes no sense together is 400 at its member", async () => {
    const invalid = (...paths: string[]) => [400, "validation_error", paths];
    const [user, org] = [shop.ann.id, shop.acme.id];
    expect(await wrong({ user, org })).toEqual(invalid("org"));
    expect(await wrong({ user, admin: true })).toEqual(invalid("admin"));
    expect(await wrong({ org, admin: ["users"] })).toEqual(invalid("admin"));
    expect(await wrong({ user, on_behalf_of: true })).toEqual(invalid("on_behalf_of"));
    expect(await wrong({ org, on_behalf_of: "required" })).toEqual(invalid("on_behalf_of"));
    expect(await wrong({ admin: true, on_behalf_of: "required" })).toEqual(invalid("admin"));
    expect(await wrong({ roles: ["clerk"] })).toEqual(invalid("roles"));
    expect(await wrong({ user, teams: [shop.desk] })).toEqual(invalid("teams"));
    expect(await wrong({ on_behalf_of: "always" })).toEqual(invalid("on_behalf_of"));
    expect(await wrong({ user: "00000000000000000000" })).toEqual(invalid("user"));
    expect(await wrong({ org: "00000000000000000000" })).toEqual(invalid("org"));
    expect((await wrong({ org, roles: ["nobody"] })).slice(0, 2)).toEqual([400, "validation_error"]);
  });

  test("a pin needs administration of users, as delegation does", async () => {
    const scopes = { read: "*" };
    const few = await shop.adminKey(["apikeys", "data"]);
    for (const pin of [{ user: shop.ann.id }, { org: shop.acme.id }, { on_behalf_of: "required" }])
      expect((await create({ ...pin, scopes }, few)).status).toBe(403);
    const more = await shop.adminKey(["apikeys", "data", "users"]);
    expect((await create({ user: shop.ann.id, scopes }, more)).status).toBe(201);
  });
});

describe("POST /_admin/keys/{id}/rotate", () => {
  test("keeps id and end, and lets the former key live for the overlap", async () => {
    const expires_at = new Date(shop.clock.now() + 400 * hour).toISOString();
    const { id, key } = await make({ scopes: { read: "*" }, expires_at });
    const answer = await rotate(id, { overlap: "1h" });
    expect([answer.status, answer.body]).toMatchObject([200, { id, expires_at, scopes: { read: "*" } }]);
    const next = text(answer.body, "key");
    expect(next).not.toBe(key);
    expect([await read(key), await read(next)]).toEqual([200, 200]);
    shop.clock.advance(hour);
    expect([await read(key), await read(next)]).toEqual([401, 200]);
    const [told] = (await shop.audit("key.rotate")).slice(-1);
    expect(told).toMatchObject({ actor: expect.stringMatching(/^key:admin/), target: expect.any(String) });
  });

  test("overlap is 24 h by default, nothing where it is 0s, and 7 days at most", async () => {
    const { id, key } = await make({ scopes: { read: "*" } });
    expect(code(await rotate(id, { overlap: "8d" }))).toBe("validation_error");
    const next = text((await rotate(id, { overlap: "0s" })).body, "key");
    expect([await read(key), await read(next)]).toEqual([401, 200]);
    const last = text((await rotate(id)).body, "key");
    shop.clock.advance(23 * hour);
    expect([await read(next), await read(last)]).toEqual([200, 200]);
    shop.clock.advance(hour);
    expect([await read(next), await read(last)]).toEqual([401, 200]);
  });

  test("all of several at once stand, and a revocation ends every key that there was", async () => {
    const { id, key } = await make({ scopes: { read: "*" } });
    const answers = await Promise.all([rotate(id), rotate(id), rotate(id)]);
    const won = answers.filter(({ status }) => status === 200).map(({ body }) => text(body, "key"));
    expect(won.length).toBeGreaterThan(0);
    expect(answers.every((answer) => answer.status === 200 || code(answer) === "write_conflict")).toBe(true);
    const all = [key, ...won];
    expect(await Promise.all(all.map(read))).toEqual(all.map(() => 200));
    const ended = await shop.as(shop.admin)("DELETE", `../_admin/keys/${id}`);
    expect(ended.status).toBe(204);
    expect(await Promise.all(all.map(read))).toEqual(all.map(() => 401));
    expect((await rotate(id)).status).toBe(404);
  });

  test("gives nobody a key that they could not make; a tenant's is 403", async () => {
    const admin = await make({ admin: true });
    const pinned = await make({ user: shop.ann.id, scopes: {} });
    const few = await shop.adminKey(["apikeys"]);
    expect((await rotate(admin.id, {}, few)).status).toBe(403);
    expect((await rotate(pinned.id, {}, few)).status).toBe(403);
    const binding = { kind: "personal", user: shop.ann.id } as const;
    const { record } = makeKey({ name: "mine", admin: false, binding }, "test", shop.clock.now(), newId);
    await shop.store("shop").collection(collections.keys).insert(writeKey(record, 1));
    expect((await rotate(record.key)).status).toBe(403);
    const listed = await shop.as(shop.admin)("GET", "../_admin/keys?limit=100");
    const entries = Array.isArray(listed.body["items"]) ? listed.body["items"] : [];
    expect(entries).toContainEqual(
      expect.objectContaining({ id: record.key, name: "mine", kind: "personal", user: shop.ann.id }),
    );
    expect((await shop.as(shop.admin)("DELETE", `../_admin/keys/${record.key}`)).status).toBe(204);
    const [told] = (await shop.audit("key.revoke")).slice(-1);
    expect(told?.details).toEqual({ id: record.key, binding });
  });

  test("lists never show former keys, page by page", async () => {
    const { id } = await make({ scopes: {} });
    const before = await everyKey();
    for (let n = 0; n < 4; n += 1) expect((await rotate(id)).status).toBe(200);
    expect(await everyKey()).toEqual(before);
    expect(new Set(before).size).toBe(before.length);
  });
});

describe("keys that the version before has written", () => {
  test("work, are shown with what is known of them, and keep their names", async () => {
    const { token, record } = makeKey({ name: "elder", admin: false }, "x", shop.clock.now(), newId);
    const { binding: _, start: __, created_by: ___, remind_at: ____, on_behalf_of: _____, ...older } = record;
    const keys = shop.store("shop").collection(collections.keys);
    await keys.insert({ ...writeKey(record, 1), text: JSON.stringify(older) });
    expect(await read(token)).toBe(200);
    const answer = await create({ name: "elder" });
    expect([answer.status, code(answer)]).toEqual([409, "conflict"]);
    const listed = await shop.as(shop.admin)("GET", "../_admin/keys?limit=100");
    const entries = Array.isArray(listed.body["items"]) ? listed.body["items"] : [];
    expect(entries).toContainEqual(
      expect.objectContaining({ id: record.key, kind: "operator", start: null, created_by: null }),
    );
    const next = text((await rotate(record.key)).body, "key");
    expect([await read(token), await read(next)]).toEqual([200, 200]);
  });
});
