import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trustHops } from "../../http/address.ts";
import type { JsonObject } from "../../json.ts";
import { type Accounts, hour, minute, password, startAccounts } from "../testing/accounts.ts";

let server: Accounts;
beforeAll(async () => {
  const signupLimit = { address: { limit: 3, period: hour }, network: { limit: 5, period: hour } };
  server = await startAccounts({ signupLimit }, { settings: { addressOf: trustHops(1) } });
});
afterAll(() => server.stop());

let people = 0;

async function signUp(from: string, body: JsonObject = {}) {
  people += 1;
  return server.send("POST", "/_auth/signup", {
    body: { email: `person-${people}@example.com`, password, ...body },
    headers: { "x-forwarded-for": from },
  });
}

const status = async (...sent: Parameters<typeof signUp>) => (await signUp(...sent)).status;

describe("Sign-ups: signup_limit", () => {
  it("beyond those of an address 429 with Retry-After, until the first is over; other addresses go on", async () => {
    for (const at of [0, 1, 2]) {
      expect(await status("192.0.2.1")).toBe(201);
      if (at < 2) server.clock.advance(10 * minute);
    }
    const refused = await signUp("192.0.2.1");
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "too_many_requests" } } });
    expect(refused.headers.get("retry-after")).toBe(String(40 * 60));
    expect(await status("192.0.2.2")).toBe(201);
    server.clock.advance(40 * minute);
    expect(await status("192.0.2.1")).toBe(201);
    expect(await status("192.0.2.1")).toBe(429);
  });

  it.each([
    ["the /24 of IPv4 addresses", (at: number) => `198.51.100.${at}`, "198.51.101.1"],
    ["the /64 of IPv6 addresses", (at: number) => `2001:db8::${at}`, "2001:db8:0:1::1"],
  ])("beyond those of a network 429: %s", async (_, address, other) => {
    for (const at of [1, 2, 3, 4, 5]) expect(await status(address(at))).toBe(201);
    expect(await status(address(6))).toBe(429);
    expect(await status(other)).toBe(201);
  });

  it("what makes no account does not count, and is 429 beyond the limit too", async () => {
    const from = "203.0.113.1";
    expect(await status(from, { email: "first@example.com" })).toBe(201);
    for (let n = 0; n < 5; n += 1) {
      expect(await status(from, { email: "FIRST@example.com" })).toBe(409);
      expect(await status(from, { password: "short" })).toBe(400);
      expect(await status(from, { invitation: "svi_nothing" })).toBe(400);
    }
    expect([await status(from), await status(from)]).toEqual([201, 201]);
    expect(await status(from, { email: "first@example.com" })).toBe(429);
  });

  it("of many at the same moment no more are taken", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => status("198.18.0.77")));
    expect(answers.filter((one) => one === 201)).toHaveLength(3);
    expect(new Set(answers)).toEqual(new Set([201, 429]));
  });

  it("logins, resets and administrators who make users are not concerned", async () => {
    const from = "198.51.7.7";
    const headers = { "x-forwarded-for": from };
    const { body } = await signUp(from, { email: "last@example.com" });
    expect(body).toMatchObject({ user: { email: "last@example.com" } });
    for (const _ of [1, 2]) await signUp(from);
    expect(await status(from)).toBe(429);
    const login = { body: { email: "last@example.com", password }, headers };
    expect((await server.send("POST", "/_auth/login", login)).status).toBe(200);
    const made = {
      token: await server.adminKey(["users"]),
      body: { email: "made@example.com", password },
      headers,
    };
    expect((await server.send("POST", "/_admin/users", made)).status).toBe(201);
  });
});
