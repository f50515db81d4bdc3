import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../json.ts";
import { auditOf } from "../administration/testing/audit.ts";
import { collections } from "../collections.ts";
import { newToken } from "../credentials/tokens.ts";
import { type NewInvitation, newInvitation } from "../invitations.ts";
import { type InvitationRecord, readInvitation, writeInvitation } from "../records.ts";
import { type Accounts, day, password, startAccounts, text } from "../testing/accounts.ts";

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts({ signup: "invite", defaultRoles: ["auditor"] });
});
afterAll(() => server.stop());

let made = 0;

/** A stored invitation, made by nobody in particular. */
async function invite(
  given: Partial<NewInvitation> = {},
  on: Accounts = server,
): Promise<{ readonly token: string; readonly record: InvitationRecord }> {
  made += 1;
  const newId = () => `invitation-${made}`;
  const invitation = newInvitation(
    { clock: on.clock, newId },
    { actor: "key:host" },
    { email: null, roles: [], lifetime: 7 * day, ...given },
  );
  await on.store("shop").collection(collections.invitations).insert(writeInvitation(invitation.record, 1));
  return invitation;
}

async function stored({ id }: InvitationRecord): Promise<InvitationRecord | undefined> {
  const document = await server.store("shop").collection(collections.invitations).get(id, "live");
  return document && readInvitation(document).record;
}

const signup = (email: string, more: JsonObject = {}, on: Accounts = server) =>
  on.send("POST", "/_auth/signup", { body: { email, password, ...more } });

const invalid = { status: 400, body: { error: { code: "invalid_invitation" } } };

describe("POST /signup, signup: invite", () => {
  it("403 forbidden without an invitation", async () => {
    for (const more of [{}, { invitation: null }]) {
      expect(await signup("ada@example.com", more)).toMatchObject({
        status: 403,
        body: { error: { code: "forbidden" } },
      });
    }
  });

  it("201 with one: its roles beside the default ones", async () => {
    const { token, record } = await invite({ roles: ["agent", "auditor"] });
    const { status, body } = await signup("bea@example.com", { invitation: token });
    expect(status).toBe(201);
    expect(body["user"]).toMatchObject({ roles: ["auditor", "agent"], email_verified: false });
    expect(await stored(record)).toMatchObject({ accepted_by: text(body, "user", "id") });
  });

  it("a role that the realm no longer has is not held", async () => {
    const { token } = await invite({ roles: ["agent", "king"] });
    const { body } = await signup("bob@example.com", { invitation: token });
    expect(body["user"]).toMatchObject({ roles: ["auditor", "agent"] });
  });

  it("400 invalid_invitation: unknown, expired, revoked, used up, of another kind, for another address", async () => {
    const expired = await invite({ lifetime: 0 });
    const used = await invite();
    expect((await signup("cleo@example.com", { invitation: used.token })).status).toBe(201);
    const revoked = await invite();
    const invitations = server.store("shop").collection(collections.invitations);
    await invitations.replace(1, writeInvitation({ ...revoked.record, revoked: true }, 2));
    const other = await invite({ email: "Somebody@example.com" });
    const tokens = [expired, used, revoked, other].map(({ token }) => token);
    for (const invitation of [...tokens, "", "x", newToken("svi"), newToken("svt"), "x".repeat(100_000)]) {
      expect(await signup("dan@example.com", { invitation })).toMatchObject(invalid);
    }
    expect((await signup("somebody@EXAMPLE.com", { invitation: other.token })).status).toBe(201);
  });

  it("until the moment it expires", async () => {
    const [early, late] = [await invite({ lifetime: day }), await invite({ lifetime: day })];
    server.clock.advance(day - 1);
    expect((await signup("early@example.com", { invitation: early.token })).status).toBe(201);
    server.clock.advance(1);
    expect(await signup("late@example.com", { invitation: late.token })).toMatchObject(invalid);
  });

  it("an invitation of another realm is none", async () => {
    const { token } = await invite();
    const answer = await server.send(
      "POST",
      "/_auth/signup",
      { body: { email: "eve@example.com", password, invitation: token } },
      "other",
    );
    expect(answer).toMatchObject(invalid);
  });

  it("a sign-up that fails uses up nothing: taken address, invalid body", async () => {
    const { token, record } = await invite();
    expect(await signup("bea@example.com", { invitation: token })).toMatchObject({
      status: 409,
      body: { error: { code: "email_taken" } },
    });
    expect((await signup("fay@example.com", { invitation: token, password: "short" })).status).toBe(400);
    expect((await signup("fay@example.com", { invitation: token, roles: ["boss"] })).status).toBe(400);
    expect(await stored(record)).toMatchObject({ accepted_by: null });
    expect((await signup("fay@example.com", { invitation: token })).status).toBe(201);
  });

  it("who is not invited learns of no account", async () => {
    expect(await signup("bea@example.com", { invitation: newToken("svi") })).toMatchObject(invalid);
    expect((await signup("bea@example.com")).status).toBe(403);
  });

  it("forgets its address with the account that accepted it, not that it was accepted", async () => {
    const email = "Gone@example.com";
    const { token, record } = await invite({ email });
    const { body } = await signup(email, { invitation: token });
    const session = { token: text(body, "session", "token") };
    const headers = { "x-svc-reauth": await server.reauth(session) };
    expect((await server.send("DELETE", "/_auth/me", { ...session, headers })).status).toBe(204);
    expect(await stored(record)).toEqual({ ...record, email: null, accepted_by: text(body, "user", "id") });
    expect(await signup("else@example.com", { invitation: token })).toMatchObject(invalid);
  });

  it("of parallel sign-ups with one invitation exactly one succeeds", async () => {
    const { token, record } = await invite({ roles: ["agent"] });
    const emails = ["p1@example.com", "p2@example.com", "p3@example.com"];
    const answers = await Promise.all(emails.map((email) => signup(email, { invitation: token })));
    const statuses = answers.map(({ status }) => status);
    expect([...statuses].sort()).toEqual([201, 400, 400]);
    const won = answers[statuses.indexOf(201)]?.body ?? {};
    expect(await stored(record)).toMatchObject({ accepted_by: text(won, "user", "id") });
    for (const [at, email] of emails.entries()) {
      const { status } = await server.send("POST", "/_auth/login", { body: { email, password } });
      expect(status).toBe(statuses[at] === 201 ? 200 : 401);
    }
    expect(await auditOf(server, `invitation:${record.id}`)).toHaveLength(1);
  });

  it("400 validation_error: an invitation of another type", async () => {
    expect(await signup("gil@example.com", { invitation: 1 })).toMatchObject({
      status: 400,
      body: { error: { code: "validation_error", details: [{ path: "invitation" }] } },
    });
  });

  it("Audit records: who accepted it, with the roles it gave, without token or address", async () => {
    const { token, record } = await invite({ email: "hal@example.com", roles: ["agent"] });
    const { body } = await signup("hal@example.com", { invitation: token });
    const records = await auditOf(server, `invitation:${record.id}`);
    expect(records).toMatchObject([
      {
        action: "invitation.accept",
        actor: `user:${text(body, "user", "id")}`,
        details: { roles: ["agent"] },
      },
    ]);
    expect(JSON.stringify(records)).not.toMatch(/svi_|hal@/);
  });
});

describe("POST /signup with an invitation elsewhere", () => {
  it("open: it is honoured, and one that is none is refused", async () => {
    const open = await startAccounts();
    try {
      const { token } = await invite({ roles: ["agent"] }, open);
      const { body } = await signup("ada@example.com", { invitation: token }, open);
      expect(body["user"]).toMatchObject({ roles: ["agent"] });
      expect(await signup("bea@example.com", { invitation: token }, open)).toMatchObject(invalid);
    } finally {
      await open.stop();
    }
  });

  it("closed: 403 forbidden all the same", async () => {
    const closed = await startAccounts({ signup: "closed" });
    try {
      const { token } = await invite({}, closed);
      expect(await signup("ada@example.com", { invitation: token }, closed)).toMatchObject({
        status: 403,
        body: { error: { code: "forbidden" } },
      });
    } finally {
      await closed.stop();
    }
  });
});
