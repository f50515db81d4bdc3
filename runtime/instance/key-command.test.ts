import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { administrationRoutes } from "../auth/administration/routes.ts";
import { auditFields, collections } from "../auth/collections.ts";
import { createKey } from "../auth/command-keys.ts";
import { eq } from "../filter/algebra.ts";
import type { RealmModule } from "../realm/exchange.ts";
import { type ProcessPlace, processPlace } from "../store/testing/stores.ts";
import { run } from "./main.ts";
import type { Environment } from "./settings.ts";
import { item, shopModule, uniqueSku } from "./testing/fixture.ts";
import { manySignups, type Started, startRealm } from "./testing/servers.ts";

const clubNamed = (name: string): RealmModule => ({
  definition: {
    name,
    accounts: {
      signup: "open",
      signupLimit: manySignups,
      roles: [],
      defaultRoles: [],
      sessionLifetime: 1_000,
      sessionIdleTimeout: 1_000,
      adminIdleTimeout: 1_000,
      adminMaxLifetime: 1_000,
      readAccess: [],
    },
    origins: [],
    appConfig: {},
    effective: { realm: {}, databases: {} },
    openapi: { access: "public", document: {} },
    collections: shopModule({}).definition.collections,
  },
  routes: [administrationRoutes(name)],
});

let place: ProcessPlace;
let club: RealmModule;
let server: Started;
beforeAll(async () => {
  place = processPlace();
  club = clubNamed(place.realm);
  server = await startRealm(club, { settings: { store: place.location }, clock: { now: Date.now } });
});
afterAll(async () => {
  await server.stop();
  await place.discard();
});

const command = (...words: string[]) => commandOf(club, ["--realm", place.realm, ...words]);
const act = (action: string, ...words: string[]) =>
  commandOf(club, ["--realm", place.realm, ...words], undefined, action);

async function commandOf(
  realm: RealmModule,
  words: readonly string[],
  environment: Environment = { SVC_STORE: place.setting },
  action = "create",
) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run({ fingerprint: "f", realms: [realm] }, ["key", action, ...words], {
    environment,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  // The server is in this process: what others commit it sees from its next turn on.
  await new Promise((resolve) => setImmediate(resolve));
  return { code, out, err: err.join("\n") };
}

const administer = async (key: string | undefined, what = "config") =>
  (
    await fetch(`${server.url}/v1/${place.realm}/_admin/${what}`, {
      headers: { authorization: `Bearer ${key}` },
    })
  ).status;

describe("key create", () => {
  it("prints the key alone on the last line of stdout; it works at once beside the running server", async () => {
    const { code, out } = await command("--name", "ops", "--admin");
    expect(code).toBe(0);
    expect(out).toHaveLength(1);
    expect(out[0]).toMatch(/^svk_[\w-]+$/);
    expect(await administer(out[0])).toBe(200);
  });

  it("makes no administrator unless asked", async () => {
    const { out } = await command("--name", "app", "--scopes", '{"read":"*"}');
    expect(await administer(out[0])).toBe(403);
  });

  it("makes an administrator of some areas, each named once", async () => {
    const { code, out } = await command("--name", "areas", "--areas", "config, secrets", "--areas", "config");
    expect(code).toBe(0);
    expect(await administer(out[0])).toBe(200);
    expect(await administer(out[0], "secrets")).toBe(200);
    expect(await administer(out[0], "audit")).toBe(403);
    const keys = (await act("list")).out.map((line) => JSON.parse(line));
    expect(keys.find(({ name }) => name === "areas")).toMatchObject({ admin: ["secrets", "config"] });
  });

  it("lets a key act for users, in realms that have any", async () => {
    expect((await command("--name", "proxy", "--on-behalf-of")).code).toBe(0);
    const { accounts: _, ...definition } = club.definition;
    const words = ["--realm", place.realm, "--name", "x", "--on-behalf-of"];
    const { code, err } = await commandOf({ ...club, definition }, words);
    expect(code).toBe(1);
    expect(err).toBe("on_behalf_of needs users, which a realm with auth: disabled has not");
  });

  it("limits a key to networks", async () => {
    const elsewhere = await command("--name", "far", "--admin", "--networks", "10.0.0.0/8,::2");
    expect(await administer(elsewhere.out[0])).toBe(403);
    const here = await command("--name", "near", "--admin", "--networks", "127.0.0.0/8");
    expect(await administer(here.out[0])).toBe(200);
  });

  it("refuses a name that is taken, unless it replaces the key, which then ends", async () => {
    const first = await command("--name", "deploy", "--admin");
    const second = await command("--name", "deploy", "--admin");
    expect(second).toMatchObject({ code: 1, out: [] });
    expect(second.err).toContain("deploy");
    const third = await command("--name", "deploy", "--admin", "--replace");
    expect(third.code).toBe(0);
    expect(await administer(first.out[0])).toBe(401);
    expect(await administer(third.out[0])).toBe(200);
  });

  it.each([
    ["no name", []],
    ["an unknown realm", ["--realm", "clib", "--name", "x"]],
    ["an unknown option", ["--name", "x", "--force"]],
    ["a stray word", ["--name", "x", "y"]],
    ["an unknown area", ["--name", "x", "--areas", "users,everything"]],
    ["areas beside all of them", ["--name", "x", "--admin", "--areas", "users"]],
    ["a bad duration", ["--name", "x", "--expires-in", "soon"]],
  ])("%s is a mistake of usage: 2", async (_what, words) => {
    const { code, out, err } = await command(...words);
    expect(code).toBe(2);
    expect(out).toEqual([]);
    expect(err).toContain("usage:");
  });

  it("needs a realm: 2", async () => {
    const { code, err } = await commandOf(club, ["--name", "x"]);
    expect(code).toBe(2);
    expect(err).toContain("--realm is missing");
  });

  it.each([
    ["scopes", ["--scopes", '{"raed":"*"}']],
    ["scopes that are no JSON", ["--scopes", "{"]],
    ["networks", ["--networks", "here"]],
    ["a name", ["--name", ""]],
  ])("refuses bad %s: 1", async (_what, words) => {
    const { code, out, err } = await command("--name", "x", ...words);
    expect(code).toBe(1);
    expect(out).toEqual([]);
    expect(err).not.toBe("");
  });

  it.each([
    [
      '{"read":["mian"]}',
      "scopes.read.0 names \"mian\", which the realm does not have; did you mean 'main'?",
    ],
    [
      '{"write":["main","main/itmes"]}',
      "scopes.write.1 names \"main/itmes\", which the realm does not have; did you mean 'main/items'?",
    ],
    ['{"call":["main/refund"]}', 'scopes.call.0 names "main/refund", which the realm does not have'],
  ])("refuses scopes that name what the realm does not have: %s", async (scopes, message) => {
    const { code, out, err } = await command("--name", "x", "--scopes", scopes);
    expect([code, out, err]).toEqual([1, [], message]);
  });

  it("takes scopes that name databases and collections of the realm", async () => {
    const scopes = '{"read":["main/items"],"write":["main"],"call":["main"]}';
    expect((await command("--name", "scoped", "--scopes", scopes)).code).toBe(0);
  });

  it("touches nothing but keys: another build's command leaves the running server's indexes alone", async () => {
    const items = server.store(place.realm).collection("main.items");
    for (const id of ["a", "b"]) await items.insert(item(id, { sku: "same" }));
    const newer = {
      ...club,
      definition: {
        ...club.definition,
        collections: shopModule({ indexes: [uniqueSku] }).definition.collections,
      },
    };
    expect((await commandOf(newer, ["--realm", place.realm, "--name", "newer"])).code).toBe(0);
    await items.insert(item("c", { sku: "same" }));
  });

  it("ends with --expires-in", async () => {
    const { code, out } = await command("--name", "brief", "--admin", "--expires-in", "1h");
    expect(code).toBe(0);
    expect(await administer(out[0])).toBe(200);
  });

  it("says why a store cannot be reached, without the password", async () => {
    const environment = { SVC_STORE: "mongodb://me:secret@127.0.0.1:1/", SVC_QUERY_TIME: "100ms" };
    const { code, err } = await commandOf(club, ["--realm", place.realm, "--name", "x"], environment);
    expect([code, err]).toEqual([1, "the store is unavailable: connect ECONNREFUSED 127.0.0.1:1"]);
  });

  it("says that no command reaches keys in memory", async () => {
    const environment = { SVC_STORE: "sqlite::memory:" };
    const { code, err } = await commandOf(club, ["--realm", place.realm, "--name", "x"], environment);
    expect(code).toBe(1);
    expect(err).toContain("sqlite::memory:");
  });
});

describe("key list", () => {
  it("prints what every key may do, oldest first, and neither a key nor its hash", async () => {
    const words = ["--name", "listed", "--areas", "audit", "--scopes", '{"read":["main"]}', "--on-behalf-of"];
    const made = (await command(...words)).out[0];
    const { code, out, err } = await act("list");
    expect([code, err]).toEqual([0, ""]);
    const keys = out.map((line) => JSON.parse(line));
    const times = keys.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort());
    expect(keys.find(({ name }) => name === "listed")).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{20}$/),
      name: "listed",
      scopes: { read: ["main"] },
      admin: ["audit"],
      networks: null,
      expires_at: null,
      on_behalf_of: true,
      kind: "operator",
      user: null,
      org: null,
      start: made?.slice(0, 8),
      created_at: expect.any(String),
      created_by: "command-line",
      last_used_at: null,
      last_used_address: null,
    });
    expect(out.join()).not.toContain(made);
  });

  it("prints more keys than one read finds", async () => {
    const before = (await act("list")).out.length;
    const store = server.store(place.realm);
    for (let at = 0; at < 101; at += 1) {
      await createKey(store, server.clock, { name: `many ${at}`, admin: false, scopes: {} });
    }
    const { out } = await act("list");
    expect(out).toHaveLength(before + 101);
    expect(new Set(out.map((line) => JSON.parse(line).id)).size).toBe(before + 101);
  });

  it.each([
    ["list", ["--name", "x"]],
    ["revoke", []],
    ["revoke", ["--name", "x", "--replace"]],
    ["revoke", ["--name", "x", "--id", "y"]],
    ["rotate", ["--id", "y"]],
    ["rotate", ["--name", "x", "--overlap", "8d"]],
    ["delete", ["--name", "x"]],
  ])("key %s %j is a mistake of usage: 2", async (action, words) => {
    const { code, err } = await act(action, ...words);
    expect(code).toBe(2);
    expect(err).toContain("key revoke --realm");
  });
});

describe("key revoke", () => {
  it("ends a key for the running server's next request, and says so in the audit trail", async () => {
    const key = (await command("--name", "lost", "--admin")).out[0];
    expect(await administer(key)).toBe(200);
    expect(await act("revoke", "--name", "lost")).toEqual({ code: 0, out: [], err: "" });
    expect(await administer(key)).toBe(401);
    const trail = {
      filter: eq(auditFields.action, "key.revoke"),
      visibility: "live",
      limit: 10,
      skip: 0,
    } as const;
    const records = await server.store(place.realm).collection(collections.audit).find(trail);
    expect(records.map(({ text }) => JSON.parse(text))).toMatchObject([
      { action: "key.revoke", actor: "command-line", target: "key:lost", address: null },
    ]);
  });

  it("says that there is no such key: 1", async () => {
    const { code, err } = await act("revoke", "--name", "nobody");
    expect([code, err]).toEqual([1, `realm ${place.realm} has no key named "nobody"`]);
  });
});
