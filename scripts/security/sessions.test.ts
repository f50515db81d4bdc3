/** What ends counts as ended at the very next request, and nobody gets a session that somebody else chose. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newToken } from "../../runtime/auth/credentials/tokens.ts";
import {
  type Accounts,
  day,
  minute,
  origin,
  password,
  startAccounts,
  text,
} from "../../runtime/auth/testing/accounts.ts";

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts({ cookie: { sameSite: "lax" } });
});
afterAll(() => server.stop());

const me = async (token: string) => (await server.send("GET", "/_auth/me", { token })).status;

describe("Authentication 13: sessions and tokens are new, and each of one kind", () => {
  it("a session that a client brings to login or sign-up is never taken over", async () => {
    const brought = newToken("svs");
    const attacker = await server.signup("attacker@example.com");
    await server.signup("victim@example.com");
    for (const [at, token] of [brought, attacker.token].entries()) {
      for (const [path, email] of [
        ["/_auth/login", "victim@example.com"],
        ["/_auth/signup", `another-${at}@example.com`],
      ] as const) {
        const answer = await server.send("POST", path, {
          body: { email, password, cookie: true },
          cookie: `svc_session_shop=${token}`,
          token,
          headers: { origin },
        });
        const given = /^svc_session_shop=(svs_[\w-]{43});/.exec(answer.headers.get("set-cookie") ?? "")?.[1];
        expect(given, path).toMatch(/^svs_/);
        expect(given, path).not.toBe(token);
      }
    }
    expect(await me(brought)).toBe(401);
    const still = await server.send("GET", "/_auth/me", { token: attacker.token });
    expect(text(still.body, "email")).toBe("attacker@example.com");
  });

  it("each login begins a session of its own, and ids are no tokens", async () => {
    const first = await server.login("victim@example.com");
    const second = await server.login("victim@example.com");
    expect(first.token).not.toBe(second.token);
    for (const id of [first.session, second.session, `svs_${first.session}`]) expect(await me(id)).toBe(401);
  });

  it("a token is no other kind of token", async () => {
    const person = await server.signup("kinds@example.com");
    const secret = person.token.slice(4);
    const key = await server.key({ name: "kinds" });
    for (const kind of ["svk", "svi", "svp", "svt", "SVS", ""])
      expect(await me(`${kind}_${secret}`)).toBe(401);
    expect(await me(`svs_${key.slice(4)}`)).toBe(401);
    expect(await me(`${person.token}x`)).toBe(401);
    expect(await me(person.token.slice(0, -1))).toBe(401);
    const proof = await server.reauth(person);
    expect(await me(proof)).toBe(401);
    const asProof = { token: person.token, headers: { "x-svc-reauth": person.token } };
    expect((await server.send("DELETE", "/_auth/me", asProof)).status).toBe(401);
    expect(await me(person.token)).toBe(200);
  });
});

describe("Counts at the very next request", () => {
  it("logout", async () => {
    const { token } = await server.signup("logout@example.com");
    expect(await me(token)).toBe(200);
    expect((await server.send("POST", "/_auth/logout", { token })).status).toBe(204);
    expect(await me(token)).toBe(401);
  });

  it("the end of one session, and of all others", async () => {
    const { email } = await server.signup("many@example.com");
    const [one, two, three] = [
      await server.login(email),
      await server.login(email),
      await server.login(email),
    ];
    await server.send("DELETE", `/_auth/sessions/${two.session}`, { token: one.token });
    expect([await me(one.token), await me(two.token), await me(three.token)]).toEqual([200, 401, 200]);
    await server.send("DELETE", "/_auth/sessions", { token: one.token });
    expect([await me(one.token), await me(three.token)]).toEqual([200, 401]);
  });

  it("another password: every other session ends", async () => {
    const { email, token } = await server.signup("changing@example.com");
    const other = await server.login(email);
    const body = { current: password, new: `${password} 2` };
    expect((await server.send("POST", "/_auth/password/change", { token, body })).status).toBe(204);
    expect([await me(token), await me(other.token)]).toEqual([200, 401]);
  });

  it("what an administrator does: disabling, other roles, the end of sessions and of the account", async () => {
    const operator = await server.adminKey();
    const person = await server.person("administered@example.com", ["boss"]);
    const administers = async () =>
      (await server.send("GET", "/_admin/users", { token: person.token })).status;
    const patch = (body: { roles?: string[]; disabled?: boolean }) =>
      server.send("PATCH", `/_admin/users/${person.id}`, { token: operator, body });
    expect(await administers()).toBe(200);
    await patch({ roles: [] });
    expect(await administers()).toBe(403);
    await patch({ roles: ["boss"] });
    expect(await administers()).toBe(200);
    await patch({ disabled: true });
    expect(await me(person.token)).toBe(401);
    await patch({ disabled: false });
    expect(await me(person.token)).toBe(401);
    const again = await server.login(person.email);
    await server.send("DELETE", `/_admin/users/${person.id}/sessions`, { token: operator });
    expect(await me(again.token)).toBe(401);
    const last = await server.login(person.email);
    await server.send("DELETE", `/_admin/users/${person.id}`, { token: operator });
    expect(await me(last.token)).toBe(401);
  });

  it("the revocation of an API key, also for those it acts for", async () => {
    const operator = await server.adminKey();
    const person = await server.signup("acted@example.com");
    const made = await server.send("POST", "/_admin/keys", {
      token: operator,
      body: { name: "short-lived", admin: true, on_behalf_of: true },
    });
    const [id, token] = [text(made.body, "id"), text(made.body, "key")];
    const whoami = async (headers: Record<string, string>) =>
      (await server.send("GET", "/whoami", { token, headers })).status;
    const acting = { "x-svc-on-behalf-of": person.id };
    expect([await whoami({}), await whoami(acting)]).toEqual([200, 200]);
    expect((await server.send("DELETE", `/_admin/keys/${id}`, { token: operator })).status).toBe(204);
    expect([await whoami({}), await whoami(acting)]).toEqual([401, 401]);
    expect((await server.send("GET", "/_admin/users", { token })).status).toBe(401);
  });

  it("time: sessions, keys and proofs are over the moment they expire", async () => {
    const person = await server.signup("ageing@example.com");
    const key = await server.key({ name: "ageing", expiresAt: server.clock.now() + minute });
    const whoami = async (token: string) => (await server.send("GET", "/whoami", { token })).status;
    const proof = await server.reauth(person);
    server.clock.advance(minute - 1);
    expect(await whoami(key)).toBe(200);
    server.clock.advance(1);
    expect(await whoami(key)).toBe(401);
    server.clock.advance(4 * minute);
    const leave = { token: person.token, headers: { "x-svc-reauth": proof } };
    expect((await server.send("DELETE", "/_auth/me", leave)).status).toBe(401);
    expect(await me(person.token)).toBe(200);
    server.clock.advance(7 * day);
    expect(await me(person.token)).toBe(401);
  });
});
