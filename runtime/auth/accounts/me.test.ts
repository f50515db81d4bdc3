import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject } from "../../json.ts";
import type { Validator } from "../../realm/validator.ts";
import { type Accounts, startAccounts } from "../testing/accounts.ts";

/** `age`, where there is one, is a number. */
const validateProfile: Validator = (data) => {
  const valid = isJsonObject(data) && (data["age"] === undefined || typeof data["age"] === "number");
  validateProfile.errors = valid
    ? null
    : [{ instancePath: "/age", keyword: "type", params: { type: "number" } }];
  return valid;
};

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts({ validateProfile });
});
afterAll(() => server.stop());

describe("GET /me", () => {
  it("200 the user, no-store", async () => {
    const person = await server.signup("ada@example.com", "shop", { locale: "fr", profile: { age: 36 } });
    const { status, body, headers } = await server.send("GET", "/_auth/me", { token: person.token });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: person.id,
      email: "ada@example.com",
      email_verified: false,
      locale: "fr",
      roles: [],
      profile: { age: 36 },
      mfa: false,
      created_at: expect.any(String),
    });
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("401 without a session, 403 for an API key, 400 for a query parameter", async () => {
    expect((await server.send("GET", "/_auth/me")).body).toMatchObject({
      error: { code: "unauthenticated" },
    });
    const key = await server.key({ name: "me", admin: true });
    expect((await server.send("GET", "/_auth/me", { token: key })).body).toMatchObject({
      error: { code: "forbidden" },
    });
    const { token } = await server.signup("bea@example.com");
    expect((await server.send("GET", "/_auth/me?fields=id", { token })).status).toBe(400);
  });
});

describe("PATCH /me", () => {
  let refused = 0;
  const patch = (token: string, text: string, type = "application/merge-patch+json") =>
    server.send("PATCH", "/_auth/me", { token, text, headers: { "content-type": type } });

  it("is a merge patch of locale and profile, by either media type", async () => {
    const { token } = await server.signup("cleo@example.com", "shop", {
      profile: { age: 20, city: { name: "Rom" } },
    });
    const merged = await patch(token, '{"locale":"it-IT","profile":{"age":null,"city":{"zip":"00118"}}}');
    expect(merged.status).toBe(200);
    expect(merged.body).toMatchObject({ locale: "it-IT", profile: { city: { name: "Rom", zip: "00118" } } });
    expect(merged.body["profile"]).not.toHaveProperty("age");
    const again = await patch(token, '{"profile":{"age":21}}', "application/json");
    expect(again.body).toMatchObject({ locale: "it-IT", profile: { age: 21, city: { name: "Rom" } } });
    const emptied = await patch(token, '{"locale":null,"profile":null}');
    expect(emptied.body).toMatchObject({ locale: null, profile: null });
    expect((await patch(token, "{}")).body).toEqual(emptied.body);
    expect((await server.send("GET", "/_auth/me", { token })).body).toEqual(emptied.body);
  });

  it("counts at the very next request", async () => {
    const { token } = await server.signup("dan@example.com");
    await server.send("GET", "/whoami", { token });
    await patch(token, '{"locale":"nl"}');
    expect((await server.send("GET", "/whoami", { token })).body).toMatchObject({ user: { locale: "nl" } });
  });

  it("400 validation_error for a profile that would not fit, and nothing is changed", async () => {
    const { token } = await server.signup("eve@example.com", "shop", { profile: { age: 5 } });
    const { status, body } = await patch(token, '{"locale":"nl","profile":{"age":"six"}}');
    expect(status).toBe(400);
    const details = [{ path: "profile.age", reason: "must be number" }];
    expect(body).toMatchObject({ error: { code: "validation_error", details } });
    const me = await server.send("GET", "/_auth/me", { token });
    expect(me.body).toMatchObject({ locale: null, profile: { age: 5 } });
  });

  it.each([
    ["email", '{"email":"x@example.com"}'],
    ["roles", '{"roles":["boss"]}'],
    ["email_verified", '{"email_verified":true}'],
    ["locale", '{"locale":"english please"}'],
    ["locale", '{"locale":7}'],
    ["profile", '{"profile":"x"}'],
    ["profile", `{"profile":{"x":"${"x".repeat(16_384)}"}}`],
    ["profile.$x", '{"profile":{"$x":1}}'],
  ])("400 validation_error: %s cannot be set so", async (path, text) => {
    refused += 1;
    const { token } = await server.signup(`refused${refused}@example.com`);
    const { status, body } = await patch(token, text);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: "validation_error", details: [{ path }] } });
  });

  it("members named like those of prototypes are plain data", async () => {
    const { token } = await server.signup("fay@example.com");
    const { body } = await patch(token, '{"profile":{"__proto__":{"age":1},"constructor":2}}');
    expect(JSON.stringify(body["profile"])).toBe('{"__proto__":{"age":1},"constructor":2}');
  });

  it("another media type is 415", async () => {
    const { token } = await server.signup("gil@example.com");
    expect((await patch(token, "{}", "text/plain")).status).toBe(415);
  });
});
