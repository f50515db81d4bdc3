import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../json.ts";
import { type Accounts, day, password, startAccounts, text } from "../testing/accounts.ts";
import { auditOf } from "./testing/audit.ts";

let server: Accounts;
let admin: string;
beforeAll(async () => {
  server = await startAccounts({ signup: "invite" });
  admin = await server.key({ name: "root", admin: true });
});
afterAll(() => server.stop());

const invite = (body: JsonObject = {}, token = admin) =>
  server.send("POST", "/_admin/invitations", { token, body });
const list = (query = "") => server.send("GET", `/_admin/invitations${query}`, { token: admin });
const revoke = (id: string) => server.send("DELETE", `/_admin/invitations/${id}`, { token: admin });
const accept = (email: string, invitation: string) =>
  server.send("POST", "/_auth/signup", { body: { email, password, invitation } });

/** The entry of one invitation as the list has it. */
async function entryOf(id: string): Promise<JsonObject | undefined> {
  const { body } = await list("?limit=100");
  const items: readonly unknown[] = Array.isArray(body["items"]) ? body["items"] : [];
  return items.map((item): JsonObject => Object(item)).find((item) => item["id"] === id);
}

const inDays = (days: number) => new Date(server.clock.now() + days * day).toISOString();

describe("Administrator routes: POST /_admin/invitations", () => {
  it("201 with the entry and the token, which is shown once and stored as a hash", async () => {
    const { status, body } = await invite({ email: "Ada@example.com", roles: ["agent"], expires_in: "12h" });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{20}$/),
      email: "Ada@example.com",
      roles: ["agent"],
      status: "pending",
      expires_at: inDays(0.5),
      created_at: inDays(0),
      created_by: "key:root",
      token: expect.stringMatching(/^svi_[A-Za-z0-9_-]{43}$/),
    });
    const { token, ...entry } = body;
    expect(await entryOf(text(body, "id"))).toEqual(entry);
    const stored = await server.store("shop").collection("_svc.invitations").scan(undefined, 100);
    expect(stored.filter((record) => record.text.includes(String(token)))).toEqual([]);
    expect(stored.length).toBeGreaterThan(0);
  });

  it("is for anybody, without roles and for 7 days, unless it says otherwise", async () => {
    expect((await invite()).body).toMatchObject({ email: null, roles: [], expires_at: inDays(7) });
    const nothing = { email: null, roles: [], expires_in: null };
    expect((await invite(nothing)).body).toMatchObject({ email: null, expires_at: inDays(7) });
    expect((await invite({ expires_in: "30d" })).body).toMatchObject({ expires_at: inDays(30) });
  });

  it("whoever has the token signs up with it, once, and holds its roles", async () => {
    const { body } = await invite({ roles: ["agent"] });
    const answer = await accept("bea@example.com", text(body, "token"));
    expect(answer).toMatchObject({ status: 201, body: { user: { roles: ["agent"] } } });
    expect(await accept("bea2@example.com", text(body, "token"))).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_invitation" } },
    });
    expect(await entryOf(text(body, "id"))).toMatchObject({ status: "accepted" });
  });

  it("one that a user's session made is theirs", async () => {
    const token = text((await invite({ roles: ["host"] })).body, "token");
    const { body: host } = await accept("host@example.com", token);
    const { body } = await invite({}, text(host, "session", "token"));
    expect(body).toMatchObject({ created_by: `user:${text(host, "user", "id")}` });
  });

  it.each<[string, JsonObject]>([
    ["email", { email: "nobody" }],
    ["email", { email: 1 }],
    ["roles.0", { roles: ["king"] }],
    ["roles", { roles: "agent" }],
    ["expires_in", { expires_in: "31d" }],
    ["expires_in", { expires_in: "0d" }],
    ["expires_in", { expires_in: "-1d" }],
    ["expires_in", { expires_in: "soon" }],
    ["expires_in", { expires_in: 60 }],
    ["expires_in", { expires_in: "999999999999d" }],
    ["token", { token: "svi_chosen" }],
    ["created_by", { created_by: "user:somebody" }],
    ["max_uses", { max_uses: 2 }],
  ])("400 validation_error: %s, and none is made: %j", async (path, body) => {
    const before = (await list("?limit=100")).body;
    const answer = await invite(body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: "validation_error", details: [{ path }] } },
    });
    expect((await list("?limit=100")).body).toEqual(before);
  });
});

describe("Administrator routes: DELETE /_admin/invitations/{id}", () => {
  it("204: nobody can sign up with it from then on; it stays in the list", async () => {
    const { body } = await invite();
    expect((await revoke(text(body, "id"))).status).toBe(204);
    expect(await accept("cleo@example.com", text(body, "token"))).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_invitation" } },
    });
    expect(await entryOf(text(body, "id"))).toMatchObject({ status: "revoked" });
  });

  it("204 and nothing more for one that is over; 409 conflict for one that was accepted; 404 for none", async () => {
    const revoked = text((await invite()).body, "id");
    const expired = text((await invite({ expires_in: "1h" })).body, "id");
    const { body: accepted } = await invite();
    await accept("dan@example.com", text(accepted, "token"));
    await revoke(revoked);
    server.clock.advance(day);
    expect(await entryOf(expired)).toMatchObject({ status: "expired" });
    expect((await revoke(revoked)).status).toBe(204);
    expect((await revoke(expired)).status).toBe(204);
    expect(await entryOf(expired)).toMatchObject({ status: "expired" });
    expect(await revoke(text(accepted, "id"))).toMatchObject({
      status: 409,
      body: { error: { code: "conflict" } },
    });
    expect((await revoke("unknown")).status).toBe(404);
    const actions = async (id: string) =>
      (await auditOf(server, `invitation:${id}`)).map((record) => record["action"]);
    expect(await actions(revoked)).toEqual(["invitation.create", "invitation.revoke"]);
    expect(await actions(expired)).toEqual(["invitation.create"]);
  });

  it("revoked while somebody signs up with it: either, never both", async () => {
    for (const name of ["eve", "fay", "gil"]) {
      const { body } = await invite();
      const [signedUp, revoked] = await Promise.all([
        accept(`${name}@example.com`, text(body, "token")),
        revoke(text(body, "id")),
      ]);
      const outcome = `${signedUp.status} ${revoked.status}`;
      expect(["201 409", "400 204"]).toContain(outcome);
      const status = outcome === "201 409" ? "accepted" : "revoked";
      expect(await entryOf(text(body, "id"))).toMatchObject({ status });
    }
  });
});

it("Audit records: an invitation is recorded with its roles, without address and token", async () => {
  const { body } = await invite({ email: "hal@example.com", roles: ["agent"] });
  const records = await auditOf(server, `invitation:${text(body, "id")}`);
  expect(records).toMatchObject([
    {
      action: "invitation.create",
      actor: "key:root",
      details: { roles: ["agent"], expires_at: inDays(7) },
    },
  ]);
  expect(JSON.stringify(records)).not.toMatch(/hal@|svi_/);
});

it("Administrator routes: invitations page, oldest first", async () => {
  const { body: all } = await list("?limit=100");
  const { body: first } = await list("?limit=1");
  const { body: rest } = await list(`?limit=100&after=${text(first, "next_cursor")}`);
  expect([first["items"], rest["items"]].flat()).toEqual(all["items"]);
});
