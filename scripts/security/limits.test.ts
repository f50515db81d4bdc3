/** Unrestricted resource consumption: what is too large, too deep, too many or too often is refused, and changes nothing. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "../../runtime/auth/collections.ts";
import {
  type Accounts,
  type Person,
  password,
  startAccounts,
  text,
} from "../../runtime/auth/testing/accounts.ts";
import type { JsonObject, JsonValue } from "../../runtime/json.ts";

let server: Accounts;
let person: Person;
let operator: string;
beforeAll(async () => {
  server = await startAccounts({ cookie: { sameSite: "lax" }, email: { from: "noreply@example.com" } });
  person = await server.signup("person@example.com");
  operator = await server.adminKey();
});
afterAll(() => server.stop());

const long = "x".repeat(100_000);
const many = Array.from({ length: 20_000 }, (_, n) => `x${n}`);
const deep = (levels: number): JsonObject => (levels === 0 ? {} : { a: deep(levels - 1) });
const wide: JsonObject = Object.fromEntries(many.map((name) => [name, 1]));

const login = { email: "person@example.com", password: "wrong password" };
const account = { email: "new@example.com", password };

/** Who asks, where, and what of the body is beyond measure; `401` for what is only a wrong guess. */
const beyond: readonly (readonly [string, string, "public" | "person" | "operator", JsonObject, string])[] = [
  [
    "an address",
    "POST /_auth/signup",
    "public",
    { ...account, email: `${long}@example.com` },
    "validation_error",
  ],
  ["a password", "POST /_auth/signup", "public", { ...account, password: long }, "validation_error"],
  ["a locale", "POST /_auth/signup", "public", { ...account, locale: `en-${long}` }, "validation_error"],
  ["a profile", "POST /_auth/signup", "public", { ...account, profile: { a: long } }, "validation_error"],
  ["an invitation", "POST /_auth/signup", "public", { ...account, invitation: long }, "invalid_invitation"],
  ["a profile's depth", "POST /_auth/signup", "public", { ...account, profile: deep(80) }, "invalid_json"],
  ["members", "POST /_auth/login", "public", { ...login, ...wide }, "validation_error"],
  ["a password", "POST /_auth/login", "public", { ...login, password: long }, "invalid_credentials"],
  ["an address", "POST /_auth/login", "public", { ...login, email: long }, "invalid_credentials"],
  ["a code", "POST /_auth/login", "public", { ...login, code: long }, "invalid_credentials"],
  ["a token", "POST /_auth/password/reset", "public", { token: long, password }, "invalid_token"],
  ["a token", "POST /_auth/email/verify", "public", { token: long }, "invalid_token"],
  ["a profile", "PATCH /_auth/me", "person", { profile: { a: long } }, "validation_error"],
  ["a profile's width", "PATCH /_auth/me", "person", { profile: wide }, "validation_error"],
  [
    "a password",
    "POST /_auth/password/change",
    "person",
    { current: password, new: long },
    "validation_error",
  ],
  ["a code", "POST /_auth/reauth", "person", { code: long }, "invalid_credentials"],
  ["an address", "POST /_auth/email/change", "person", { email: long }, "validation_error"],
  ["roles", "POST /_admin/users", "operator", { ...account, roles: many }, "validation_error"],
  ["roles", "PATCH /_admin/users/{id}", "operator", { roles: many }, "validation_error"],
  ["roles", "POST /_admin/invitations", "operator", { roles: many }, "validation_error"],
  [
    "an expiry",
    "POST /_admin/invitations",
    "operator",
    { expires_in: "99999999999999999999d" },
    "validation_error",
  ],
  ["a name", "POST /_admin/keys", "operator", { name: long, scopes: {} }, "validation_error"],
  ["scopes", "POST /_admin/keys", "operator", { name: "k", scopes: { read: many } }, "validation_error"],
  [
    "networks",
    "POST /_admin/keys",
    "operator",
    { name: "k", scopes: {}, networks: many },
    "validation_error",
  ],
  ["areas", "POST /_admin/keys", "operator", { name: "k", admin: many }, "validation_error"],
  [
    "a secret's name",
    `PUT /_admin/secrets/${"x".repeat(100)}`,
    "operator",
    { value: "x" },
    "validation_error",
  ],
];

describe("Beyond measure", () => {
  it.each(beyond.map(([what, at, by, body, code]) => ({ what, at, by, body, code })))(
    "$what at $at",
    async ({ at, by, body, code }) => {
      const [method = "", path = ""] = at.split(" ");
      const token = by === "person" ? person.token : operator;
      const answer = await server.send(method, path.replace("{id}", person.id), {
        body,
        ...(by !== "public" && { token }),
      });
      expect(text(answer.body, "error", "code")).toBe(code);
      expect(answer.status).toBeLessThan(500);
      // An answer is no echo, and names a hundred problems at most.
      expect(JSON.stringify(answer.body).length).toBeLessThan(20_000);
    },
  );

  it("of all that nothing was stored", async () => {
    const store = server.store("shop");
    const count = async (name: string) => (await store.collection(name).scan(undefined, 100)).length;
    expect([
      await count(collections.users),
      await count(collections.keys),
      await count(collections.invitations),
      await count(collections.secrets),
    ]).toEqual([1, 1, 0, 0]);
  });

  it("a body beyond the instance's limit is refused on every route that takes one, before it is understood", async () => {
    const body = { email: "a".repeat(1_100_000) };
    for (const [method, path, token] of [
      ["POST", "/_auth/login", undefined],
      ["POST", "/_auth/signup", undefined],
      ["PATCH", "/_auth/me", person.token],
      ["POST", "/_admin/users", operator],
      ["PUT", "/_admin/config/app", operator],
      ["POST", "/_auth/logout", person.token],
    ] as const) {
      const answer = await server.send(method, path, { body, ...(token !== undefined && { token }) });
      expect([path, answer.status]).toEqual([path, 413]);
    }
  });

  it("headers, cookies and queries", async () => {
    const cookies = Array.from({ length: 800 }, (_, n) => `svc_session_sho${n}=svs_${n}`).join("; ");
    expect((await server.send("GET", "/_auth/me", { cookie: cookies })).status).toBe(401);
    const stale = Array.from({ length: 300 }, () => `svc_session_shop=svs_${"a".repeat(43)}`).join("; ");
    expect((await server.send("GET", "/_auth/me", { cookie: stale })).status).toBe(401);
    expect((await server.send("GET", "/_auth/me", { token: "x".repeat(30_000) })).status).toBe(401);
    expect((await server.send("GET", "/_auth/me", { token: "x".repeat(40_000) })).status).toBe(431);
    for (const query of [
      `q=${"x".repeat(10_000)}`,
      "limit=1000000",
      `after=${"x".repeat(10_000)}`,
      "limit=-1",
    ]) {
      const { status } = await server.send("GET", `/_admin/users?${query}`, { token: operator });
      expect([400, 200], query.slice(0, 20)).toContain(status);
      if (!query.startsWith("q=")) expect(status).toBe(400);
    }
    const agent = { "user-agent": "x".repeat(20_000) };
    const sent = { headers: agent, body: { email: "person@example.com", password } };
    expect((await server.send("POST", "/_auth/login", sent)).status).toBe(200);
    const { body } = await server.send("GET", "/_auth/sessions", { token: person.token });
    expect(JSON.stringify(body).length).toBeLessThan(2_000);
  });
});

describe("Too often", () => {
  it("mails to one recipient: three an hour, silently, whoever asks", async () => {
    const { email } = await server.signup("mailed@example.com");
    const forgot = (body: JsonValue) =>
      server.send("POST", "/_auth/password/forgot", { text: JSON.stringify(body) });
    for (let at = 0; at < 6; at += 1) expect((await forgot({ email: email.toUpperCase() })).status).toBe(202);
    await server.mailTo(email, 3);
    // Whatever comes of the rest has come before this mail.
    await forgot({ email: "person@example.com" });
    await server.mailTo("person@example.com", 1);
    expect(server.mails.filter(({ to }) => to === email)).toHaveLength(3);
  });

  it("guesses at a second factor, at proofs and at the current password, as at passwords", async () => {
    for (const { path, wrong, right } of [
      { path: "/_auth/reauth", wrong: { password: "wrong password" }, right: { password } },
      {
        path: "/_auth/password/change",
        wrong: { current: "wrong password", new: "a new password" },
        right: { current: password, new: "a new password" },
      },
    ]) {
      const { token } = await server.signup(`guessing${path.replaceAll("/", ".")}@example.com`);
      const statuses: number[] = [];
      for (let n = 0; n < 12; n += 1) {
        statuses.push((await server.send("POST", path, { token, body: wrong })).status);
      }
      expect(statuses, path).toEqual([...Array<number>(10).fill(401), 429, 429]);
      // The right one is told no more.
      expect((await server.send("POST", path, { token, body: right })).status).toBe(429);
    }
  });
});
