import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeMongo, dropTestDatabases, testLocation } from "../../store/mongodb/testing/server.ts";
import { testPlace } from "../../store/testing/stores.ts";
import { type Accounts, minute, password, startAccounts } from "../testing/accounts.ts";
import { secondFactor, totpCode } from "../testing/factor.ts";

function login(server: Accounts, email: string, more: Record<string, string> = {}) {
  return server.send("POST", "/_auth/login", { body: { email, password, ...more } });
}

describe("After a restart", () => {
  it("failed logins still count, for as long as they would have", async () => {
    const place = testPlace();
    const settings = { store: place.location };
    try {
      let server = await startAccounts({}, { settings });
      await server.signup("ada@example.com");
      const guess = () => login(server, "ada@example.com", { password: "wrong horse" });
      for (let n = 0; n < 6; n += 1) await guess();
      await server.stop();
      server = await startAccounts({}, { settings });
      try {
        const answers = [await guess(), await guess(), await guess(), await guess(), await guess()];
        expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429]);
        expect((await login(server, "ada@example.com")).status).toBe(429);
        server.clock.advance(15 * minute);
        expect((await login(server, "ada@example.com")).status).toBe(200);
      } finally {
        await server.stop();
      }
    } finally {
      await place.discard();
    }
  });

  it("without the key that second factors are encrypted with no code lets anybody in: 503, and the log says why", async () => {
    const place = testPlace();
    const started = (key: number) =>
      startAccounts({}, { settings: { store: place.location, keys: [Buffer.alloc(32, key)] } });
    try {
      let server = await started(1);
      const person = await server.signup("bea@example.com");
      const { secret, recovery } = await secondFactor(server, person);
      await server.stop();
      server = await started(2);
      try {
        server.clock.advance(minute);
        const code = totpCode(secret, server.clock.now());
        expect(await login(server, "bea@example.com", { code })).toMatchObject({
          status: 503,
          body: { error: { code: "unavailable" } },
        });
        expect((await login(server, "bea@example.com")).body).toMatchObject({
          error: { code: "mfa_required" },
        });
        expect(server.logs).toContainEqual({
          level: "error",
          fields: { realm: "shop", user: person.id, key: expect.any(String) },
          message:
            "a second factor cannot be checked: the key that its secret is encrypted with is not in SVC_KEYS",
        });
        // They rest on no key.
        expect((await login(server, "bea@example.com", { code: recovery[0] ?? "" })).status).toBe(200);
      } finally {
        await server.stop();
      }
    } finally {
      await place.discard();
    }
  });
});

/** Each has connections of its own, as processes have; their clocks are moved together. */
describeMongo("Two instances on one database", () => {
  const store = testLocation();
  let one: Accounts;
  let other: Accounts;
  beforeAll(async () => {
    one = await startAccounts({}, { settings: { store } });
    other = await startAccounts({}, { settings: { store } });
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await dropTestDatabases(store);
  });

  it("failed logins at either count together, in parallel too", async () => {
    await one.signup("ada@example.com");
    const guesses = Array.from({ length: 24 }, (_, n) =>
      login(n % 2 === 0 ? one : other, "ada@example.com", { password: "wrong horse" }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(14).fill(429)]);
    for (const server of [one, other]) expect((await login(server, "ada@example.com")).status).toBe(429);
  });

  it("a recovery code raced at both is good once, and so is a code of the app", async () => {
    const { recovery, secret } = await secondFactor(one, await one.signup("bea@example.com"));
    for (const server of [one, other]) server.clock.advance(minute);
    for (const code of [...recovery.slice(0, 4), totpCode(secret, one.clock.now())]) {
      const answers = await Promise.all([
        login(one, "bea@example.com", { code }),
        login(other, "bea@example.com", { code }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    }
  });

  it("a proof made at one is good at the other, until a newer one ends it", async () => {
    const person = await one.signup("cat@example.com");
    const { token } = person;
    await one.verify(person);
    const enroll = async (server: Accounts, proof: string) =>
      (await server.send("POST", "/_auth/mfa/totp", { token, headers: { "x-svc-reauth": proof } })).status;
    const proof = await one.reauth({ token });
    expect(await enroll(other, proof)).toBe(201);
    const newer = await other.reauth({ token });
    expect(await enroll(one, proof)).toBe(401);
    expect(await enroll(one, newer)).toBe(201);
  });
});
