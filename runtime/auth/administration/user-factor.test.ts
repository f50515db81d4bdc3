import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Accounts, minute, type Person, password, startAccounts } from "../testing/accounts.ts";
import { type Factor, secondFactor, totpCode } from "../testing/factor.ts";
import { auditOf } from "./testing/audit.ts";

let server: Accounts;
let key: string;
beforeAll(async () => {
  server = await startAccounts();
  key = await server.adminKey(["users"]);
});
afterAll(() => server.stop());

const remove = (id: string, token: string, proof?: string) =>
  server.send("DELETE", `/_admin/users/${id}/mfa`, {
    token,
    ...(proof !== undefined && { headers: { "x-svc-reauth": proof } }),
  });

const login = async (email: string) =>
  (await server.send("POST", "/_auth/login", { body: { email, password } })).status;

async function strong(email: string, roles: readonly string[] = []): Promise<Person & { factor: Factor }> {
  const person = await server.person(email, roles);
  return { ...person, factor: await secondFactor(server, person) };
}

const forbidden = { status: 403, body: { error: { code: "forbidden" } } };

describe("Administrator routes: DELETE /_admin/users/{id}/mfa", () => {
  it("204: the password alone lets in again, no session is one with a second factor; audited once", async () => {
    const { id, email, token } = await strong("ada@example.com");
    expect(await login(email)).toBe(401);
    expect(await remove(id, key)).toMatchObject({ status: 204, body: {} });
    expect(await login(email)).toBe(200);
    expect((await server.send("GET", "/whoami", { token })).body).toMatchObject({ user: { mfa: false } });
    expect((await remove(id, key)).status).toBe(204);
    const [, removed, ...more] = await auditOf(server, `user:${id}`);
    expect(removed).toMatchObject({
      action: "mfa.remove",
      actor: expect.stringMatching(/^key:/),
      details: {},
    });
    expect(more).toEqual([]);
  });

  it("ends an enrolment that waits to be confirmed, too", async () => {
    const person = await server.signup("bea@example.com");
    await server.verify(person);
    const { id, token } = person;
    const headers = { "x-svc-reauth": await server.reauth(person) };
    const { body } = await server.send("POST", "/_auth/mfa/totp", { token, headers });
    expect((await remove(id, key)).status).toBe(204);
    const code = totpCode(String(body["secret"]), server.clock.now());
    expect((await server.send("POST", "/_auth/mfa/totp/confirm", { token, body: { code } })).status).toBe(
      400,
    );
    expect(await auditOf(server, `user:${id}`)).toEqual([]);
  });

  it("Authentication 8: of sessions it needs a fresh proof", async () => {
    const admin = await server.person("cleo@example.com", ["keymaster"]);
    const { id, email } = await strong("dan@example.com");
    expect(await remove(id, admin.token)).toMatchObject({
      status: 401,
      body: { error: { code: "reauth_required" } },
    });
    expect(await login(email)).toBe(401);
    expect((await remove(id, admin.token, await server.reauth(admin))).status).toBe(204);
    expect(await login(email)).toBe(200);
  });

  it("Authentication 10: not of an account that administers more, nor without the area users", async () => {
    const boss = await strong("boss@example.com", ["boss"]);
    const agent = await strong("agent@example.com");
    const keymaster = await server.person("keymaster@example.com", ["keymaster"]);
    expect(await remove(boss.id, keymaster.token, await server.reauth(keymaster))).toMatchObject(forbidden);
    expect(await remove(boss.id, key)).toMatchObject(forbidden);
    expect(await remove(agent.id, await server.adminKey(["apikeys", "data"]))).toMatchObject(forbidden);
    const reader = await server.person("reader@example.com", ["reader"]);
    expect(await remove(agent.id, reader.token)).toMatchObject(forbidden);
    expect([await login(boss.email), await login(agent.email)]).toEqual([401, 401]);
    server.clock.advance(minute);
    expect((await remove(boss.id, await server.adminKey())).status).toBe(204);
  });

  it("404 for a user that there is not", async () => {
    expect(await remove("nobody", key)).toMatchObject({
      status: 404,
      body: { error: { code: "not_found" } },
    });
  });
});
