import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trustHops } from "../../http/address.ts";
import { until } from "../../testing/until.ts";
import { type Accounts, hour, startAccounts } from "../testing/accounts.ts";

let server: Accounts;
let token: string;
let last = 0;
beforeAll(async () => {
  const email = {
    from: "Shop <shop@example.com>",
    verifyLink: "https://app.example.com/verify?token={token}",
  };
  server = await startAccounts({ email }, { settings: { addressOf: trustHops(1) } });
  token = await server.adminKey(["users"]);
});
afterAll(() => server.stop());

const post = (path: string, from: string, sent: Parameters<Accounts["send"]>[2]) =>
  server.send("POST", path, { ...sent, headers: { "x-forwarded-for": from } });

/** Expects so many mails to these, also when one that was asked for after them has arrived. */
async function mailed(domain: string, expected: number): Promise<void> {
  const count = () => server.mails.filter(({ to }) => to.endsWith(domain)).length;
  await until(() => expect(count()).toBe(expected));
  last += 1;
  const email = `last-${last}@example.com`;
  await server.send("POST", "/_admin/users", { token, body: { email } });
  await server.mailTo(email);
  expect(count()).toBe(expected);
}

describe("Mails", () => {
  it("a recipient is sent 3 an hour by all routes together, sign-up's own among them, silently", async () => {
    const from = "192.0.2.1";
    const ada = await server.signup("ada@one.example");
    const forgot = () => post("/_auth/password/forgot", from, { body: { email: "ada@one.example" } });
    const send = () => post("/_auth/email/verify/send", from, { token: ada.token });
    for (const ask of [forgot, send, forgot, send, forgot]) expect((await ask()).status).toBe(202);
    await mailed("@one.example", 3);
    server.clock.advance(hour);
    expect((await send()).status).toBe(202);
    await mailed("@one.example", 4);
  });

  it("an address asks for 30 an hour, to whomever, silently; another address goes on, and API keys do", async () => {
    const from = "192.0.2.2";
    for (let n = 0; n < 34; n += 1) {
      const body = { email: `user-${n}@two.example` };
      expect((await server.send("POST", "/_admin/users", { token, body })).status).toBe(201);
    }
    await mailed("@two.example", 34);
    for (let n = 0; n < 34; n += 1) {
      const body = { email: `user-${n}@two.example` };
      expect((await post("/_auth/password/forgot", from, { body })).status).toBe(202);
    }
    await mailed("@two.example", 64);
    const body = { email: "user-33@two.example" };
    expect((await post("/_auth/password/forgot", "192.0.2.3", { body })).status).toBe(202);
    await mailed("@two.example", 65);
  });

  it("sign-up's own counts for the address", async () => {
    for (let n = 0; n < 32; n += 1) await server.signup(`user-${n}@three.example`);
    await mailed("@three.example", 30);
  });
});
