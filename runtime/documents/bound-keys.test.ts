import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collections } from "../auth/collections.ts";
import { type KeyBinding, type KeyRecord, writeFormer, writeKey } from "../auth/key-records.ts";
import { makeKey } from "../auth/keys.ts";
import { timestamp } from "../clock.ts";
import { newMember } from "../organizations/member-change.ts";
import { memberId, writeMember } from "../organizations/records.ts";
import { meta, startTenants, type Tenants } from "./testing/organizations.ts";
import { code } from "./testing/shop.ts";

let shop: Tenants;
beforeAll(async () => {
  shop = await startTenants();
});
afterAll(() => shop.stop());

let made = 0;

/** A key of the shop as the store has it. */
async function keyOf(binding: KeyBinding, what: Partial<KeyRecord> = {}) {
  made += 1;
  const now = shop.clock.now();
  const { token, record: plain } = makeKey(
    { name: `bound ${made}`, admin: false, binding },
    "test",
    now,
    () => `key${made}`.padEnd(20, "0"),
  );
  const record = { ...plain, ...what };
  await shop.store("shop").transaction(async (transaction) => {
    await transaction.collection(collections.keys).insert(writeKey(record, 1));
    if (!("org" in binding)) return;
    const { org } = binding;
    const member = { ...newMember(shop, org, record.key), service: record.name, teams: [shop.desk] };
    await transaction
      .collection("_svc.members")
      .insert(writeMember({ ...member, id: memberId(org, record.key) }, 1));
  });
  return { token, record };
}

const a = { title: "a" };

describe("Keys that are bound to a user", () => {
  test("act as that user under the rules, in their organizations", async () => {
    const { token } = await keyOf({ kind: "user", user: shop.ann.id });
    const answer = await shop.as(token)("POST", `tickets?org=${shop.acme.id}`, a);
    expect(answer.status).toBe(201);
    expect(meta(answer)).toMatchObject({ owner: shop.ann.id, created_by: `user:${shop.ann.id}` });
    const refused = await shop.as(token)("POST", `tickets?org=${shop.bolt.id}`, a);
    expect([refused.status, code(refused)]).toEqual([403, "not_org_member"]);
  });

  test("act for nobody else", async () => {
    const { token } = await keyOf({ kind: "user", user: shop.ann.id });
    const headers = { "x-svc-on-behalf-of": shop.bob.id };
    const answer = await shop.send("GET", "tickets", { token, headers });
    expect([answer.status, code(answer)]).toEqual([400, "invalid_header"]);
  });

  test("are limited by their scopes", async () => {
    const { token } = await keyOf({ kind: "user", user: shop.ann.id }, { scopes: { read: "*" } });
    expect((await shop.as(token)("GET", "tickets")).status).toBe(200);
    expect((await shop.as(token)("POST", `tickets?org=${shop.acme.id}`, a)).status).toBe(403);
  });

  test("are unknown where no such user is, and where personal tokens are not configured", async () => {
    const { token: nobodys } = await keyOf({ kind: "user", user: "00000000000000000000" });
    expect((await shop.as(nobodys)("GET", "tickets")).status).toBe(401);
    const { token } = await keyOf({ kind: "personal", user: shop.ann.id });
    expect((await shop.as(token)("GET", "tickets")).status).toBe(401);
  });
});

describe("Keys that are bound to an organization", () => {
  test("are a service member of it: creates take it, and are its own", async () => {
    const { token, record } = await keyOf({ kind: "org", org: shop.acme.id });
    const answer = await shop.as(token)("POST", "tickets", a);
    expect(answer.status).toBe(201);
    expect(meta(answer)).toMatchObject({
      owner: record.key,
      created_by: `key:${record.name}`,
      org: shop.acme.id,
    });
    const named = await shop.as(token)("POST", `tickets?org=${shop.acme.id}&team=${shop.desk}`, a);
    expect(meta(named)).toMatchObject({ org: shop.acme.id, team: shop.desk });
    const team = await shop.as(token)("POST", `tickets?team=${shop.desk}`, a);
    expect(meta(team)).toMatchObject({ org: shop.acme.id, team: shop.desk });
  });

  test("are outsiders to every other organization", async () => {
    const { token } = await keyOf({ kind: "org", org: shop.acme.id });
    const refused = await shop.as(token)("POST", `tickets?org=${shop.bolt.id}`, a);
    expect([refused.status, code(refused)]).toEqual([403, "not_org_member"]);
    const { body } = await shop.as(shop.bob)("POST", `tickets?org=${shop.bolt.id}`, a);
    const answer = await shop.as(token)("GET", `tickets/${body["id"]}`);
    expect([answer.status, code(answer)]).toEqual([404, "not_found"]);
  });
});

describe("A former key", () => {
  test("is as good as the one that replaced it, until its time is over", async () => {
    const { token: latest, record } = await keyOf({ kind: "user", user: shop.ann.id });
    const { token, record: old } = makeKey(
      { name: "old", admin: false },
      "test",
      shop.clock.now(),
      () => "x",
    );
    const until = timestamp(shop.clock.now() + 60_000);
    const former = writeFormer({ ...record, id: old.id }, record.created_at, until, 2);
    await shop.store("shop").collection(collections.keys).insert(former);
    const post = (by: string) => shop.as(by)("POST", `tickets?org=${shop.acme.id}`, a);
    const answer = await post(token);
    expect([answer.status, meta(answer)["owner"]]).toEqual([201, shop.ann.id]);
    shop.clock.advance(60_000);
    expect([(await post(token)).status, (await post(latest)).status]).toEqual([401, 201]);
  });
});
