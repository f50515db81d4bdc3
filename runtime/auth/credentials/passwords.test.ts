import { parseOptions } from "@node-rs/argon2";
import { describe, expect, it } from "vitest";
import { isPassword, nobody, PasswordHasher } from "./passwords.ts";

const hasher = new PasswordHasher(2, 8);

describe("Passwords", () => {
  it("have 8 to 256 characters, counted as code points", () => {
    expect(isPassword("1234567")).toBe(false);
    expect(isPassword("12345678")).toBe(true);
    expect(isPassword("🔑".repeat(7))).toBe(false);
    expect(isPassword("🔑".repeat(256))).toBe(true);
    expect(isPassword("x".repeat(257))).toBe(false);
  });

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
    expect(parseOptions(nobody)).toEqual(parseOptions(await hasher.hash("correct horse")));
    expect(await hasher.verify(undefined, "not a password")).toBe(false);
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
