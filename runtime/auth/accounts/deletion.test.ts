import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TRUE } from "../../filter/algebra.ts";
import { auditOf } from "../administration/testing/audit.ts";
import { collections } from "../collections.ts";
import { type Accounts, origin, type Person, password, startAccounts, tokenIn } from "../testing/accounts.ts";

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts({ cookie: { sameSite: "lax" } });
});
afterAll(() => server.stop());

const remove = async (person: Pick<Person, "token">, proof?: string) =>
  server.send("DELETE", "/_auth/me", {
    token: person.token,
    headers: { "x-svc-reauth": proof ?? (await server.reauth(person)) },
  });

/** Texts of a collection's records that name a user. */
async function about(collection: string, id: string): Promise<readonly string[]> {
  const found = await server
    .store("shop")
    .collection(collection)
    .find({ filter: TRUE, visibility: "all", limit: 1_000, skip: 0 });
  return found.map(({ text }) => text).filter((text) => text.includes(id));
}

describe("DELETE /me", () => {
  it("204: the account is gone, its sessions and tokens too, and the address is free", async () => {
    const ada = await server.signup("ada@example.com");
    const other = await server.login(ada.email);
    await server.send("POST", "/_auth/password/forgot", { body: { email: ada.email } });
    const reset = tokenIn((await server.mailTo(ada.email)).text);
    const answer = await remove(ada);
    expect(answer).toMatchObject({ status: 204, body: {} });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    for (const { token } of [ada, other]) {
      expect((await server.send("GET", "/whoami", { token })).status).toBe(401);
    }
    for (const collection of [collections.users, collections.sessions, collections.tokens]) {
      expect(await about(collection, ada.id), collection).toEqual([]);
    }
    const body = { token: reset, password: "battery staple" };
    expect((await server.send("POST", "/_auth/password/reset", { body })).status).toBe(400);
    const login = await server.send("POST", "/_auth/login", { body: { email: ada.email, password } });
    expect(login).toMatchObject({ status: 401, body: { error: { code: "invalid_credentials" } } });
    const again = await server.signup(ada.email);
    expect(again.id).not.toBe(ada.id);
  });

  it("Authentication 8: 401 reauth_required without a fresh proof, and nothing is deleted", async () => {
    const bea = await server.signup("bea@example.com");
    const cleo = await server.signup("cleo@example.com");
    for (const proof of ["x", await server.reauth(cleo)]) {
      expect(await remove(bea, proof)).toMatchObject({
        status: 401,
        body: { error: { code: "reauth_required" } },
      });
    }
    expect((await server.send("DELETE", "/_auth/me", { token: bea.token })).status).toBe(401);
    expect((await server.send("GET", "/_auth/me", { token: bea.token })).status).toBe(200);
  });

  it("401 without a session, 403 for an API key", async () => {
    const key = await server.key({ name: "import" });
    expect((await server.send("DELETE", "/_auth/me")).status).toBe(401);
    expect((await server.send("DELETE", "/_auth/me", { token: key })).status).toBe(403);
  });

  it("takes the session's cookie back", async () => {
    const headers = { origin };
    const body = { email: "dan@example.com", password, cookie: true };
    const signup = await server.send("POST", "/_auth/signup", { body, headers });
    const cookie = signup.headers.get("set-cookie")?.split(";")[0] ?? "";
    const reauth = await server.send("POST", "/_auth/reauth", { cookie, headers, body: { password } });
    const proof = String(reauth.body["proof"]);
    const answer = await server.send("DELETE", "/_auth/me", {
      cookie,
      headers: { ...headers, "x-svc-reauth": proof },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toMatch(/^svc_session_shop=; .*Max-Age=0/);
  });

  it("of two parallel deletions one succeeds, the other finds no session", async () => {
    const eve = await server.signup("eve@example.com");
    const proof = await server.reauth(eve);
    const answers = await Promise.all([remove(eve, proof), remove(eve, proof)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
    expect(await auditOf(server, `user:${eve.id}`)).toHaveLength(1);
  });

  it("Audit records: the deletion by its user", async () => {
    const fay = await server.signup("fay@example.com");
    await remove(fay);
    expect(await auditOf(server, `user:${fay.id}`)).toMatchObject([
      { action: "user.delete", actor: `user:${fay.id}`, details: {} },
    ]);
  });
});
