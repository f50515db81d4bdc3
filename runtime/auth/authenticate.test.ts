import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listDocuments } from "../documents/routes/list.ts";
import { trustHops } from "../http/address.ts";
import type { Observer } from "../http/dispatcher.ts";
import { exchangeBytes, parseResponse } from "../http/testing/server.ts";
import { shopModule } from "../instance/testing/fixture.ts";
import { startRealm } from "../instance/testing/servers.ts";
import { isJsonObject } from "../json.ts";
import { readSession, writeSession } from "./records.ts";
import { type Accounts, day, origin, password, startAccounts } from "./testing/accounts.ts";
import { changeUser } from "./users.ts";

let server: Accounts;
/** Of answered requests, as the log of requests hears of them. */
const callers: (string | undefined)[] = [];
beforeAll(async () => {
  const observe: Observer = ({ caller }) => callers.push(caller?.actor);
  server = await startAccounts(
    { cookie: { sameSite: "lax" } },
    { settings: { addressOf: trustHops(1) }, observe },
  );
});
afterAll(() => server.stop());

const whoami = (headers: Record<string, string> = {}, method = "GET") =>
  server.send(method, "/whoami", { headers });
const unauthenticated = { status: 401, body: { error: { code: "unauthenticated" } } };
const forbidden = { status: 403, body: { error: { code: "forbidden" } } };

async function cookieOf(email: string): Promise<string> {
  const { headers } = await server.send("POST", "/_auth/login", {
    body: { email, password, cookie: true },
    headers: { origin },
  });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

describe("Authentication 1: Bearer session tokens and API keys", () => {
  it("a session is its user, a key is itself, neither is anonymous", async () => {
    const { id, session, token } = await server.signup("ada@example.com", "shop", { locale: "en" });
    expect((await whoami({ authorization: `Bearer ${token}` })).body).toEqual({
      kind: "user",
      actor: `user:${id}`,
      user: {
        id,
        email: "ada@example.com",
        email_verified: false,
        roles: [],
        locale: "en",
        mfa: false,
        created_at: expect.any(String),
        profile: null,
      },
      credential: {
        kind: "session",
        id: session,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        expires: server.clock.now() + 30 * day,
        cookie: false,
        lapsed: false,
      },
    });
    const key = await server.key({ name: "reader", scopes: { read: ["shop/orders"] } });
    expect((await whoami({ authorization: `bearer  ${key} ` })).body).toEqual({
      kind: "key",
      actor: "key:reader",
      keyId: expect.any(String),
      scopes: { read: ["shop/orders"] },
      delegates: false,
      expires: null,
    });
    expect((await whoami()).body).toEqual({ kind: "anonymous", actor: "anonymous" });
    expect(callers.slice(-3)).toEqual([`user:${id}`, "key:reader", "anonymous"]);
    expect((await whoami({ authorization: "Bearer svs_nobody" })).status).toBe(401);
    expect(callers.at(-1)).toBeUndefined();
  });
});

describe("Authentication 4: what is no valid credential is 401 unauthenticated, also where anonymous callers may", () => {
  it.each([
    ["another scheme", "Basic YWRhOnB3"],
    ["no scheme", `svs_${"A".repeat(43)}`],
    ["nothing", ""],
    ["no token", "Bearer"],
    ["an empty token", "Bearer "],
    ["another token", "Bearer abc"],
    ["an unknown session", `Bearer svs_${"A".repeat(43)}`],
    ["an unknown key", `Bearer svk_${"A".repeat(43)}`],
    ["an invitation", `Bearer svi_${"A".repeat(43)}`],
    ["a proof of identity", `Bearer svp_${"A".repeat(43)}`],
    ["a mailed token", `Bearer svt_${"A".repeat(43)}`],
    ["a token in upper case", `Bearer SVS_${"A".repeat(43)}`],
    ["a tab for a space", `Bearer\tsvs_${"A".repeat(43)}`],
    ["a longer token", `Bearer svs_${"A".repeat(44)}`],
    ["a huge token", `Bearer svs_${"A".repeat(10_000)}`],
    ["two tokens", `Bearer svs_${"A".repeat(43)}, Bearer svs_${"A".repeat(43)}`],
  ])("%s", async (_, authorization) => {
    const answer = await whoami({ authorization });
    expect(answer).toMatchObject(unauthenticated);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("a token is good in its own realm alone, and for what it is alone", async () => {
    const { token } = await server.signup("bea@example.com");
    const key = await server.key({ name: "here" });
    expect(await server.send("GET", "/whoami", { token }, "other")).toMatchObject(unauthenticated);
    expect(await server.send("GET", "/whoami", { token: key }, "other")).toMatchObject(unauthenticated);
    expect(await whoami({ authorization: `Bearer ${token.replace("svs", "svk")}` })).toMatchObject(
      unauthenticated,
    );
    expect(await whoami({ authorization: `Bearer ${key.replace("svk", "svs")}` })).toMatchObject(
      unauthenticated,
    );
  });

  it("the same token after another kind's prefix is nobody's", async () => {
    const { token } = await server.signup("bob@example.com");
    for (const kind of ["svi", "svp", "svt"]) {
      expect(await whoami({ authorization: `Bearer ${token.replace("svs", kind)}` })).toMatchObject(
        unauthenticated,
      );
    }
  });

  it("the scheme is read in any case, spaces around the token are not part of it", async () => {
    const { token } = await server.signup("cid@example.com");
    for (const authorization of [`bearer ${token}`, `BEARER   ${token}`, `Bearer ${token}   `]) {
      expect((await whoami({ authorization })).body).toMatchObject({ kind: "user" });
    }
    for (const authorization of [`Bearer${token}`, `Bearer ${token} x`, `Bearer "${token}"`, token]) {
      expect(await whoami({ authorization })).toMatchObject(unauthenticated);
    }
  });

  it("two Authorization headers are none of both", async () => {
    const { token } = await server.signup("cara@example.com");
    const port = Number(new URL(server.url).port);
    const header = `Authorization: Bearer ${token}\r\n`;
    const ask = async (headers: string) => {
      const start = "GET /v1/shop/whoami HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
      return parseResponse(await exchangeBytes(port, `${start}${headers}\r\n`)).status;
    };
    expect(await ask(header)).toBe(200);
    expect(await ask(header + header)).toBe(401);
    expect(await ask(`${header}authorization: Basic YTpi\r\n`)).toBe(401);
    expect(await ask(`Authorization:\r\n${header}`)).toBe(401);
  });

  it("a stored hash is no credential", async () => {
    const { session } = await server.signup("cleo@example.com");
    const [record] = await records(server, "_svc.sessions", session);
    expect(record).toBeDefined();
    expect(await whoami({ authorization: `Bearer ${record?.id}` })).toMatchObject(unauthenticated);
    expect(await whoami({ authorization: `Bearer svs_${record?.id.slice(0, 43)}` })).toMatchObject(
      unauthenticated,
    );
  });

  it("revocation counts at the very next request, whoever revoked", async () => {
    const { session, token } = await server.signup("dan@example.com");
    for (let n = 0; n < 3; n += 1)
      expect((await whoami({ authorization: `Bearer ${token}` })).status).toBe(200);
    const [record] = await records(server, "_svc.sessions", session);
    await server
      .store("shop")
      .collection("_svc.sessions")
      .remove(record?.id ?? "");
    expect(await whoami({ authorization: `Bearer ${token}` })).toMatchObject(unauthenticated);
  });

  it("roles and disabling count at the very next request", async () => {
    const { id, token } = await server.signup("dot@example.com");
    const who = () => whoami({ authorization: `Bearer ${token}` });
    expect((await who()).body).toMatchObject({ user: { roles: [] } });
    await server.giveRoles(id, ["agent", "boss", "no longer a role"]);
    const { body } = await who();
    expect(body).toMatchObject({
      user: { roles: ["agent", "boss"] },
      credential: { administration: { full: true } },
    });
    await server.giveRoles(id, []);
    expect((await who()).body["credential"]).not.toHaveProperty("administration");
    await changeUser(server.store("shop"), id, (user) => ({ ...user, disabled: true }));
    expect(await who()).toMatchObject(unauthenticated);
    await changeUser(server.store("shop"), id, (user) => ({ ...user, disabled: false }));
    expect((await who()).status).toBe(200);
    await changeUser(server.store("shop"), id, (user) => ({ ...user, generation: user.generation + 1 }));
    expect(await who()).toMatchObject(unauthenticated);
    await changeUser(server.store("shop"), id, (user) => ({ ...user, generation: user.generation - 1 }));
    await server.store("shop").collection("_svc.users").remove(id);
    expect(await who()).toMatchObject(unauthenticated);
  });

  it("a session counts as second-factor while its user has one", async () => {
    const { id, session, token } = await server.signup("dia@example.com");
    const mfa = async () => {
      const { body } = await whoami({ authorization: `Bearer ${token}` });
      return isJsonObject(body["user"]) && body["user"]["mfa"];
    };
    const [record] = await records(server, "_svc.sessions", session);
    if (record === undefined) throw new Error("no session");
    const stored = readSession(record);
    const changed = writeSession({ ...stored.record, mfa: true }, stored.version + 1);
    await server.store("shop").collection("_svc.sessions").replace(stored.version, changed);
    expect(await mfa()).toBe(false);
    const totp = { secret: { key: "k", box: "b" }, step: 0, recovery: [] };
    await changeUser(server.store("shop"), id, (user) => ({ ...user, totp }));
    expect(await mfa()).toBe(true);
    const { token: without } = await server.signup("dia2@example.com");
    expect((await whoami({ authorization: `Bearer ${without}` })).body).toMatchObject({
      user: { mfa: false },
    });
    await changeUser(server.store("shop"), id, (user) => ({ ...user, totp: null }));
    expect(await mfa()).toBe(false);
  });
});

describe("Authentication 3: networks and expiry of API keys", () => {
  const from = (key: string, address: string) =>
    whoami({ authorization: `Bearer ${key}`, "x-forwarded-for": address });

  it("a key from a network not its own is 403", async () => {
    const key = await server.key({
      name: "office",
      networks: ["192.0.2.0/24", "2001:db8::/32", "198.51.100.7"],
    });
    for (const address of ["192.0.2.77", "::ffff:192.0.2.1", "2001:db8:1::1", "198.51.100.7"]) {
      expect((await from(key, address)).status).toBe(200);
    }
    for (const address of ["192.0.3.1", "2001:db9::1", "198.51.100.8", "::1"]) {
      expect(await from(key, address)).toMatchObject(forbidden);
    }
  });

  it("X-Forwarded-For counts as far as SVC_TRUST_PROXY says", async () => {
    const key = await server.key({ name: "proxied", networks: ["192.0.2.0/24"] });
    // The proxy that connects to us adds the last; what stands before it is the client's own claim.
    expect((await from(key, "203.0.113.1, 192.0.2.1")).status).toBe(200);
    expect(await from(key, "192.0.2.1, 203.0.113.1")).toMatchObject(forbidden);
    expect(await from(key, "nonsense")).toMatchObject(forbidden);
    const alone = await startAccounts();
    try {
      const outside = await alone.key({ name: "outside", networks: ["192.0.2.0/24"] });
      const local = await alone.key({ name: "local", networks: ["127.0.0.0/8"] });
      const headers = { "x-forwarded-for": "192.0.2.1" };
      expect(await alone.send("GET", "/whoami", { token: outside, headers })).toMatchObject(forbidden);
      expect((await alone.send("GET", "/whoami", { token: local, headers })).status).toBe(200);
    } finally {
      await alone.stop();
    }
  });

  it("a key that expires is 401 from then on", async () => {
    const key = await server.key({ name: "brief", expiresAt: server.clock.now() + day });
    server.clock.advance(day - 1);
    expect((await from(key, "192.0.2.1")).status).toBe(200);
    server.clock.advance(1);
    expect(await from(key, "192.0.2.1")).toMatchObject(unauthenticated);
  });

  it("a replaced key is 401 at the very next request", async () => {
    const former = await server.key({ name: "rotated" });
    expect((await from(former, "192.0.2.1")).status).toBe(200);
    const key = await server.key({ name: "rotated", replace: true });
    expect(await from(former, "192.0.2.1")).toMatchObject(unauthenticated);
    expect((await from(key, "192.0.2.1")).status).toBe(200);
  });
});

describe("Authentication 6: session cookies", () => {
  it("a cookie reads without an Origin, and writes only with a listed one", async () => {
    const { id } = await server.signup("fay@example.com");
    const cookie = await cookieOf("fay@example.com");
    expect((await whoami({ cookie })).body).toMatchObject({
      kind: "user",
      actor: `user:${id}`,
      credential: { kind: "session", cookie: true },
    });
    expect((await whoami({ cookie }, "HEAD")).status).toBe(200);
    expect((await whoami({ cookie, origin }, "POST")).body).toMatchObject({ actor: `user:${id}` });
    const others = [
      "https://evil.example",
      `${origin}.evil.example`,
      `${origin}:8443`,
      "null",
      "",
      origin.toUpperCase(),
    ];
    for (const other of others) {
      expect(await whoami({ cookie, origin: other }, "POST")).toMatchObject(forbidden);
    }
    expect(await whoami({ cookie }, "POST")).toMatchObject(forbidden);
    for (const [method, path] of [
      ["PATCH", "/_auth/me"],
      ["DELETE", "/_auth/sessions"],
      ["POST", "/_auth/logout"],
    ] as const) {
      expect(await server.send(method, path, { cookie })).toMatchObject(forbidden);
    }
  });

  it("the header beats the cookie, and needs no Origin", async () => {
    await server.signup("gil@example.com");
    const hal = await server.signup("hal@example.com");
    const cookie = await cookieOf("gil@example.com");
    const authorization = `Bearer ${hal.token}`;
    const { body } = await whoami({ cookie, authorization }, "POST");
    expect(body).toMatchObject({ actor: `user:${hal.id}`, credential: { cookie: false } });
    expect(await whoami({ cookie, authorization: "Bearer x" })).toMatchObject(unauthenticated);
  });

  it("a stale cookie counts as none, also on writes", async () => {
    await server.signup("ida@example.com");
    const cookie = await cookieOf("ida@example.com");
    await server.send("POST", "/_auth/logout", { cookie, headers: { origin } });
    for (const stale of [
      cookie,
      "svc_session_shop=",
      "svc_session_shop=x",
      `svc_session_shop=svs_${"A".repeat(43)}`,
    ]) {
      expect((await whoami({ cookie: stale })).body).toMatchObject({ kind: "anonymous" });
      expect((await whoami({ cookie: stale }, "POST")).body).toMatchObject({ kind: "anonymous" });
    }
  });

  it("a cookie holds sessions of its own realm alone, never keys", async () => {
    await server.signup("jan@example.com");
    const cookie = await cookieOf("jan@example.com");
    const other = await server.send("GET", "/whoami", { cookie: cookie.replace("shop", "other") }, "other");
    expect(other.body).toMatchObject({ kind: "anonymous" });
    expect((await server.send("GET", "/whoami", { cookie }, "other")).body).toMatchObject({
      kind: "anonymous",
    });
    const key = await server.key({ name: "baked" });
    expect((await whoami({ cookie: `svc_session_shop=${key}` })).body).toMatchObject({ kind: "anonymous" });
  });

  it("where cookies are off they are not looked at", async () => {
    const off = await startAccounts();
    try {
      const { token } = await off.signup("kim@example.com");
      const { body } = await off.send("GET", "/whoami", { cookie: `svc_session_shop=${token}` });
      expect(body).toMatchObject({ kind: "anonymous" });
    } finally {
      await off.stop();
    }
  });
});

describe("Authentication 2: realms with auth: disabled", () => {
  it("look at no credential on documents", async () => {
    const open = shopModule({});
    const [items] = open.definition.collections;
    if (items === undefined) throw new Error("no collection");
    const routes = [{ "/v1/shop/main/items": { GET: listDocuments(items) } }];
    const running = await startRealm({ ...open, routes });
    try {
      for (const headers of [
        { authorization: `Bearer svk_${"A".repeat(43)}` },
        { authorization: "Basic YTpi" },
        { authorization: "", cookie: "svc_session_shop=x" },
        { "x-svc-on-behalf-of": "somebody" },
      ]) {
        expect((await fetch(`${running.url}/v1/shop/main/items`, { headers })).status).toBe(200);
      }
    } finally {
      await running.stop();
    }
  });

  it("know API keys of their own alone, where administration asks", async () => {
    const who = (headers: Record<string, string>) => server.send("GET", "/whoami", { headers }, "plain");
    const { token } = await server.signup("lea@example.com");
    const key = await server.key({ name: "own", onBehalfOf: true }, "plain");
    const foreign = await server.key({ name: "foreign" });
    expect((await who({ authorization: `Bearer ${key}` })).body).toMatchObject({ actor: "key:own" });
    expect(await who({ authorization: `Bearer ${foreign}` })).toMatchObject(unauthenticated);
    expect(await who({ authorization: `Bearer ${token}` })).toMatchObject(unauthenticated);
    expect((await who({ cookie: `svc_session_plain=${token}` })).body).toMatchObject({ kind: "anonymous" });
    const acting = await who({ authorization: `Bearer ${key}`, "x-svc-on-behalf-of": "u1" });
    expect(acting).toMatchObject({ status: 400, body: { error: { code: "invalid_header" } } });
  });
});

async function records({ store }: Accounts, collection: string, text: string) {
  const found = await store("shop")
    .collection(collection)
    .find({ filter: { op: "true" }, visibility: "live", limit: 1_000, skip: 0 });
  return found.filter((record) => record.text.includes(text));
}
