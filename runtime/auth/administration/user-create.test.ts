import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../json.ts";
import { type Accounts, password, startAccounts, tokenIn } from "../testing/accounts.ts";
import { auditOf } from "./testing/audit.ts";

let server: Accounts;
let admin: string;
beforeAll(async () => {
  server = await startAccounts({ defaultRoles: ["agent"] });
  admin = await server.key({ name: "root", admin: true });
});
afterAll(() => server.stop());

const post = (body: JsonObject, token = admin) => server.send("POST", "/_admin/users", { token, body });

describe("Administrator routes: POST /_admin/users", () => {
  it("201 with the user, who can log in at once with the password given", async () => {
    const given = {
      email: "Ada@example.com",
      password,
      roles: ["host", "host"],
      locale: "de-ch",
      profile: { team: "a" },
      email_verified: true,
    };
    const { status, body } = await post(given);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{20}$/),
      email: "Ada@example.com",
      email_verified: true,
      locale: "de-CH",
      roles: ["host"],
      profile: { team: "a" },
      mfa: false,
      created_at: new Date(server.clock.now()).toISOString(),
      status: "active",
    });
    const { token } = await server.login("ada@example.com");
    const me = await server.send("GET", "/_auth/me", { token });
    expect(me.body).toMatchObject({ id: body["id"], roles: ["host"] });
    const found = await server.send("GET", `/_admin/users/${String(body["id"])}`, { token: admin });
    expect(found.body).toEqual(body);
  });

  it("works where sign-up is closed", async () => {
    const closed = await startAccounts({ signup: "closed" });
    try {
      const token = await closed.adminKey();
      const body = { email: "bea@example.com", password };
      expect((await closed.send("POST", "/_admin/users", { token, body })).status).toBe(201);
      expect((await closed.send("POST", "/_auth/login", { body })).status).toBe(200);
    } finally {
      await closed.stop();
    }
  });

  it("without roles: those of a sign-up; with roles: these alone", async () => {
    expect((await post({ email: "cleo@example.com", password })).body).toMatchObject({ roles: ["agent"] });
    expect((await post({ email: "dan@example.com", password, roles: [] })).body).toMatchObject({ roles: [] });
  });

  it("without a password nobody can log in until the owner has chosen one by the mail that is sent", async () => {
    const { status, body } = await post({ email: "eve@example.com" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ email_verified: false });
    for (const guess of ["null", "undefined", password]) {
      const login = await server.send("POST", "/_auth/login", {
        body: { email: "eve@example.com", password: guess },
      });
      expect(login).toMatchObject({ status: 401, body: { error: { code: "invalid_credentials" } } });
    }
    const token = tokenIn((await server.mailTo("eve@example.com")).text);
    const reset = await server.send("POST", "/_auth/password/reset", { body: { token, password } });
    expect(reset.status).toBe(204);
    expect((await server.login("eve@example.com")).token).toMatch(/^svs_/);
  });

  it("sends no mail to whom a password was given", async () => {
    await post({ email: "fay@example.com", password });
    await post({ email: "gil@example.com", password: null });
    await server.mailTo("gil@example.com");
    expect(server.mails.filter(({ to }) => to === "fay@example.com")).toEqual([]);
  });

  it("409 email_taken for an address in any case; of two at the same time one is made", async () => {
    await server.signup("hal@example.com");
    expect(await post({ email: "HAL@example.com", password })).toMatchObject({
      status: 409,
      body: { error: { code: "email_taken" } },
    });
    const both = [post({ email: "ida@example.com", password }), post({ email: "Ida@example.com", password })];
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it.each<[string, JsonObject]>([
    ["email", {}],
    ["email", { email: "nobody" }],
    ["email", { email: null }],
    ["password", { password: "short" }],
    ["password", { password: "x".repeat(257) }],
    ["password", { password: 12_345_678 }],
    ["roles.0", { roles: ["king"] }],
    ["roles", { roles: null }],
    ["locale", { locale: "no locale" }],
    ["profile", { profile: [] }],
    ["email_verified", { email_verified: "yes" }],
    ["id", { id: "chosen" }],
    ["disabled", { disabled: true }],
    ["status", { status: "disabled" }],
    ["mfa", { mfa: true }],
    ["generation", { generation: 0 }],
    ["created_at", { created_at: "2020-01-01T00:00:00.000Z" }],
    ["__proto__", JSON.parse('{"__proto__": {"roles": ["boss"]}}')],
  ])("400 validation_error: %s, and no user is made: %j", async (path, body) => {
    const email = `${path}-${JSON.stringify(body).length}@example.com`.toLowerCase();
    const answer = await post({ ...(path !== "email" && { email }), ...body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: "validation_error", details: [{ path }] } });
    const found = await server.send("GET", `/_admin/users?q=${email}`, { token: admin });
    expect(found.body).toMatchObject({ items: [] });
  });
});

it("Audit records: a user made is recorded with their roles, without address and profile", async () => {
  const body = { email: "jan@example.com", roles: ["agent"], profile: { note: "private" } };
  const { body: made } = await post(body);
  expect(await auditOf(server, `user:${String(made["id"])}`)).toMatchObject([
    { action: "user.create", actor: "key:root", details: { roles: ["agent"] } },
  ]);
  const text = JSON.stringify(await auditOf(server, `user:${String(made["id"])}`));
  expect(text).not.toContain("jan@");
  expect(text).not.toContain("private");
});
