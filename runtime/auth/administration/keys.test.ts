import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shopModule } from "../../instance/testing/fixture.ts";
import type { JsonObject } from "../../json.ts";
import { testPlace } from "../../store/testing/stores.ts";
import { type Accounts, day, type Person, startAccounts, text } from "../testing/accounts.ts";
import { auditOf } from "./testing/audit.ts";

const { collections } = shopModule({}).definition;

let server: Accounts;
let root: string;
let keymaster: Person;
/** Administers data as well. */
let librarian: Person;
beforeAll(async () => {
  server = await startAccounts({}, { definition: { collections } });
  root = await server.adminKey();
  keymaster = await server.person("keymaster@example.com", ["keymaster"]);
  librarian = await server.person("librarian@example.com", ["keymaster", "librarian"]);
});
afterAll(() => server.stop());

const create = (body: JsonObject, token = root, realm = "shop") =>
  server.send("POST", "/_admin/keys", { token, body }, realm);
const revoke = (id: unknown, token = root, realm = "shop") =>
  server.send("DELETE", `/_admin/keys/${id}`, { token }, realm);
const whoami = async (token: string, headers = {}, realm = "shop") =>
  server.send("GET", "/whoami", { token, headers }, realm);

/** The names of the keys that there are. */
async function names(realm = "shop", token = root): Promise<unknown[]> {
  const { body } = await server.send("GET", "/_admin/keys?limit=100", { token }, realm);
  const items: JsonObject[] = JSON.parse(JSON.stringify(body["items"]));
  return items.map(({ name }) => name);
}

/** A key that has to be made. */
async function made(body: JsonObject, token = root): Promise<{ id: string; key: string }> {
  const answer = await create(body, token);
  expect(answer.status).toBe(201);
  return { id: text(answer.body, "id"), key: text(answer.body, "key") };
}

const forbidden = { status: 403, body: { error: { code: "forbidden" } } };

describe("Administrator routes: POST /_admin/keys", () => {
  it("answers the key once, with what it may do", async () => {
    const scopes = { read: "*", write: ["main/items"], call: ["main"] };
    const body = {
      name: "importer",
      scopes,
      admin: ["users", "users"],
      networks: ["127.0.0.0/8", "::1"],
      expires_at: "2026-02-01T01:00:00+01:00",
      on_behalf_of: true,
    };
    const answer = await create(body);
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{20}$/),
      name: "importer",
      key: expect.stringMatching(/^svk_[\w-]{43}$/),
      scopes,
      admin: ["users"],
      networks: ["127.0.0.0/8", "::1"],
      expires_at: "2026-02-01T00:00:00.000Z",
      on_behalf_of: true,
      kind: "operator",
      user: null,
      org: null,
      start: text(answer.body, "key").slice(0, 8),
      created_at: "2026-01-01T00:00:00.000Z",
      created_by: expect.stringMatching(/^key:admin-\d+$/),
      last_used_at: null,
      last_used_address: null,
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const { body: caller } = await whoami(text(answer.body, "key"));
    expect(caller).toMatchObject({
      actor: "key:importer",
      scopes,
      delegates: true,
      administration: { full: false },
    });
  });

  it.each<[string, JsonObject]>([
    ["only a name", {}],
    ["null for what it has not", { scopes: null, networks: null, expires_at: null, admin: false }],
    ["no area", { admin: [] }],
  ])("makes a key with all data and no administration of %s", async (name, body) => {
    const { body: answer } = await create({ name, ...body });
    expect(answer).toMatchObject({
      scopes: null,
      admin: false,
      networks: null,
      expires_at: null,
      on_behalf_of: false,
    });
    const { body: caller } = await whoami(text(answer, "key"));
    expect(caller).not.toHaveProperty("administration");
    expect(caller).not.toHaveProperty("scopes");
  });

  it("the key ends when it expires", async () => {
    const clock = server.clock.now();
    const { key } = await made({ name: "brief", expires_at: new Date(clock + 1_000).toISOString() });
    server.clock.advance(999);
    expect((await whoami(key)).status).toBe(200);
    server.clock.advance(1);
    expect((await whoami(key)).status).toBe(401);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ["no name", {}, ["name"]],
    ["a name of a space", { name: " " }, ["name"]],
    ["a long name", { name: "x".repeat(101) }, ["name"]],
    ["a name with a line break", { name: "a\nb" }, ["name"]],
    ["scopes that are none", { name: "x", scopes: "*" }, ["scopes"]],
    [
      "unknown scopes",
      { name: "x", scopes: { delete: "*", read: "main" } },
      ["scopes.delete", "scopes.read"],
    ],
    ["a wildcard in a list", { name: "x", scopes: { read: ["*"] } }, ["scopes.read.0"]],
    ["what the realm does not have", { name: "x", scopes: { read: ["main", "mian"] } }, ["scopes.read.1"]],
    ["admin that is none", { name: "x", admin: "read" }, ["admin"]],
    ["unknown areas", { name: "x", admin: ["users", "everything"] }, ["admin.1"]],
    ["areas that are no text", { name: "x", admin: [["users"]] }, ["admin.0"]],
    ["networks that are none", { name: "x", networks: ["::1", "10.1", "a/8"] }, ["networks.1", "networks.2"]],
    ["no network", { name: "x", networks: [] }, ["networks"]],
    ["too many networks", { name: "x", networks: Array(101).fill("::1") }, ["networks"]],
    ["the past", { name: "x", expires_at: "2025-12-31T00:00:00Z" }, ["expires_at"]],
    ["no time", { name: "x", expires_at: "tomorrow" }, ["expires_at"]],
    ["a number as time", { name: "x", expires_at: 4e12 }, ["expires_at"]],
    ["on_behalf_of of somebody", { name: "x", on_behalf_of: "ada" }, ["on_behalf_of"]],
    ["an unknown member", { name: "x", key: "svk_mine" }, ["key"]],
    ["all together", { name: "", admin: 1, networks: 1, hash: 1 }, ["name", "admin", "networks", "hash"]],
  ])("400 validation_error for %s, each with its path; nothing is made", async (_, body, paths) => {
    const before = await names();
    const answer = await create(body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "validation_error" } } });
    const { details } = Object(answer.body["error"]);
    expect(details.map(({ path }: JsonObject) => path).sort()).toEqual([...paths].sort());
    expect(await names()).toEqual(before);
  });

  it("409 conflict for a name that is taken", async () => {
    await made({ name: "twin" });
    expect(await create({ name: "twin" })).toMatchObject({
      status: 409,
      body: { error: { code: "conflict", details: [{ path: "name", reason: "must be unique" }] } },
    });
  });

  it("of many at once with one name exactly one is made", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ name: "race" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect((await names()).filter((name) => name === "race")).toHaveLength(1);
    expect(await auditOf(server, "key:race")).toHaveLength(1);
  });

  it("may have any name: also of prototypes", async () => {
    for (const name of ["__proto__", "constructor", "Schlüssel 🔑"]) {
      const { key, id } = await made({ name });
      expect((await whoami(key)).body).toMatchObject({ actor: `key:${name}` });
      expect((await revoke(id)).status).toBe(204);
    }
  });
});

describe("Administrator routes: GET /_admin/keys", () => {
  it("pages, oldest first, and shows neither a key nor its hash", async () => {
    const paged = await startAccounts();
    try {
      const token = await paged.adminKey(true, "shop", { name: "first" });
      for (const name of ["a", "b"]) {
        paged.clock.advance(1);
        await paged.send("POST", "/_admin/keys", { token, body: { name, scopes: {} } });
      }
      const one = await paged.send("GET", "/_admin/keys?limit=2", { token });
      const after = text(one.body, "next_cursor");
      const two = await paged.send("GET", `/_admin/keys?limit=2&after=${after}`, { token });
      const entry = (name: string, admin: boolean, scopes: JsonObject | null, created_by: string) => ({
        id: expect.any(String),
        name,
        scopes,
        admin,
        networks: null,
        expires_at: null,
        on_behalf_of: false,
        kind: "operator",
        user: null,
        org: null,
        start: expect.stringMatching(/^svk_[\w-]{4}$/),
        created_at: expect.stringMatching(/^2026-01-01T00:00:00\.00\dZ$/),
        created_by,
        last_used_at: null,
        last_used_address: null,
      });
      expect(one.body).toEqual({
        items: [entry("first", true, null, "command-line"), entry("a", false, {}, "key:first")],
        has_more: true,
        next_cursor: after,
      });
      expect(two.body).toEqual({ items: [entry("b", false, {}, "key:first")], has_more: false });
    } finally {
      await paged.stop();
    }
  });
});

describe("Administrator routes: DELETE /_admin/keys/{id}", () => {
  it("the key ends with the very next request, wherever it is used", async () => {
    const ada = await server.signup("ada@example.com");
    const { id, key } = await made({ name: "leaked", on_behalf_of: true });
    const acting = { "x-svc-on-behalf-of": ada.id };
    expect((await whoami(key)).status).toBe(200);
    expect((await whoami(key, acting)).body).toMatchObject({ actor: `user:${ada.id}` });
    expect(await revoke(id)).toMatchObject({ status: 204, body: {} });
    for (const headers of [{}, acting]) {
      expect(await whoami(key, headers)).toMatchObject({
        status: 401,
        body: { error: { code: "unauthenticated" } },
      });
    }
    expect(await names()).not.toContain("leaked");
    await made({ name: "leaked" });
    expect((await whoami(key)).status).toBe(401);
  });

  it("a key can revoke itself, once", async () => {
    const { id, key } = await made({ name: "suicidal", admin: true });
    expect((await revoke(id, key)).status).toBe(204);
    expect((await revoke(id, key)).status).toBe(401);
  });

  it("404 for one that there is not, or no longer; of two at once one succeeds", async () => {
    const { id } = await made({ name: "gone" });
    const answers = await Promise.all([revoke(id), revoke(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect((await auditOf(server, "key:gone")).map(({ action }) => action)).toEqual([
      "key.create",
      "key.revoke",
    ]);
    for (const other of [id, "nothing", "%00", "x".repeat(129)]) {
      expect(await revoke(other)).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    }
  });

  it("404 for a key of another realm", async () => {
    const { id, key } = await made({ name: "ours" });
    expect((await revoke(id, await server.adminKey(true, "other"), "other")).status).toBe(404);
    expect((await whoami(key)).status).toBe(200);
  });
});

describe("Authentication 10: nobody gives a key more than they hold", () => {
  it.each<[string, JsonObject]>([
    ["administration of everything", { admin: true, scopes: {} }],
    ["administration of an area", { admin: ["apikeys"], scopes: {} }],
    ["all data", {}],
    ["all data, said otherwise", { scopes: null }],
    ["all data, scope by scope", { scopes: { read: "*", write: "*" } }],
    ["what is to be read of a database", { scopes: { read: ["main"] } }],
    ["what is to be written of a collection", { scopes: { write: ["main/items"] } }],
    ["what functions do", { scopes: { call: "*" } }],
    ["what users see", { scopes: { read: "*" }, on_behalf_of: true }],
  ])("an administrator of apikeys without data: %s", async (what, body) => {
    const before = await names();
    expect(await create({ name: `escalated: ${what}`, ...body }, keymaster.token)).toMatchObject(forbidden);
    expect(await names()).toEqual(before);
    expect(await auditOf(server, `key:escalated: ${what}`)).toEqual([]);
  });

  it("without data they make keys that reach none; with it every key that administers nothing", async () => {
    for (const [at, scopes] of [{}, { read: [], write: [], call: [] }].entries())
      await made({ name: `empty ${at}`, scopes, admin: false }, keymaster.token);
    for (const [at, scopes] of [
      { read: "*", write: "*", call: "*" },
      { read: ["main/items"] },
      null,
    ].entries())
      await made({ name: `full ${at}`, scopes }, librarian.token);
    expect(await create({ name: "admin", admin: ["data"] }, librarian.token)).toMatchObject(forbidden);
  });

  it("who may look at data gives keys that read it, and none that write", async () => {
    const watching = await startAccounts({ readAccess: ["data"] }, { definition: { collections } });
    try {
      const { token } = await watching.person("watcher@example.com", ["keymaster", "reader"]);
      const attempt = async (name: string, scopes: JsonObject | null) =>
        (await watching.send("POST", "/_admin/keys", { token, body: { name, scopes } })).status;
      expect(await attempt("reads", { read: "*" })).toBe(201);
      for (const wider of [{ read: "*", write: ["main/items"] }, { call: ["main"] }, null])
        expect(await attempt("more", wider), JSON.stringify(wider)).toBe(403);
    } finally {
      await watching.stop();
    }
  });

  it("a key without administration of data neither, though it reaches data by its own scopes", async () => {
    const scopes = { read: "*", write: "*", call: ["main"] } as const;
    const token = await server.adminKey(["apikeys"], "shop", { scopes });
    for (const wider of [{ read: ["main"] }, { write: ["main/items"] }, { call: "*" }])
      expect(await create({ name: "detour", scopes: wider }, token), JSON.stringify(wider)).toMatchObject(
        forbidden,
      );
    await made({ name: "caller", scopes: { call: ["main"] } }, token);
  });

  it("read-only administrators make and revoke none", async () => {
    const reader = await server.person("reader@example.com", ["reader"]);
    const { id } = await made({ name: "watched" });
    expect((await server.send("GET", "/_admin/keys", { token: reader.token })).status).toBe(200);
    expect(await create({ name: "x", scopes: {} }, reader.token)).toMatchObject(forbidden);
    expect(await revoke(id, reader.token)).toMatchObject(forbidden);
  });

  it("a key with scopes of its own makes none that they do not cover, whatever it administers", async () => {
    for (const admin of [["apikeys", "data"], true] as const) {
      const token = await server.adminKey(admin, "shop", {
        scopes: { read: ["main"], write: ["main/items"] },
      });
      const attempt = async (scopes: JsonObject | null) =>
        (await create({ name: `by ${admin}`, scopes }, token)).status;
      for (const wider of [null, { read: "*" }, { write: ["main"] }, { call: ["main"] }]) {
        expect(await attempt(wider), JSON.stringify(wider)).toBe(403);
      }
      expect(await attempt({ read: ["main/items"], write: ["main/items"] })).toBe(201);
    }
  });

  it("a key that acts for users is made by who administers users, or is one", async () => {
    const attempt = async (token: string, name: string) =>
      (await create({ name, scopes: {}, on_behalf_of: true }, token)).status;
    expect(await attempt(await server.adminKey(["apikeys"]), "proxy")).toBe(403);
    expect(await attempt(await server.adminKey(["apikeys"], "shop", { onBehalfOf: true }), "proxy 1")).toBe(
      201,
    );
    expect(await attempt(keymaster.token, "proxy 2")).toBe(201);
  });

  it("keys with administration are revoked by full administrators only", async () => {
    const boss = await server.person("boss@example.com", ["boss"]);
    for (const admin of [true, ["audit"]]) {
      const { id, key } = await made({ name: `chief ${admin}`, admin });
      expect(await revoke(id, keymaster.token)).toMatchObject(forbidden);
      expect((await whoami(key)).status).toBe(200);
      expect((await revoke(id, boss.token)).status).toBe(204);
    }
    const { id } = await made({ name: "ordinary" });
    expect((await revoke(id, keymaster.token)).status).toBe(204);
  });

  it("a key that acts for an administrator makes and revokes none", async () => {
    const boss = await server.person("boss2@example.com", ["boss"]);
    const { key, id } = await made({ name: "valet", on_behalf_of: true, admin: true });
    const headers = { "x-svc-on-behalf-of": boss.id };
    const body = { name: "by valet", scopes: {} };
    expect(await server.send("POST", "/_admin/keys", { token: key, headers, body })).toMatchObject(forbidden);
    expect(await server.send("DELETE", `/_admin/keys/${id}`, { token: key, headers })).toMatchObject(
      forbidden,
    );
  });
});

describe("Audit records: keys", () => {
  it("tell who made and revoked a key, and what it may do", async () => {
    const { id } = await made(
      { name: "told", scopes: { read: ["main"] }, networks: ["::1"] },
      librarian.token,
    );
    await revoke(id);
    const [created, revoked] = await auditOf(server, "key:told");
    expect(created).toMatchObject({
      action: "key.create",
      actor: `user:${librarian.id}`,
      address: "127.0.0.1",
      details: {
        admin: false,
        scopes: { read: ["main"] },
        networks: ["::1"],
        expires_at: null,
        on_behalf_of: false,
      },
    });
    expect(revoked).toMatchObject({
      action: "key.revoke",
      actor: expect.stringMatching(/^key:admin-/),
      details: {},
    });
  });
});

describe("In a realm with auth: disabled", () => {
  it("there are keys all the same, but none that acts for users", async () => {
    const token = await server.adminKey(true, "plain");
    expect(await create({ name: "x", on_behalf_of: true }, token, "plain")).toMatchObject({
      status: 400,
      body: { error: { code: "validation_error", details: [{ path: "on_behalf_of" }] } },
    });
    const { status, body } = await create({ name: "robot", admin: ["config"] }, token, "plain");
    expect(status).toBe(201);
    const key = text(body, "key");
    const config = () => server.send("GET", "/_admin/config", { token: key }, "plain");
    expect((await config()).status).toBe(200);
    expect((await revoke(text(body, "id"), token, "plain")).status).toBe(204);
    expect((await config()).status).toBe(401);
    expect(await names("plain", token)).not.toContain("robot");
  });
});

it("A key is in no list, log, audit record or byte of the store", async () => {
  const place = testPlace();
  const stored = await startAccounts({}, { settings: { store: place.location } });
  try {
    const token = await stored.adminKey();
    const answer = await stored.send("POST", "/_admin/keys", { token, body: { name: "hidden", scopes: {} } });
    const key = text(answer.body, "key");
    stored.clock.advance(day);
    await stored.send("GET", "/whoami", { token: key });
    await stored.send("POST", "/_admin/keys", { token: key, body: { name: "refused" } });
    const shown = [];
    for (const path of ["/_admin/keys", "/_admin/audit", "/_admin/config"]) {
      shown.push(JSON.stringify((await stored.send("GET", path, { token })).body));
    }
    const bytes = await place.bytes();
    expect(bytes.includes("hidden")).toBe(true);
    for (const secret of [key, token].map((each) => each.slice("svk_".length))) {
      expect(bytes.includes(secret)).toBe(false);
      for (const told of [...shown, JSON.stringify(stored.logs)]) expect(told).not.toContain(secret);
    }
  } finally {
    await stored.stop();
    await place.discard();
  }
});
