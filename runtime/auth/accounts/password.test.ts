import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trustHops } from "../../http/address.ts";
import type { JsonObject } from "../../json.ts";
import { auditOf } from "../administration/testing/audit.ts";
import { type Accounts, minute, type Person, password, startAccounts } from "../testing/accounts.ts";

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts({ cookie: { sameSite: "lax" } }, { settings: { addressOf: trustHops(1) } });
});
afterAll(() => server.stop());

const change = (token: string, body: JsonObject, from = "192.0.2.1") =>
  server.send("POST", "/_auth/password/change", { token, body, headers: { "x-forwarded-for": from } });

const loginStatus = async (email: string, secret: string) =>
  (await server.send("POST", "/_auth/login", { body: { email, password: secret } })).status;

const isAlive = async ({ token }: Pick<Person, "token">) =>
  (await server.send("GET", "/_auth/me", { token })).status === 200;

describe("POST /password/change", () => {
  it("204: the new password counts, the session goes on, the others end at once", async () => {
    const ada = await server.signup("ada@example.com");
    const other = await server.login(ada.email);
    const answer = await change(ada.token, { current: password, new: "battery staple" });
    expect(answer).toMatchObject({ status: 204, body: {} });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await isAlive(ada)).toBe(true);
    expect(await isAlive(other)).toBe(false);
    expect(await loginStatus(ada.email, password)).toBe(401);
    expect(await loginStatus(ada.email, "battery staple")).toBe(200);
    const { body } = await server.send("GET", "/_auth/sessions", { token: ada.token });
    expect(body["items"]).toHaveLength(2);
  });

  it("the session goes on as what it was: a later change from it works too", async () => {
    const bea = await server.signup("bea@example.com");
    expect((await change(bea.token, { current: password, new: "battery staple" })).status).toBe(204);
    expect((await change(bea.token, { current: "battery staple", new: password })).status).toBe(204);
    expect(await isAlive(bea)).toBe(true);
  });

  it("401 invalid_credentials: a wrong current password, and nothing changes", async () => {
    const cleo = await server.signup("cleo@example.com");
    const other = await server.login(cleo.email);
    for (const current of ["wrong horse", "", "x".repeat(10_000)]) {
      expect(await change(cleo.token, { current, new: "battery staple" })).toMatchObject({
        status: 401,
        body: { error: { code: "invalid_credentials" } },
      });
    }
    expect(await isAlive(other)).toBe(true);
    expect(await loginStatus(cleo.email, password)).toBe(200);
  });

  it("400 validation_error before the current password is looked at", async () => {
    const { token } = await server.signup("dan@example.com");
    const answer = await change(token, { current: 1, new: "short", code: "123456" });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: {
          code: "validation_error",
          details: [
            { path: "current", reason: "must be a string" },
            { path: "new", reason: "must have 8 to 256 characters" },
            { path: "code", reason: "unknown member" },
          ],
        },
      },
    });
  });

  it("401 without a session, 403 for an API key", async () => {
    const body = { current: password, new: "battery staple" };
    const key = await server.key({ name: "import" });
    expect((await server.send("POST", "/_auth/password/change", { body })).status).toBe(401);
    expect((await change(key, body)).status).toBe(403);
  });

  it("wrong ones count as failed logins: then 429, also for the right one, in the session too", async () => {
    const eve = await server.signup("eve@example.com");
    for (let n = 0; n < 10; n += 1) {
      expect((await change(eve.token, { current: "wrong horse", new: "battery staple" })).status).toBe(401);
    }
    const answer = await change(eve.token, { current: password, new: "battery staple" });
    expect(answer).toMatchObject({ status: 429, body: { error: { code: "too_many_requests" } } });
    expect(answer.headers.get("retry-after")).toBe(String(15 * 60));
    const login = await server.send("POST", "/_auth/login", {
      body: { email: eve.email, password },
      headers: { "x-forwarded-for": "192.0.2.1" },
    });
    expect(login.status).toBe(429);
    server.clock.advance(15 * minute);
    expect((await change(eve.token, { current: password, new: "battery staple" })).status).toBe(204);
  });

  it("of two parallel changes one succeeds, and only its session goes on", async () => {
    const fay = await server.signup("fay@example.com");
    const other = await server.login(fay.email);
    const news = ["battery staple", "paper clip pile"];
    const answers = await Promise.all([
      change(fay.token, { current: password, new: news[0] ?? "" }),
      change(other.token, { current: password, new: news[1] ?? "" }),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect([...statuses].sort()).toEqual([204, 401]);
    const won = statuses.indexOf(204);
    expect(await Promise.all([isAlive(fay), isAlive(other)])).toEqual([won === 0, won === 1]);
    expect(await Promise.all(news.map((secret) => loginStatus(fay.email, secret)))).toEqual(
      won === 0 ? [200, 401] : [401, 200],
    );
  });

  it("no login that runs beside a change leaves a session of the old password behind", async () => {
    const gil = await server.signup("gil@example.com");
    const login = () => server.send("POST", "/_auth/login", { body: { email: gil.email, password } });
    const [changed, ...logins] = await Promise.all([
      change(gil.token, { current: password, new: "battery staple" }),
      login(),
      login(),
      login(),
    ]);
    expect(changed.status).toBe(204);
    const { body } = await server.send("GET", "/_auth/sessions", { token: gil.token });
    expect(body["items"]).toHaveLength(1);
    for (const { status } of logins) expect([200, 401, 403]).toContain(status);
  });

  it("Audit records: who changed it, from where, and no password", async () => {
    const hal = await server.signup("hal@example.com");
    await change(hal.token, { current: "wrong horse", new: "battery staple" });
    const { headers } = await change(hal.token, { current: password, new: "battery staple" }, "192.0.2.7");
    expect(await auditOf(server, `user:${hal.id}`)).toEqual([
      {
        id: expect.any(String),
        at: new Date(server.clock.now()).toISOString(),
        action: "password.change",
        actor: `user:${hal.id}`,
        target: `user:${hal.id}`,
        address: "192.0.2.7",
        request_id: headers.get("x-request-id"),
        details: {},
      },
    ]);
  });
});
