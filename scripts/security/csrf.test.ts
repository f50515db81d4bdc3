/**
 * Browsers send a cookie whichever page asks. Every writing operation that a session may use is tried by cookie from
 * pages of other origins, from a sandbox (`null`) and from a client that says nothing: all are refused, and nothing
 * changes. By the realm's own page each does what it does by the token.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminAreas } from "../../runtime/realm/administration.ts";
import { Description } from "../conformance/description.ts";
import { insertSession } from "../people.ts";
import type { Caller } from "./callers.ts";
import { compileFort } from "./compiled.ts";
import { type Fort, startFort } from "./fort.ts";
import { send } from "./send.ts";
import { snapshot } from "./snapshot.ts";
import { manyStreams } from "./streams.ts";
import { Targets } from "./targets.ts";
import { sentBy, usesOf } from "./uses.ts";

const fort = await compileFort();
const { definition } = fort;
const [listed = ""] = definition.origins;
const cookie = "svc_session_fort";

const origins: readonly { readonly what: string; readonly headers: Readonly<Record<string, string>> }[] = [
  { what: "no Origin", headers: {} },
  { what: "null", headers: { origin: "null" } },
  { what: "another site", headers: { origin: "https://evil.example" } },
  { what: "a site that begins alike", headers: { origin: `${listed}.evil.example` } },
  { what: "a site that ends alike", headers: { origin: `https://evil-${new URL(listed).host}` } },
  { what: "another scheme", headers: { origin: listed.replace("https", "http") } },
  { what: "another port", headers: { origin: `${listed}:8443` } },
  { what: "a list", headers: { origin: `${listed}, https://evil.example` } },
  { what: "another case and a slash", headers: { origin: `${listed.toUpperCase()}/` } },
  { what: "the Referer alone", headers: { referer: `${listed}/page` } },
];

const { operations } = Description.of(fort);
const paths = new Set(operations.map(({ path }) => path));
const writes = operations
  .filter(({ method, security }) => method !== "GET" && security.includes("session_cookie"))
  .flatMap((operation) =>
    usesOf(operation, { name: "fort", auth: true }, (path) => paths.has(`${path}/restore`)),
  )
  .map((use) => ({ title: use.title, use, by: callerOf(use.title) }))
  .filter(({ use, by }) => use.answer(by) !== "403 forbidden");

/** One who may do as much as anybody: with documents of their own, or as administrator. */
function callerOf(title: string): Caller {
  const user = title.includes("/_admin/") ? "boss" : "maker";
  const areas = user === "boss" ? { see: adminAreas, change: adminAreas } : { see: [], change: [] };
  return { name: user, credential: { kind: "session", user, areas }, headers: async () => ({}) };
}

let server: Fort;
let targets: Targets;
let serial = 0;
beforeAll(async () => {
  server = await startFort(fort, { settings: manyStreams });
  targets = new Targets(server, definition, server.operator);
});
afterAll(() => server.stop());

async function newSession(user: string): Promise<string> {
  serial += 1;
  return insertSession(server.store("fort"), server.clock, user, `of-page-${serial}`);
}

async function newCookie(): Promise<Record<string, string>> {
  return { cookie: `theme=dark; ${cookie}=${await newSession("maker")}` };
}

describe("CSRF: a write by cookie", () => {
  it("there are writes that sessions may use", () => {
    expect(writes.length).toBeGreaterThan(40);
    // A stream counts as one.
    expect(writes.map(({ title }) => title)).toContain("POST /_realtime, notes");
  });

  it.each(writes)("$title", async ({ use, by }) => {
    const ask = async (path: string, headers: Readonly<Record<string, string>>) => {
      const { headers: own, ...body } = sentBy(use, by);
      const sent = { headers: { ...own, ...headers }, ...body };
      return (await send(use.method, server.url + path, sent)).outcome;
    };
    const path = await use.path(targets, by);
    const byCookie = { cookie: `theme=dark; ${cookie}=${await newSession(by.name)}` };
    const before = await snapshot(server.store("fort"), definition);
    for (const { what, headers } of origins) {
      expect(await ask(path, { ...byCookie, ...headers }), what).toBe("403 forbidden");
    }
    expect(await snapshot(server.store("fort"), definition)).toEqual(before);
    const allowed = await ask(path, { ...byCookie, origin: listed });
    const authorization = `Bearer ${await newSession(by.name)}`;
    expect(allowed).toBe(await ask(await use.path(targets, by), { authorization }));
    expect(allowed).not.toMatch(/^401 unauthenticated|^403 /);
  });
});

describe("Authentication 6: session cookies", () => {
  it("reads by cookie need no Origin, and a header beats the cookie", async () => {
    const headers = await newCookie();
    for (const { headers: more } of origins) {
      const read = await server.send("GET", "/_auth/me", { headers: { ...headers, ...more } });
      expect(read.outcome).toBe("200");
    }
    const both = await server.send("PATCH", "/_auth/me", {
      headers,
      token: await server.session("stranger"),
      body: { locale: "fr" },
    });
    expect([both.outcome, both.body["id"]]).toEqual(["200", "stranger"]);
  });

  it("other pages are never told that they may read answers with credentials", async () => {
    const headers = await newCookie();
    for (const { what, headers: more } of origins) {
      const read = await server.send("GET", "/_auth/me", { headers: { ...headers, ...more } });
      const names = [...read.headers.keys()].filter((name) => name.startsWith("access-control-"));
      expect(names, what).toEqual([]);
    }
    const mine = await server.send("GET", "/_auth/me", { headers: { ...headers, origin: listed } });
    expect(mine.headers.get("access-control-allow-origin")).toBe(listed);
    expect(mine.headers.get("access-control-allow-credentials")).toBe("true");
    expect(mine.headers.get("vary")).toMatch(/\bOrigin\b/);
  });

  it("login by another page gets no cookie, whatever it knows", async () => {
    const body = { email: "maker@example.com", password: "correct horse", cookie: true };
    for (const { what, headers } of origins) {
      const answer = await server.send("POST", "/_auth/login", { headers, body });
      expect([answer.outcome, answer.headers.get("set-cookie")], what).toEqual(["403 forbidden", null]);
    }
  });

  it("the cookie is out of reach of scripts, of plain HTTP, of other sites and of other realms", async () => {
    const body = { email: "maker@example.com", password: "correct horse", cookie: true };
    const login = await server.send("POST", "/_auth/login", { headers: { origin: listed }, body });
    const [pair = "", ...attributes] = (login.headers.get("set-cookie") ?? "").split("; ");
    expect(pair).toMatch(/^svc_session_fort=svs_[\w-]{43}$/);
    expect(attributes).toEqual(
      expect.arrayContaining(["HttpOnly", "Secure", "SameSite=Strict", "Path=/v1/fort"]),
    );
    expect(attributes.filter((attribute) => /^Domain/i.test(attribute))).toEqual([]);
    expect(login.text).not.toContain(pair.split("=")[1]);
    const out = await server.send("POST", "/_auth/logout", { headers: { origin: listed, cookie: pair } });
    expect(out.headers.get("set-cookie")).toMatch(/^svc_session_fort=;.*Max-Age=0/);
    expect((await server.send("GET", "/_auth/me", { headers: { cookie: pair } })).outcome).toBe(
      "401 unauthenticated",
    );
  });

  it("a form's media types are no requests of this API", async () => {
    const headers = await newCookie();
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
    ]) {
      const sent = { headers: { ...headers, origin: listed, "content-type": type }, text: '{"text":"x"}' };
      expect((await server.send("POST", "/main/notes", sent)).outcome).toBe("415 unsupported_media_type");
    }
  });
});
