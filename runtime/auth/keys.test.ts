import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TRUE } from "../filter/algebra.ts";
import { testPlace } from "../store/testing/stores.ts";
import { InvalidKey, KeyNameTaken, type NewKey } from "./keys.ts";
import { type Accounts, password, startAccounts } from "./testing/accounts.ts";

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts();
});
afterAll(() => server.stop());

const texts = async (collection: string): Promise<string[]> => {
  const all = { filter: TRUE, visibility: "all", limit: 1_000, skip: 0 } as const;
  return (await server.store("shop").collection(collection).find(all)).map(({ text }) => text);
};

describe("createKey", () => {
  it("gives the key once", async () => {
    expect(await server.key({ name: "once" })).toMatch(/^svk_[A-Za-z0-9_-]{43}$/);
  });

  it("names are unique in a realm; replacing ends the former key", async () => {
    const former = await server.key({ name: "unique" });
    await expect(server.key({ name: "unique" })).rejects.toThrow(/a key named "unique" exists/);
    await server.key({ name: "unique" }, "other");
    const key = await server.key({ name: "unique", replace: true });
    expect((await server.send("GET", "/whoami", { token: former })).status).toBe(401);
    expect((await server.send("GET", "/whoami", { token: key })).status).toBe(200);
    await server.key({ name: "new", replace: true });
  });

  it("of two made at once with one name one is refused", async () => {
    const results = await Promise.allSettled([server.key({ name: "race" }), server.key({ name: "race" })]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: expect.any(KeyNameTaken),
    });
  });

  it.each<[string, Partial<NewKey>, RegExp]>([
    ["an empty name", { name: "" }, /1 to 100 characters/],
    ["a long name", { name: "x".repeat(101) }, /1 to 100 characters/],
    ["a name with a line break", { name: "a\nb" }, /no control characters/],
    ["a name with a space at its end", { name: "a " }, /no space at its ends/],
    [
      "a network that is none",
      { networks: ["10.0.0.0/33"] },
      /is neither an IP address nor a network such as 10.0.0.0\/8: "10.0.0.0\/33"/,
    ],
    ["a short address", { networks: ["10.1"] }, /"10.1"/],
    ["a host name", { networks: ["example.com"] }, /"example.com"/],
    ["no network at all", { networks: [] }, /networks must name 1 to 100 networks/],
    ["too many networks", { networks: Array(101).fill("::1") }, /networks must name 1 to 100 networks/],
    ["an expiry in the past", { expiresAt: 1 }, /expires_at must be in the future/],
    ["an expiry that is no time", { expiresAt: Number.NaN }, /expires_at must be before the year 10000/],
    [
      "an expiry of five digits",
      { expiresAt: Date.UTC(10_000, 0) },
      /expires_at must be before the year 10000/,
    ],
    ["malformed scopes", { scopes: { read: ["a/b/c"] } }, /scopes.read.0 names no database or collection/],
  ])("refuses %s", async (_, key, message) => {
    const result = server.key({ name: "refused", ...key });
    await expect(result).rejects.toThrow(InvalidKey);
    await expect(result).rejects.toThrow(message);
  });

  it("is recorded in the audit trail", async () => {
    await server.key({ name: "audited", admin: true });
    server.clock.advance(1);
    await server.key({ name: "audited", scopes: {}, replace: true });
    const records = (await texts("_svc.audit")).filter((text) => text.includes("key:audited"));
    expect(records.map((text) => JSON.parse(text))).toMatchObject([
      {
        action: "key.create",
        actor: "command-line",
        details: { admin: true, scopes: null, on_behalf_of: false },
      },
      { action: "key.replace", actor: "command-line", details: { admin: false, scopes: {} } },
    ]);
  });
});

it("Only hashes are stored: no token, key or password occurs in what the store holds", async () => {
  const place = testPlace();
  const stored = await startAccounts({}, { settings: { store: place.location } });
  try {
    const person = await stored.signup("ada@example.com");
    const other = await stored.login("ada@example.com");
    const key = await stored.key({ name: "secret", admin: true });
    await stored.send("PATCH", `/_admin/users/${person.id}`, { token: key, body: { roles: ["agent"] } });
    await stored.send("POST", "/_auth/login", {
      body: { email: "ada@example.com", password: "wrong horse" },
    });
    const bytes = await place.bytes();
    expect(bytes.includes(person.session)).toBe(true);
    for (const secret of [person.token, other.token, key, password, "wrong horse"]) {
      expect(bytes.includes(secret.replace(/^sv._/, ""))).toBe(false);
    }
  } finally {
    await stored.stop();
    await place.discard();
  }
});
