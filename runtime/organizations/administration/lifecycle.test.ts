import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Person, Received, Sent } from "../../auth/testing/accounts.ts";
import type { OrganizationRecord } from "../records.ts";
import { type Organizations, outcome } from "../testing/realm.ts";
import { invoices, startAdministered, tickets } from "./testing/collections.ts";

let server: Organizations;
let key: string;
let owner: Person;
let org: OrganizationRecord;
let made = 0;

beforeAll(async () => {
  server = await startAdministered();
  key = await server.adminKey(["users"]);
});

afterAll(() => server.stop());

beforeEach(async () => {
  made += 1;
  owner = await server.signup(`owner-${made}@example.com`);
  org = await server.createOrg(owner, { name: "Acme", slug: `acme-${made}` });
});

const send = (method: string, path: string, sent: Sent = {}, of = org): Promise<Received> =>
  server.send(method, `/_admin/orgs/${of.id}${path}`, { token: key, ...sent });

const reactivate = (body?: { readonly slug: string }, of = org) =>
  send("POST", "/reactivate", body === undefined ? {} : { body }, of);

function audited(action: string): Promise<unknown> {
  return server.auditOf(org, action);
}

async function owned(): Promise<unknown> {
  const { status, body } = await send("GET", "/owned");
  expect(status).toBe(200);
  return body;
}

describe("Administrator routes: GET /_admin/orgs/{org}/owned", () => {
  test("Administrator routes: counts per collection, deleted documents too, and what becomes of them", async () => {
    const other = await server.createOrg(owner);
    await server.fill(tickets, org.id, 3, 2);
    await server.fill(tickets, other.id, 4, 1);
    await server.fill(invoices, org.id, 1);
    await server.fill(invoices, undefined, 2);
    const expected = (mine: number, kept: number) => ({
      items: [
        { database: "main", collection: "tickets", count: mine, policy: "delete" },
        { database: "main", collection: "invoices", count: kept, policy: "keep" },
      ],
    });
    expect(await owned()).toEqual(expected(5, 1));
    expect((await send("DELETE", "")).status).toBe(204);
    expect((await reactivate()).status).toBe(200);
    // What was under `delete` is gone, what was under `keep` is there.
    expect(await owned()).toEqual(expected(0, 1));
  });
});

describe("Administrator routes: DELETE /_admin/orgs/{org}", () => {
  test("Administrator routes: keys delete without a proof, sessions with a fresh one", async () => {
    const boss = await server.person(`boss-${made}@example.com`, ["boss"]);
    expect(outcome(await send("DELETE", "", { token: boss.token }))).toEqual([401, "reauth_required"]);
    expect(await server.org(org)).toMatchObject({ status: "active" });
    const headers = await server.proof(boss);
    expect((await send("DELETE", "", { token: boss.token, headers })).status).toBe(204);
    expect(await audited("org.delete")).toMatchObject([{ actor: `user:${boss.id}` }]);
  });

  test("Administrator routes: access ends at once, memberships, teams and invitations are gone, the slug is free", async () => {
    const { token } = owner;
    await server.createTeam(org, "Night");
    const invited = await send("POST", "/invitations", { body: { roles: ["member"] } });
    expect(invited.status).toBe(201);
    expect((await send("DELETE", "")).status).toBe(204);
    expect(outcome(await server.send("GET", `/_orgs/${org.id}`, { token }))).toEqual([403, "not_org_member"]);
    const body = { token: String(invited.body["token"]) };
    const accepted = await server.send("POST", "/_orgs/invitations/accept", { token, body });
    expect(outcome(accepted)).toEqual([400, "invalid_invitation"]);
    expect(await server.member(org, owner)).toBeUndefined();
    expect(await server.org(org)).toMatchObject({ status: "deleted", teams: [], slug_key: null });
    const again = await server.send("POST", "/_orgs", { token, body: { name: "New", slug: org.slug } });
    expect(again.status).toBe(201);
  });

  test("Administrator routes: nothing can be changed in a deleted one: 409, until it is reactivated", async () => {
    expect((await send("DELETE", "")).status).toBe(204);
    for (const [method, path, body] of [
      ["DELETE", "", undefined],
      ["PUT", `/members/${owner.id}`, { roles: ["owner"] }],
      ["DELETE", `/members/${owner.id}`, undefined],
      ["POST", "/invitations", { roles: ["member"] }],
      ["PUT", "/claims", { plan: "pro" }],
      ["PUT", "/manager", { user: owner.id }],
    ] as const) {
      const answer = await send(method, path, body === undefined ? {} : { body });
      expect(outcome(answer), `${method} ${path}`).toEqual([409, "conflict"]);
      const message = "The organization is deleted; all it can be is reactivated.";
      expect(answer.body).toMatchObject({ error: { message } });
    }
    expect(await server.org(org)).toMatchObject({ status: "deleted", claims: {} });
    expect(await server.member(org, owner)).toBeUndefined();
  });
});

describe("Administrator routes: POST /_admin/orgs/{org}/reactivate", () => {
  test("Organization: comes back active and without members; with a manager it is as any other", async () => {
    await send("DELETE", "");
    const { status, body } = await reactivate();
    expect(status).toBe(200);
    expect(body).toEqual({
      id: org.id,
      name: "Acme",
      slug: org.slug,
      status: "active",
      require_mfa: false,
      allow_keys: false,
      claims: {},
      member_count: 0,
    });
    expect(await server.org(org)).toMatchObject({ deleted_at: null, slug_key: org.slug, cleanup: null });
    const { token } = owner;
    const read = () => server.send("GET", `/_orgs/${org.id}`, { token });
    expect(outcome(await read())).toEqual([403, "not_org_member"]);
    expect((await send("PUT", "/manager", { body: { user: owner.id } })).body).toMatchObject({
      status: "active",
      member_count: 1,
    });
    expect((await read()).status).toBe(200);
    expect(await audited("org.reactivate")).toHaveLength(1);
  });

  test("Organization: its slug may be taken by now: 409, or another one is given", async () => {
    await send("DELETE", "");
    const usurper = await server.createOrg(owner, { slug: org.slug });
    expect(outcome(await reactivate())).toEqual([409, "slug_taken"]);
    expect(outcome(await reactivate({ slug: org.slug }))).toEqual([409, "slug_taken"]);
    expect(outcome(await reactivate({ slug: "No slug" }))).toEqual([400, "validation_error"]);
    expect(await server.org(org)).toMatchObject({ status: "deleted" });
    const slug = `again-${made}`;
    expect(await reactivate({ slug })).toMatchObject({ status: 200, body: { slug } });
    expect(await server.org(usurper)).toMatchObject({ slug: org.slug });
  });

  test("Organization: only a deleted one can be reactivated, and by one of two at once", async () => {
    expect(outcome(await reactivate())).toEqual([409, "conflict"]);
    await send("DELETE", "");
    const answers = await Promise.all([reactivate(), reactivate()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await audited("org.reactivate")).toHaveLength(1);
  });

  test("Organization: what was to be erased is erased before the answer", async () => {
    await server.fill(tickets, org.id, 450, 50);
    await send("DELETE", "");
    expect((await reactivate()).status).toBe(200);
    expect(await owned()).toMatchObject({ items: [{ collection: "tickets", count: 0 }, {}] });
    expect(await audited("org.deleted")).toMatchObject([
      { details: { deleted: { "main/tickets": 500 }, kept: { "main/invoices": 0 } } },
    ]);
  });
});
