import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { collections } from "../collections.ts";
import { type Accounts, password, startAccounts } from "../testing/accounts.ts";
import { auditOf } from "./testing/audit.ts";

let server: Accounts;
let admin: string;
beforeAll(async () => {
  server = await startAccounts();
  admin = await server.key({ name: "root", admin: true });
});
afterAll(() => server.stop());

const get = (path: string, token: string = admin) => server.send("GET", path, { token });
const patch = (id: string, body: JsonObject, token = admin) =>
  server.send("PATCH", `/_admin/users/${id}`, { token, body });

describe("Administrator routes: PATCH /_admin/users/{id}", () => {
  it("roles count at the very next request, given or taken", async () => {
    const { id, token } = await server.signup("fay@example.com");
    const roles = async () => (await get("/whoami", token)).body["user"];
    expect(await roles()).toMatchObject({ roles: [] });
    expect(await patch(id, { roles: ["agent", "agent"] })).toMatchObject({
      status: 200,
      body: { id, roles: ["agent"] },
    });
    expect(await roles()).toMatchObject({ roles: ["agent"] });
    expect((await get("/_auth/me", token)).body).toMatchObject({ roles: ["agent"] });
    await patch(id, { roles: [] });
    expect(await roles()).toMatchObject({ roles: [] });
  });

  it("disabled: true ends all sessions at once; enabling again does not bring them back", async () => {
    const { id, token } = await server.signup("gil@example.com");
    const other = await server.login("gil@example.com");
    const stored = server.store("shop").collection(collections.sessions);
    const before = await stored.scan(undefined, 1_000);
    expect(await patch(id, { disabled: true })).toMatchObject({ status: 200, body: { status: "disabled" } });
    expect((await get("/whoami", token)).status).toBe(401);
    expect((await get("/whoami", other.token)).status).toBe(401);
    expect(await patch(id, { disabled: false })).toMatchObject({ status: 200, body: { status: "active" } });
    expect((await get("/whoami", token)).status).toBe(401);
    // As if the server had died before it forgot them.
    await stored.load(before);
    expect((await get("/whoami", token)).status).toBe(401);
    const again = await server.login("gil@example.com");
    expect((await get("/whoami", again.token)).status).toBe(200);
  });

  it("no login that runs beside a disabling leaves a session behind", async () => {
    const { id } = await server.signup("hal@example.com");
    const body = { email: "hal@example.com", password };
    const logins = Array.from({ length: 8 }, () => server.send("POST", "/_auth/login", { body }));
    const disabling = patch(id, { disabled: true });
    const answers = await Promise.all(logins);
    expect((await disabling).status).toBe(200);
    for (const { status, body: answer } of answers) {
      expect([200, 403]).toContain(status);
      const session = answer["session"];
      if (!isJsonObject(session)) continue;
      expect((await get("/whoami", String(session["token"]))).status).toBe(401);
    }
    await patch(id, { disabled: false });
    for (const { body: answer } of answers) {
      const session = answer["session"];
      if (isJsonObject(session)) expect((await get("/whoami", String(session["token"]))).status).toBe(401);
    }
  });

  it("a new address is unverified; the account is found by it alone, and the former is free", async () => {
    const body = { email: "old@example.com", password: null, email_verified: true };
    const { body: made } = await server.send("POST", "/_admin/users", { token: admin, body });
    const id = String(made["id"]);
    expect(await patch(id, { email: "OLD@example.com" })).toMatchObject({
      status: 200,
      body: { email: "OLD@example.com", email_verified: true },
    });
    expect(await patch(id, { email: "New@example.com" })).toMatchObject({
      status: 200,
      body: { email: "New@example.com", email_verified: false },
    });
    expect((await server.signup("old@example.com")).id).not.toBe(id);
    const taken = await server.send("POST", "/_auth/signup", {
      body: { email: "new@example.com", password },
    });
    expect(taken).toMatchObject({ status: 409, body: { error: { code: "email_taken" } } });
  });

  it("409 email_taken for the address of another user, and nothing else of the request is done", async () => {
    await server.signup("Kim@example.com");
    const { id } = await server.signup("kit@example.com");
    expect(await patch(id, { email: "kim@EXAMPLE.com", roles: ["agent"] })).toMatchObject({
      status: 409,
      body: { error: { code: "email_taken" } },
    });
    expect((await get(`/_admin/users/${id}`)).body).toMatchObject({ email: "kit@example.com", roles: [] });
    expect(await auditOf(server, `user:${id}`)).toEqual([]);
  });

  it("of two users given one address at the same time one gets it", async () => {
    const [one, two] = [await server.signup("lee@example.com"), await server.signup("lia@example.com")];
    const answers = await Promise.all([one, two].map(({ id }) => patch(id, { email: "lou@example.com" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it("locale and profile as in /me: canonical, merged, taken away by null", async () => {
    const { id } = await server.signup("mia@example.com", "shop", { profile: { a: 1, b: { c: 2, d: 3 } } });
    expect((await patch(id, { locale: "de-ch", profile: { b: { c: null }, e: 4 } })).body).toMatchObject({
      locale: "de-CH",
      profile: { a: 1, b: { d: 3 }, e: 4 },
    });
    expect((await patch(id, { locale: null, profile: null })).body).toMatchObject({
      locale: null,
      profile: null,
    });
    const text = '{"profile": {"__proto__": {"admin": true}, "constructor": 1}}';
    const answer = await server.send("PATCH", `/_admin/users/${id}`, { token: admin, text });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body["profile"])).toBe('{"__proto__":{"admin":true},"constructor":1}');
  });

  it.each<[string, JsonObject]>([
    ["roles.1", { roles: ["agent", "king"] }],
    ["roles.0", { roles: ["__proto__"] }],
    ["roles", { roles: "agent" }],
    ["roles", { roles: ["agent", 1] }],
    ["roles", { roles: null }],
    ["disabled", { disabled: "yes" }],
    ["disabled", { disabled: null }],
    ["email", { email: "nobody" }],
    ["email", { email: null }],
    ["email", { email: 7 }],
    ["locale", { locale: "no locale" }],
    ["profile", { profile: "p" }],
    ["profile", { profile: { text: "x".repeat(16_384) } }],
    ["password", { password: "another password" }],
    ["email_verified", { email_verified: true }],
    ["id", { id: "another" }],
    ["mfa", { mfa: false }],
    ["totp", { totp: null }],
    ["generation", { generation: 9 }],
    ["created_at", { created_at: "2020-01-01T00:00:00.000Z" }],
    ["status", { status: "disabled" }],
  ])("400 validation_error: %s, and nothing is changed: %j", async (path, body) => {
    const name = `${path}${JSON.stringify(body)}`.replace(/\W+/g, "-").slice(0, 50);
    const { id } = await server.signup(`${name}@example.com`);
    const answer = await patch(id, { ...body, ...(path !== "disabled" && { disabled: true }) });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: "validation_error", details: [{ path }] } });
    expect((await get(`/_admin/users/${id}`)).body).toMatchObject({ roles: [], status: "active" });
  });

  it("404 for no user, by either media type", async () => {
    expect((await patch("unknown", { disabled: true })).status).toBe(404);
    const headers = { "content-type": "application/merge-patch+json" };
    const answer = await server.send("PATCH", "/_admin/users/unknown", { token: admin, text: "{}", headers });
    expect(answer.status).toBe(404);
  });
});

describe("Audit records: changes of a user", () => {
  it("every change is recorded: who, whom, from where, in which request, and no content", async () => {
    const { id } = await server.signup("ida@example.com", "shop", { profile: { note: "private" } });
    const { headers } = await patch(id, { roles: ["agent"], disabled: true });
    await patch(id, { disabled: false, email: "idb@example.com" });
    await patch(id, { locale: "fr", profile: { note: "secret" } });
    const common = {
      id: expect.stringMatching(/^[0-9a-z]{20}$/),
      at: new Date(server.clock.now()).toISOString(),
      actor: "key:root",
      target: `user:${id}`,
      address: "127.0.0.1",
      request_id: expect.any(String),
    };
    const request_id = headers.get("x-request-id");
    expect(await auditOf(server, `user:${id}`)).toEqual([
      { ...common, action: "user.roles", request_id, details: { from: [], to: ["agent"] } },
      { ...common, action: "user.disable", request_id, details: {} },
      { ...common, action: "user.email", details: {} },
      { ...common, action: "user.enable", details: {} },
      { ...common, action: "user.update", details: { members: ["locale", "profile"] } },
    ]);
  });

  it("a session that administers is named by its user", async () => {
    const boss = await server.person("boss@example.com", ["boss"]);
    const { id } = await server.signup("ivo@example.com");
    await patch(id, { disabled: true }, boss.token);
    expect(await auditOf(server, `user:${id}`)).toMatchObject([
      { action: "user.disable", actor: `user:${boss.id}`, details: {} },
    ]);
  });

  it("what changes nothing, and what is refused, leaves no record", async () => {
    const { id } = await server.signup("jan@example.com", "shop", { profile: { a: 1 } });
    await patch(id, {});
    await patch(id, {
      roles: [],
      disabled: false,
      locale: null,
      profile: { a: 1 },
      email: "jan@example.com",
    });
    await patch(id, { roles: ["king"] });
    expect(await auditOf(server, `user:${id}`)).toEqual([]);
  });
});
