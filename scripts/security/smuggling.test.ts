/**
 * Headers that two parties could read differently, on a raw socket: each request is refused, or read in the one way that
 * gives nobody more than they hold.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "../../runtime/auth/collections.ts";
import {
  type Accounts,
  minute,
  origin,
  type Person,
  password,
  startAccounts,
} from "../../runtime/auth/testing/accounts.ts";
import { parseNetwork, trustHops, trustNetworks } from "../../runtime/http/address.ts";
import { exchangeBytes, parseResponse } from "../../runtime/http/testing/server.ts";

let server: Accounts;
let one: Person;
let other: Person;
let key: string;
beforeAll(async () => {
  server = await startAccounts({ cookie: { sameSite: "lax" } });
  one = await server.signup("one@example.com");
  other = await server.signup("other@example.com");
  key = await server.key({ name: "acting", onBehalfOf: true });
});
afterAll(() => server.stop());

async function raw(lines: readonly string[], at: Pick<Accounts, "url"> = server) {
  const bytes = [...lines, "Host: x", "Connection: close", "", ""].join("\r\n");
  return parseResponse(await exchangeBytes(Number(new URL(at.url).port), Buffer.from(bytes, "latin1")));
}

/** Who `/whoami` sees: the actor, or the status and code of a refusal. */
async function who(...headers: readonly string[]): Promise<string> {
  const { status, body } = await raw(["GET /v1/shop/whoami HTTP/1.1", ...headers]);
  const answer = JSON.parse(body);
  return status === 200 ? (answer.actor ?? answer.kind) : `${status} ${answer.error.code}`;
}

const bearer = (token: string) => `Authorization: Bearer ${token}`;

describe("Credentials", () => {
  it("sent twice are none", async () => {
    expect(await who(bearer(one.token))).toBe(`user:${one.id}`);
    for (const second of [bearer(other.token), bearer(key), "Authorization: Basic eDp5", "authorization: "]) {
      expect(await who(bearer(one.token), second)).toBe("401 unauthenticated");
      expect(await who(second, bearer(one.token))).toBe("401 unauthenticated");
    }
    expect(await who(`${bearer(one.token)}, Bearer ${other.token}`)).toBe("401 unauthenticated");
    expect(await who(`${bearer(one.token)},`)).toBe("401 unauthenticated");
  });

  it.each([
    ["folded", "Authorization: Bearer\r\n {token}"],
    ["with a space before the colon", "Authorization : Bearer {token}"],
    ["with a NUL", "Authorization: Bearer {token}\0"],
    ["with a line feed alone", "Authorization: Bearer {token}\n X-Other: 1"],
    ["with a control character in the name", "Author\x01ization: Bearer {token}"],
  ])("%s are no request at all", async (_what, header) => {
    expect(await who(header.replace("{token}", one.token))).toBe("400 bad_request");
  });

  it.each([
    "Authorization: {token}",
    "Authorization: Bearer",
    "Authorization: Bearer  ",
    "Authorization: Token {token}",
    "Authorization: Bearer {token} {token}",
    "Authorization: Bearer {token};x",
    "Authorization: Bearer\u00a0{token}",
    "Authorization: Bearer {token}\u00a0",
    'Authorization: "Bearer {token}"',
  ])("in another form are none: %s", async (header) => {
    expect(await who(header.replaceAll("{token}", one.token))).toBe("401 unauthenticated");
  });

  it("in headers that proxies understand, in the query and in the path are none", async () => {
    for (const header of [
      "Proxy-Authorization",
      "X-Authorization",
      "X-Forwarded-Authorization",
      "X-Api-Key",
      "X-User",
      "X-Forwarded-User",
    ]) {
      expect(await who(`${header}: Bearer ${one.token}`)).toBe("anonymous");
    }
    const target = `GET /v1/shop/_auth/me?access_token=${one.token} HTTP/1.1`;
    expect((await raw([target])).status).toBe(401);
    expect((await raw([`GET http://user:${one.token}@x/v1/shop/_auth/me HTTP/1.1`])).status).toBe(401);
  });

  it("cookies: of several of one name, none becomes somebody whose cookie was not sent", async () => {
    const cookie = (token: string) => `svc_session_shop=${token}`;
    expect(await who(`Cookie: ${cookie(one.token)}`)).toBe(`user:${one.id}`);
    const both = await who(`Cookie: ${cookie(one.token)}; ${cookie(other.token)}`);
    expect([`user:${one.id}`, `user:${other.id}`, "anonymous"]).toContain(both);
    expect(await who(`Cookie: ${cookie(one.token)}`, `Cookie: ${cookie(other.token)}`)).toBe(both);
    expect(await who(`Cookie: x${cookie(one.token)}`)).toBe("anonymous");
    expect(await who(`Cookie: svc_session_other=${one.token}`)).toBe("anonymous");
    expect(await who(`Cookie: SVC_SESSION_SHOP=${one.token}`)).toBe("anonymous");
  });
});

describe("Acting for a user", () => {
  it("names one user, in one header, exactly", async () => {
    const acting = (id: string) => `X-Svc-On-Behalf-Of: ${id}`;
    expect(await who(bearer(key), acting(one.id))).toBe(`user:${one.id}`);
    expect(await who(bearer(key), `${acting(one.id)}  `)).toBe(`user:${one.id}`);
    for (const headers of [
      [acting(one.id), acting(other.id)],
      [acting(one.id), acting(one.id)],
      [acting(one.id), acting("")],
      [`${acting(one.id)}, ${other.id}`],
      [acting("")],
      [acting(one.email)],
      [acting(`user:${one.id}`)],
      [acting(one.id.toUpperCase())],
      [acting("x".repeat(20_000))],
      [acting("../users")],
    ]) {
      expect(await who(bearer(key), ...headers), headers.join().slice(0, 80)).toBe("400 invalid_header");
    }
    // A proxy that drops headers with underscores, or does not, changes nothing.
    expect(await who(bearer(key), `X_Svc_On_Behalf_Of: ${one.id}`)).toBe("key:acting");
  });
});

describe("Proofs and origins", () => {
  it("a proof sent twice proves nothing", async () => {
    const proof = `X-Svc-Reauth: ${await server.reauth(one)}`;
    const head = ["DELETE /v1/shop/_auth/me HTTP/1.1", bearer(one.token)];
    for (const headers of [[proof, proof], [`${proof}, x`], ["X-Svc-Reauth: x", proof]]) {
      const answer = await raw([...head, ...headers]);
      expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([401, "reauth_required"]);
    }
    expect(await who(bearer(one.token))).toBe(`user:${one.id}`);
  });

  it("an Origin sent twice is no listed one", async () => {
    const head = ["POST /v1/shop/_auth/logout HTTP/1.1", `Cookie: svc_session_shop=${one.token}`];
    const evil = "Origin: https://evil.example";
    for (const headers of [[evil, `Origin: ${origin}`], [`Origin: ${origin}, https://evil.example`]]) {
      expect((await raw([...head, ...headers])).status).toBe(403);
    }
    expect(await who(bearer(one.token))).toBe(`user:${one.id}`);
  });
});

describe("Bodies", () => {
  const body = JSON.stringify({ email: "one@example.com", password });
  const head = ["POST /v1/shop/_auth/login HTTP/1.1", "Content-Type: application/json"];
  const after = `GET /v1/shop/whoami HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  const port = () => Number(new URL(server.url).port);

  it.each([
    ["a length and chunks", [`Content-Length: ${body.length}`, "Transfer-Encoding: chunked"]],
    ["chunks and a length", ["Transfer-Encoding: chunked", `Content-Length: ${body.length}`]],
    ["two lengths", [`Content-Length: ${body.length}`, "Content-Length: 0"]],
    ["a list of lengths", [`Content-Length: ${body.length}, 0`]],
    ["a signed length", [`Content-Length: +${body.length}`]],
    ["a length in hexadecimal", ["Content-Length: 0x10"]],
    ["a length with a space before its colon", [`Content-Length : ${body.length}`]],
    ["an encoding that is none", ["Transfer-Encoding: xchunked"]],
    ["chunked, but not last", ["Transfer-Encoding: chunked, identity"]],
    ["chunked twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]],
    ["chunked after a vertical tab", ["Transfer-Encoding: \x0bchunked"]],
  ])("%s end the connection: nothing after them is taken for a request", async (_what, headers) => {
    const bytes = [...head, ...headers, "Host: x", "", ""].join("\r\n") + body + after;
    const answers = (await exchangeBytes(port(), bytes)).match(/HTTP\/1\.1 \d{3}/g) ?? [];
    expect(answers).toEqual(["HTTP/1.1 400"]);
  });

  it("a request in a body is a body", async () => {
    const inner = `${after}${after}`;
    const headers = [...head, `Content-Length: ${inner.length}`, "Host: x", "", ""];
    const answers = await exchangeBytes(port(), headers.join("\r\n") + inner + after);
    expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 400", "HTTP/1.1 200"]);
  });

  it("a method cannot be changed by a header or a parameter", async () => {
    for (const header of ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]) {
      const answer = await raw([
        "GET /v1/shop/_auth/sessions HTTP/1.1",
        bearer(one.token),
        `${header}: DELETE`,
      ]);
      expect(answer.status).toBe(200);
    }
    const query = await raw(["GET /v1/shop/_auth/sessions?_method=DELETE HTTP/1.1", bearer(one.token)]);
    expect(query.status).toBe(400);
    expect(await who(bearer(one.token))).toBe(`user:${one.id}`);
  });
});

describe("X-Forwarded-For", () => {
  const claims = [
    "10.0.0.1",
    "10.0.0.1, 10.0.0.2",
    "127.0.0.1",
    "::ffff:10.0.0.1",
    '"10.0.0.1"',
    "10.0.0.1\tx",
    "for=10.0.0.1",
  ];

  /** Tries a key of the network 10/8 and the audited address of a login, by what a client claims. */
  async function addresses(at: Accounts, token: string, claim: string) {
    const headers = { "x-forwarded-for": claim };
    const { status } = await at.send("GET", "/whoami", { token, headers });
    return status;
  }

  it("of nobody is believed unless the instance says whose: networks of keys and throttles hold", async () => {
    const token = await server.key({ name: "inside", networks: ["10.0.0.0/8"] });
    for (const claim of claims) expect(await addresses(server, token, claim), claim).toBe(403);
    for (const name of ["forwarded", "x-real-ip", "x-client-ip", "cf-connecting-ip", "true-client-ip"]) {
      const { status } = await server.send("GET", "/whoami", { token, headers: { [name]: "10.0.0.1" } });
      expect(status, name).toBe(403);
    }
    const login = (at: number) =>
      server.send("POST", "/_auth/login", {
        headers: { "x-forwarded-for": `192.0.2.${at}` },
        body: { email: "one@example.com", password: "wrong password" },
      });
    const statuses: number[] = [];
    for (let at = 0; at < 11; at += 1) statuses.push((await login(at)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
    server.clock.advance(16 * minute);
  });

  it("behind one trusted proxy is what that proxy says, whatever the client put before", async () => {
    const behind = await startAccounts({}, { settings: { addressOf: trustHops(1) } });
    const token = await behind.key({ networks: ["10.0.0.0/8"] });
    expect(await addresses(behind, token, "10.0.0.1")).toBe(200);
    expect(await addresses(behind, token, "10.0.0.1, 192.0.2.1")).toBe(403);
    expect(await addresses(behind, token, "10.0.0.1, unknown")).toBe(403);
    expect(await addresses(behind, token, "")).toBe(403);
    const twice = [
      "GET /v1/shop/whoami HTTP/1.1",
      bearer(token),
      "X-Forwarded-For: 10.0.0.1",
      "X-Forwarded-For: 192.0.2.1",
    ];
    expect((await raw(twice, behind)).status).toBe(403);
    await behind.stop();
  });

  it("administration keeps to its networks, and sessions and records name the true address", async () => {
    const proxies = [parseNetwork("127.0.0.0/8")].filter((network) => network !== undefined);
    const inside = await startAccounts(
      {},
      { definition: { adminNetworks: ["10.0.0.0/8"] }, settings: { addressOf: trustNetworks(proxies) } },
    );
    const token = await inside.adminKey();
    const status = async (claim: string) =>
      (await inside.send("GET", "/_admin/users", { token, headers: { "x-forwarded-for": claim } })).status;
    expect(await status("10.0.0.1")).toBe(200);
    for (const claim of ["10.0.0.1, 192.0.2.1", "192.0.2.1", "", "10.0.0.1.evil.example", "10.0.0.1, "]) {
      expect(await status(claim), claim).toBe(403);
    }
    const headers = { "x-forwarded-for": "10.9.9.9, 192.0.2.7" };
    const body = { email: "seen@example.com", password };
    await inside.send("POST", "/_auth/signup", { headers, body });
    const [session] = await inside.store("shop").collection(collections.sessions).scan(undefined, 10);
    expect(JSON.parse(session?.text ?? "{}").address).toBe("192.0.2.7");
    await inside.stop();
  });
});
