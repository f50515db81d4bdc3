import { parseOptions } from "@node-rs/argon2";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { startInstance } from "../../instance/instance.ts";
import { deliveryTo, leastCost, testSettings } from "../../instance/testing/servers.ts";
import { passingPlace } from "../../store/testing/stores.ts";
import { accountsModule } from "../testing/accounts.ts";
import { findByEmail } from "../users.ts";
import { type Argon2, nobodyAt, PasswordHasher } from "./passwords.ts";

const hasher = new PasswordHasher(2, 8);

describe("Passwords", () => {
  it("are hashed with argon2id, salted", async () => {
    const [one, other] = await Promise.all([hasher.hash("correct horse"), hasher.hash("correct horse")]);
    expect(one).toMatch(/^\$argon2id\$/);
    expect(one).not.toBe(other);
    expect(await hasher.verify(one, "correct horse")).toBe(true);
    expect(await hasher.verify(one, "correct horsf")).toBe(false);
  });

  it("are the same whichever way their characters are composed", async () => {
    const hash = await hasher.hash("pa\u0308ssword");
    expect(await hasher.verify(hash, "p\u00e4ssword")).toBe(true);
  });

  it("an unknown account costs as much as a wrong password: the same parameters", async () => {
    for (const cost of [leastCost, { memoryCost: 64, timeCost: 3, parallelism: 2 }]) {
      const cheap = new PasswordHasher(1, 1, cost);
      expect(parseOptions(nobodyAt(cost))).toEqual(parseOptions(await cheap.hash("correct horse")));
      expect(await cheap.verify(undefined, "not a password")).toBe(false);
    }
  });

  it("cost what OWASP advises wherever nothing else was asked for: 19 MiB, two passes", async () => {
    const place = passingPlace();
    const instance = await startInstance({
      fingerprint: "test",
      realms: [accountsModule("shop")],
      settings: { ...testSettings, store: place.location },
      clock: systemClock,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      mail: deliveryTo(() => undefined),
    });
    await instance.ready;
    const response = await fetch(`${instance.url}/v1/shop/_auth/signup`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "ann@example.com", password: "correct horse" }),
    });
    expect(response.status).toBe(201);
    const user = await findByEmail(instance.store("shop"), "ann@example.com");
    expect(user?.password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await instance.stop(2_000);
    await place.discard();
  });

  it("sign-ups take half of the places, however many wait: a login is worked on at once", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held: unknown[] = [];
    const argon2: Argon2 = {
      hash: async (password) => {
        held.push(password);
        await released;
        return "a hash";
      },
      verify: async () => true,
    };
    const shared = new PasswordHasher(2, 64, leastCost, argon2);
    const signups = Array.from({ length: 60 }, (_, at) => shared.hashAtSignup(`sign-up ${at}`));
    expect(await shared.verify("a hash", "correct horse")).toBe(true);
    expect(held).toEqual(["sign-up 0"]);
    release();
    expect(await Promise.all(signups)).toEqual(Array(60).fill("a hash"));
    expect(held).toHaveLength(60);
  });

  it("what is no possible password never matches", async () => {
    expect(await hasher.verify(await hasher.hash("1234567"), "1234567")).toBe(false);
  });

  it("503 unavailable: too many password operations", async () => {
    const small = new PasswordHasher(1, 2);
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map(() => small.hash("correct horse")));
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    expect(results[4]).toMatchObject({
      reason: { status: 503, code: "unavailable", headers: { "retry-after": "1" } },
    });
    await expect(small.hash("correct horse")).resolves.toMatch(/^\$argon2id\$/);
  });

  it("work off the event loop, which goes round between any two of them", async () => {
    const alone = new PasswordHasher(1, 8);
    let rounds = 0;
    let working = true;
    const count = () => {
      rounds += 1;
      if (working) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 6 }, () => alone.hash("correct horse")));
    working = false;
    expect(rounds).toBeGreaterThanOrEqual(5);
  });
});
