import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { administrationRoutes } from "../auth/administration/routes.ts";
import type { RealmModule } from "../realm/exchange.ts";
import { type ProcessPlace, processPlace } from "../store/testing.ts";
import { item, shopModule, uniqueSku } from "./fixture.ts";
import { run } from "./main.ts";
import type { Environment } from "./settings.ts";
import { type Started, startRealm } from "./testing.ts";

const clubNamed = (name: string): RealmModule => ({
  definition: {
    name,
    accounts: {
      signup: "open",
      roles: [],
      defaultRoles: [],
      sessionLifetime: 1_000,
      sessionIdleTimeout: 1_000,
    },
    origins: [],
    appConfig: {},
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

async function commandOf(
  realm: RealmModule,
  words: readonly string[],
  environment: Environment = { SVC_STORE: place.setting },
) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run({ fingerprint: "f", realms: [realm] }, ["key", "create", ...words], {
    environment,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { code, out, err: err.join("\n") };
}

const administer = async (key: string | undefined) =>
  (
    await fetch(`${server.url}/v1/${place.realm}/_admin/users`, {
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
    ['{"read":["mian"]}', "read names \"mian\", which the realm does not have; did you mean 'main'?"],
    [
      '{"write":["main","main/itmes"]}',
      "write names \"main/itmes\", which the realm does not have; did you mean 'main/items'?",
    ],
    ['{"call":["main/refund"]}', 'call names "main/refund", which the realm does not have'],
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

  it("says that a key in memory would be gone at once", async () => {
    const environment = { SVC_STORE: "sqlite::memory:" };
    const { code, err } = await commandOf(club, ["--realm", place.realm, "--name", "x"], environment);
    expect(code).toBe(1);
    expect(err).toContain("sqlite::memory:");
  });
});
