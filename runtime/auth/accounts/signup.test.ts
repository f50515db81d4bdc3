import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject } from "../../json.ts";
import type { Validator } from "../../realm/validator.ts";
import { type Accounts, day, origin, password, startAccounts } from "../testing/accounts.ts";

/** `{name: string}`, name required. */
const validateProfile: Validator = (data) => {
  const valid = isJsonObject(data) && typeof data["name"] === "string";
  validateProfile.errors = valid
    ? null
    : [{ instancePath: "", keyword: "required", params: { missingProperty: "name" } }];
  return valid;
};

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts({ defaultRoles: ["agent"], validateProfile, cookie: { sameSite: "lax" } });
});
afterAll(() => server.stop());

const signup = (
  body: Record<string, string | boolean | object | null>,
  headers: Record<string, string> = {},
) => server.send("POST", "/_auth/signup", { text: JSON.stringify(body), headers });

describe("POST /signup", () => {
  it("201 {user, session}, no-store", async () => {
    const profile = { name: "Ada" };
    const { status, body, headers } = await signup({
      email: "Ada@Example.com",
      password,
      locale: "de-ch",
      profile,
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      user: {
        id: expect.stringMatching(/^[0-9a-z]{20}$/),
        email: "Ada@Example.com",
        email_verified: false,
        locale: "de-CH",
        roles: ["agent"],
        profile,
        mfa: false,
        created_at: "2026-01-01T00:00:00.000Z",
      },
      session: {
        token: expect.stringMatching(/^svs_[A-Za-z0-9_-]{43}$/),
        id: expect.stringMatching(/^[0-9a-z]{20}$/),
        expires_at: new Date(server.clock.now() + 30 * day).toISOString(),
      },
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("set-cookie")).toBeNull();
  });

  it("the session works at once, and its user is who signed up", async () => {
    const person = await server.signup("bea@example.com");
    const { body } = await server.send("GET", "/whoami", { token: person.token });
    expect(body).toMatchObject({
      kind: "user",
      actor: `user:${person.id}`,
      credential: { kind: "session", id: person.session, cookie: false },
    });
  });

  it("409 email_taken: addresses compare case-insensitively", async () => {
    await server.signup("cleo@example.com");
    const { status, body } = await signup({ email: "CLEO@example.COM", password });
    expect(status).toBe(409);
    expect(body).toMatchObject({ error: { code: "email_taken" } });
  });

  it("of parallel sign-ups with one address exactly one succeeds, the others are 409 email_taken", async () => {
    const emails = ["dan@example.com", "Dan@example.com", "DAN@example.com", "dan@Example.com"];
    const answers = await Promise.all(emails.map((email) => signup({ email, password })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  it("one address may have an account in each realm", async () => {
    const here = await server.signup("eve@example.com", "shop");
    const there = await server.signup("eve@example.com", "other");
    expect(here.id).not.toBe(there.id);
  });

  it("400 validation_error with a detail per problem, together", async () => {
    const { status, body } = await signup({
      email: "nobody",
      password: "short",
      locale: "not a locale",
      profile: {},
      cookie: "yes",
      admin: true,
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: {
        code: "validation_error",
        details: [
          { path: "email", reason: "must be an e-mail address" },
          { path: "password", reason: "must have 8 to 256 characters" },
          { path: "locale", reason: "must be a language tag (BCP 47) such as de-CH" },
          { path: "profile.name", reason: "is required" },
          { path: "cookie", reason: "must be true or false" },
          { path: "admin", reason: "unknown member" },
        ],
      },
    });
  });

  it.each([
    ["no email", { password }, "email", "is required"],
    ["no password", { email: "x@example.com" }, "password", "is required"],
    ["email of another type", { email: 7, password }, "email", "must be a string"],
    [
      "password of 257 characters",
      { email: "x@example.com", password: "x".repeat(257) },
      "password",
      undefined,
    ],
    ["profile of another type", { email: "x@example.com", password, profile: [] }, "profile", undefined],
    ["roles", { email: "x@example.com", password, roles: ["boss"] }, "roles", "unknown member"],
    [
      "members of the prototype",
      { email: "x@example.com", password, constructor: 1 },
      "constructor",
      "unknown member",
    ],
    [
      "a profile beyond 16 KiB",
      { email: "x@example.com", password, profile: { name: "x".repeat(16_384) } },
      "profile",
      undefined,
    ],
  ])("400 validation_error: %s", async (_, body, path, reason) => {
    const answer = await server.send("POST", "/_auth/signup", { text: JSON.stringify(body) });
    expect(answer.status).toBe(400);
    const detail = { path, reason: reason ?? expect.any(String) };
    expect(answer.body).toMatchObject({ error: { code: "validation_error", details: [detail] } });
  });

  it("a body that is no JSON object is 400 invalid_json, another type 415, a query parameter 400", async () => {
    expect((await server.send("POST", "/_auth/signup", { text: "[]" })).body).toMatchObject({
      error: { code: "invalid_json" },
    });
    expect((await server.send("POST", "/_auth/signup")).body).toMatchObject({
      error: { code: "invalid_json" },
    });
    const form = { text: "email=x", headers: { "content-type": "application/x-www-form-urlencoded" } };
    expect((await server.send("POST", "/_auth/signup", form)).status).toBe(415);
    const { body } = await server.send("POST", "/_auth/signup?x=1", { body: {} });
    expect(body).toMatchObject({ error: { code: "invalid_query", details: [{ path: "x" }] } });
  });

  it("400 invalid_invitation: one that is none, also where none is needed", async () => {
    const { status, body } = await signup({ email: "fay@example.com", password, invitation: "svi_x" });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: "invalid_invitation" } });
  });

  it("ignores an invalid credential", async () => {
    const { status } = await signup(
      { email: "gil@example.com", password },
      { authorization: "Bearer svs_wrong" },
    );
    expect(status).toBe(201);
  });

  it("cookie: true puts the token into a cookie alone, for a listed origin", async () => {
    const { status, body, headers } = await signup(
      { email: "hal@example.com", password, cookie: true },
      { origin },
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({ session: { id: expect.any(String) } });
    expect(JSON.stringify(body)).not.toContain("svs_");
    expect(headers.get("set-cookie")).toMatch(
      /^svc_session_shop=svs_[A-Za-z0-9_-]{43}; Path=\/v1\/shop; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax$/,
    );
    const foreign = { origin: "https://evil.example" };
    expect((await signup({ email: "ida@example.com", password, cookie: true }, foreign)).status).toBe(403);
    expect((await signup({ email: "ida@example.com", password, cookie: true })).status).toBe(403);
  });
});

it("POST /signup: closed is 403 forbidden, whatever the body", async () => {
  const closed = await startAccounts({ signup: "closed" });
  try {
    const { status, body } = await closed.send("POST", "/_auth/signup", { text: "{" });
    expect(status).toBe(403);
    expect(body).toMatchObject({ error: { code: "forbidden" } });
  } finally {
    await closed.stop();
  }
});
