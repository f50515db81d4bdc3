import { hash } from "@node-rs/argon2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trustHops } from "../../http/address.ts";
import { leastCost } from "../../instance/testing/servers.ts";
import { PasswordHasher } from "../credentials/passwords.ts";
import { type Accounts, minute, origin, password, startAccounts } from "../testing/accounts.ts";

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts({ cookie: { sameSite: "strict" } }, { settings: { addressOf: trustHops(1) } });
});
afterAll(() => server.stop());

const login = (email: string, secret: string, from = "192.0.2.1") =>
  server.send("POST", "/_auth/login", {
    body: { email, password: secret },
    headers: { "x-forwarded-for": from },
  });

async function statuses(answers: readonly Promise<{ readonly status: number }>[]): Promise<number[]> {
  return (await Promise.all(answers)).map(({ status }) => status).sort();
}

describe("POST /login", () => {
  it("200 {user, session}; the address in any case", async () => {
    const { id } = await server.signup("ada@example.com");
    const { status, body, headers } = await login("ADA@Example.com", password);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: { id, email: "ada@example.com" },
      session: {
        token: expect.stringMatching(/^svs_/),
        id: expect.any(String),
        expires_at: expect.any(String),
      },
    });
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("401 invalid_credentials: the same answer for a wrong password and an unknown or impossible address", async () => {
    await server.signup("bea@example.com");
    const answers = await Promise.all([
      login("bea@example.com", "wrong horse"),
      login("unknown@example.com", password),
      login("no address", password),
      login("bea@example.com", "x".repeat(10_000)),
      login("bea@example.com", ""),
    ]);
    for (const { status, body, headers } of answers) {
      expect(status).toBe(401);
      expect(body).toEqual({
        error: {
          code: "invalid_credentials",
          message: "The e-mail address, password or code is wrong.",
          request_id: expect.any(String),
        },
      });
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });

  it("400 validation_error: missing, mistyped and unknown members", async () => {
    const { status, body } = await server.send("POST", "/_auth/login", {
      body: { email: null, remember: true, code: 123456 },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: {
        code: "validation_error",
        details: [
          { path: "email", reason: "must be a string" },
          { path: "password", reason: "is required" },
          { path: "code", reason: "must be a string or null" },
          { path: "remember", reason: "unknown member" },
        ],
      },
    });
  });

  it("ignores an invalid credential and a stale cookie", async () => {
    await server.signup("cleo@example.com");
    const { status } = await server.send("POST", "/_auth/login", {
      body: { email: "cleo@example.com", password },
      headers: { authorization: "Basic Zm9v", cookie: "svc_session_shop=stale" },
    });
    expect(status).toBe(200);
  });

  it("a disabled account: 403 after the right password, 401 otherwise", async () => {
    const { id } = await server.signup("dan@example.com");
    const key = await server.key({ name: "disabler", admin: true });
    await server.send("PATCH", `/_admin/users/${id}`, { token: key, body: { disabled: true } });
    expect(await login("dan@example.com", password)).toMatchObject({
      status: 403,
      body: { error: { code: "forbidden" } },
    });
    expect(await login("dan@example.com", "wrong horse")).toMatchObject({
      status: 401,
      body: { error: { code: "invalid_credentials" } },
    });
  });
});

describe("The failed-login throttle", () => {
  it("429 with Retry-After after 10 failures from one address, also for the right password; elsewhere it works", async () => {
    await server.signup("eve@example.com");
    for (let n = 0; n < 10; n += 1) expect((await login("eve@example.com", "wrong horse")).status).toBe(401);
    const { status, body, headers } = await login("eve@example.com", password);
    expect(status).toBe(429);
    expect(body).toMatchObject({ error: { code: "too_many_requests" } });
    expect(headers.get("retry-after")).toBe("900");
    expect((await login("eve@example.com", password, "192.0.2.2")).status).toBe(200);
    server.clock.advance(15 * minute);
    expect((await login("eve@example.com", password)).status).toBe(200);
  });

  it("says nothing about which addresses exist: an unknown one is throttled alike", async () => {
    for (let n = 0; n < 10; n += 1) await login("nobody@example.com", "wrong horse", "192.0.2.3");
    expect((await login("nobody@example.com", "wrong horse", "192.0.2.3")).status).toBe(429);
  });

  it("parallel guesses learn no more than the limit", async () => {
    await server.signup("fay@example.com");
    const guesses = Array.from({ length: 24 }, (_, n) =>
      login("fay@example.com", `wrong horse ${n}`, "192.0.2.4"),
    );
    const answered = await statuses(guesses);
    expect(answered.filter((status) => status === 401)).toHaveLength(10);
    expect(answered.filter((status) => status === 429)).toHaveLength(14);
  });

  it("parallel logins with the right password all succeed", async () => {
    await server.signup("gil@example.com");
    const logins = Array.from({ length: 16 }, () => login("gil@example.com", password, "192.0.2.5"));
    expect(await statuses(logins)).toEqual(Array(16).fill(200));
  });

  it("one realm's failures are not another's", async () => {
    const body = { email: "hal@example.com", password: "wrong horse" };
    const headers = { "x-forwarded-for": "192.0.2.6" };
    for (let n = 0; n < 10; n += 1) await server.send("POST", "/_auth/login", { body, headers });
    expect((await server.send("POST", "/_auth/login", { body, headers })).status).toBe(429);
    expect((await server.send("POST", "/_auth/login", { body, headers }, "other")).status).toBe(401);
  });
});

it("503 unavailable with Retry-After: too many password operations of the process, in whichever realm", async () => {
  let answer = (_: boolean) => {};
  const answered = new Promise<boolean>((resolve) => {
    answer = resolve;
  });
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const verify = () => {
    begin();
    return answered;
  };
  const passwords = new PasswordHasher(1, 0, leastCost, { hash, verify });
  const { send, stop } = await startAccounts({}, { passwords });
  const body = { email: "busy@example.com", password };
  const loginTo = (realm: string) => send("POST", "/_auth/login", { body }, realm);
  const only = loginTo("shop");
  await begun;
  const answers = await Promise.all(["shop", "other"].map(loginTo));
  answer(false);
  expect((await only).status).toBe(401);
  await stop();
  for (const { status, body, headers } of answers) {
    expect(status).toBe(503);
    expect(body).toMatchObject({ error: { code: "unavailable" } });
    expect(headers.get("retry-after")).toBe("1");
  }
});

describe("Authentication 6: cookie login", () => {
  it("needs a listed Origin: 403 forbidden", async () => {
    await server.signup("ida@example.com");
    const body = { email: "ida@example.com", password, cookie: true };
    expect((await server.send("POST", "/_auth/login", { body })).status).toBe(403);
    const foreign = { body, headers: { origin: "https://app.example.com.evil.example" } };
    expect((await server.send("POST", "/_auth/login", foreign)).status).toBe(403);
    const {
      status,
      body: answer,
      headers,
    } = await server.send("POST", "/_auth/login", { body, headers: { origin } });
    expect(status).toBe(200);
    expect(JSON.stringify(answer)).not.toContain("svs_");
    expect(headers.get("set-cookie")).toMatch(/^svc_session_shop=svs_.*; HttpOnly; Secure; SameSite=Strict$/);
  });

  it("cookie: false is a login like any other", async () => {
    await server.signup("jan@example.com");
    const body = { email: "jan@example.com", password, cookie: false };
    const answer = await server.send("POST", "/_auth/login", { body });
    expect(answer.body).toMatchObject({ session: { token: expect.stringMatching(/^svs_/) } });
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  it("cookie: true where cookies are off is 400 validation_error", async () => {
    const off = await startAccounts();
    try {
      await off.signup("kim@example.com");
      const body = { email: "kim@example.com", password, cookie: true };
      const answer = await off.send("POST", "/_auth/login", { body, headers: { origin } });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        error: { code: "validation_error", details: [{ path: "cookie" }] },
      });
    } finally {
      await off.stop();
    }
  });
});

describe("POST /logout", () => {
  it("204 ends the session that asks, at once, and no other", async () => {
    const person = await server.signup("leo@example.com");
    const other = await server.login("leo@example.com");
    expect((await server.send("POST", "/_auth/logout", { token: person.token })).status).toBe(204);
    expect((await server.send("GET", "/whoami", { token: person.token })).status).toBe(401);
    expect((await server.send("POST", "/_auth/logout", { token: person.token })).status).toBe(401);
    expect((await server.send("GET", "/whoami", { token: other.token })).status).toBe(200);
  });

  it("Common request rules 2, 3: needs no body, but one that comes must be a JSON object", async () => {
    const { token } = await server.signup("lou@example.com");
    const logout = (text: string, type = "application/json") =>
      server.send("POST", "/_auth/logout", { token, text, headers: { "content-type": type } });
    expect((await logout("{}", "text/plain")).body).toMatchObject({
      error: { code: "unsupported_media_type" },
    });
    expect((await logout("[]")).body).toMatchObject({ error: { code: "invalid_json" } });
    expect((await logout("x".repeat(1_048_577))).body).toMatchObject({
      error: { code: "payload_too_large" },
    });
    expect((await server.send("GET", "/whoami", { token })).status).toBe(200);
    expect((await logout("{}")).status).toBe(204);
  });

  it("takes the cookie back that it came with", async () => {
    await server.signup("mia@example.com");
    const body = { email: "mia@example.com", password, cookie: true };
    const { headers } = await server.send("POST", "/_auth/login", { body, headers: { origin } });
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await server.send("POST", "/_auth/logout", { cookie })).status).toBe(403);
    const answer = await server.send("POST", "/_auth/logout", { cookie, headers: { origin } });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toMatch(/^svc_session_shop=; Path=\/v1\/shop; Max-Age=0;/);
    expect((await server.send("GET", "/whoami", { cookie })).body).toMatchObject({ kind: "anonymous" });
  });
});
