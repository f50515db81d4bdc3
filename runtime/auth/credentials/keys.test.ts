import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Accounts, day, type Person, startAccounts } from "../testing/accounts.ts";
import { changeUser } from "../users.ts";

let server: Accounts;
let ada: Person;
let key: string;
beforeAll(async () => {
  server = await startAccounts({ cookie: { sameSite: "lax" } });
  ada = await server.person("ada@example.com", ["agent", "boss"]);
  key = await server.key({ name: "delegate", admin: true, onBehalfOf: true, scopes: { read: "*" } });
});
afterAll(() => server.stop());

const acting = (behalf: string, token: string | undefined = key, realm = "shop") =>
  server.send(
    "GET",
    "/whoami",
    { headers: { "x-svc-on-behalf-of": behalf }, ...(token !== "" && { token }) },
    realm,
  );
const invalid = {
  status: 400,
  body: { error: { code: "invalid_header", details: [{ path: "X-Svc-On-Behalf-Of" }] } },
};
const unauthenticated = { status: 401, body: { error: { code: "unauthenticated" } } };
const forbidden = { status: 403, body: { error: { code: "forbidden" } } };

describe("Authentication 5: acting on behalf of a user", () => {
  it("the caller is the user, limited by the key, without its administration or theirs", async () => {
    const { status, body } = await acting(ada.id);
    expect(status).toBe(200);
    expect(body).toEqual({
      kind: "user",
      actor: `user:${ada.id}`,
      user: {
        id: ada.id,
        email: "ada@example.com",
        email_verified: false,
        roles: ["agent", "boss"],
        locale: null,
        mfa: false,
        created_at: expect.any(String),
        profile: null,
      },
      credential: {
        kind: "key",
        key: {
          kind: "key",
          actor: "key:delegate",
          keyId: expect.any(String),
          scopes: { read: "*" },
          administration: expect.objectContaining({ full: true }),
          delegates: true,
          expires: null,
        },
      },
    });
    // Without the header it is itself.
    expect((await server.send("GET", "/whoami", { token: key })).body).toMatchObject({
      actor: "key:delegate",
    });
  });

  it("no second factor, though the user has one", async () => {
    const { id } = await server.signup("bea@example.com");
    const totp = { secret: { key: "k", box: "b" }, step: 0, recovery: [] };
    await changeUser(server.store("shop"), id, (user) => ({ ...user, totp }));
    expect((await acting(id)).body).toMatchObject({ user: { id, mfa: false } });
  });

  it("403 on routes for sessions, and on administration", async () => {
    const headers = { "x-svc-on-behalf-of": ada.id };
    for (const [method, path] of [
      ["GET", "/_auth/me"],
      ["GET", "/_auth/sessions"],
      ["POST", "/_auth/logout"],
      ["GET", "/_admin/users"],
      ["GET", `/_admin/users/${ada.id}`],
    ] as const) {
      expect(await server.send(method, path, { token: key, headers })).toMatchObject(forbidden);
    }
  });

  it("400 for every other credential", async () => {
    const other = await server.key({ name: "no delegate", admin: true });
    for (const token of [other, ada.token, ""]) {
      expect(await acting(ada.id, token)).toMatchObject(invalid);
    }
    const login = await server.send("POST", "/_auth/login", {
      body: { email: "ada@example.com", password: "correct horse", cookie: true },
      headers: { origin: "https://app.example.com" },
    });
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
    const headers = { "x-svc-on-behalf-of": ada.id };
    expect(await server.send("GET", "/whoami", { cookie, headers })).toMatchObject(invalid);
  });

  it("400 for a user who is none, or none of this realm", async () => {
    const foreign = await server.signup("cleo@example.com", "other");
    const values = [
      foreign.id,
      "unknown",
      "",
      " ",
      "__proto__",
      "constructor",
      ada.email,
      `user:${ada.id}`,
      `${ada.id}, ${ada.id}`,
      ada.id.toUpperCase(),
      "x".repeat(129),
      "x".repeat(10_000),
      "a%20b",
    ];
    for (const value of values) expect(await acting(value)).toMatchObject(invalid);
    const twice = new Headers({ authorization: `Bearer ${key}` });
    twice.append("x-svc-on-behalf-of", ada.id);
    twice.append("x-svc-on-behalf-of", ada.id);
    expect((await fetch(`${server.url}/v1/shop/whoami`, { headers: twice })).status).toBe(400);
  });

  it("what is wrong with the credential itself is said first", async () => {
    const brief = await server.key({ name: "brief", onBehalfOf: true, expiresAt: server.clock.now() + day });
    const office = await server.key({ name: "office", onBehalfOf: true, networks: ["192.0.2.0/24"] });
    expect((await acting(ada.id, brief)).status).toBe(200);
    server.clock.advance(day);
    for (const behalf of [ada.id, "unknown", ""]) {
      expect(await acting(behalf, `svk_${"A".repeat(43)}`)).toMatchObject(unauthenticated);
      expect(await acting(behalf, brief)).toMatchObject(unauthenticated);
      expect(await acting(behalf, key, "other")).toMatchObject(unauthenticated);
      expect(await acting(behalf, office)).toMatchObject(forbidden);
    }
  });

  it("403 for a disabled user, and every change counts at the very next request", async () => {
    const { id } = await server.signup("dan@example.com");
    const change = (changed: { readonly disabled: boolean }) =>
      changeUser(server.store("shop"), id, (user) => ({ ...user, ...changed }));
    expect((await acting(id)).status).toBe(200);
    await change({ disabled: true });
    expect(await acting(id)).toMatchObject(forbidden);
    await change({ disabled: false });
    await server.giveRoles(id, ["agent"]);
    expect((await acting(id)).body).toMatchObject({ user: { roles: ["agent"] } });
    await server.store("shop").collection("_svc.users").remove(id);
    expect(await acting(id)).toMatchObject(invalid);
  });

  it("a key that is replaced acts for nobody at the very next request", async () => {
    const former = await server.key({ name: "rotated", onBehalfOf: true });
    expect((await acting(ada.id, former)).status).toBe(200);
    const next = await server.key({ name: "rotated", replace: true });
    expect(await acting(ada.id, former)).toMatchObject(unauthenticated);
    expect(await acting(ada.id, next)).toMatchObject(invalid);
  });
});
