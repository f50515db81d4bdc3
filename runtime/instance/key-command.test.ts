import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { administrationRoutes } from "../auth/administration/routes.ts";
import type { RealmModule } from "../realm/exchange.ts";
import { item, shopModule, uniqueSku } from "./fixture.ts";
import { run } from "./main.ts";
import { type Started, startRealm } from "./testing.ts";

const club: RealmModule = {
  definition: {
    name: "club",
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
  routes: [administrationRoutes("club")],
};

let folder: string;
let server: Started;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "keys-"));
  server = await startRealm(club, { settings: { store: folder }, clock: { now: Date.now } });
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const command = (...words: string[]) => commandOf(club, ...words);

async function commandOf(realm: RealmModule, ...words: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run({ fingerprint: "f", realms: [realm] }, ["key", "create", ...words], {
    environment: { SVC_STORE: `sqlite:${folder}` },
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { code, out, err: err.join("\n") };
}

const administer = async (key: string | undefined) =>
  (await fetch(`${server.url}/v1/club/_admin/users`, { headers: { authorization: `Bearer ${key}` } })).status;

describe("key create", () => {
  it("prints the key alone on the last line of stdout; it works at once beside the running server", async () => {
    const { code, out } = await command("--realm", "club", "--name", "ops", "--admin");
    expect(code).toBe(0);
    expect(out).toHaveLength(1);
    expect(out[0]).toMatch(/^svk_[\w-]+$/);
    expect(await administer(out[0])).toBe(200);
  });

  it("makes no administrator unless asked", async () => {
    const { out } = await command("--realm", "club", "--name", "app", "--scopes", '{"read":"*"}');
    expect(await administer(out[0])).toBe(403);
  });

  it("limits a key to networks", async () => {
    const elsewhere = await command(
      "--realm",
      "club",
      "--name",
      "far",
      "--admin",
      "--networks",
      "10.0.0.0/8,::2",
    );
    expect(await administer(elsewhere.out[0])).toBe(403);
    const here = await command("--realm", "club", "--name", "near", "--admin", "--networks", "127.0.0.0/8");
    expect(await administer(here.out[0])).toBe(200);
  });

  it("refuses a name that is taken, unless it replaces the key, which then ends", async () => {
    const first = await command("--realm", "club", "--name", "ops", "--admin");
    const second = await command("--realm", "club", "--name", "ops", "--admin");
    expect(second).toMatchObject({ code: 1, out: [] });
    expect(second.err).toContain("ops");
    const third = await command("--realm", "club", "--name", "ops", "--admin", "--replace");
    expect(third.code).toBe(0);
    expect(await administer(first.out[0])).toBe(401);
    expect(await administer(third.out[0])).toBe(200);
  });

  it.each([
    ["no realm", ["--name", "x"]],
    ["no name", ["--realm", "club"]],
    ["an unknown realm", ["--realm", "clib", "--name", "x"]],
    ["an unknown option", ["--realm", "club", "--name", "x", "--force"]],
    ["a stray word", ["--realm", "club", "--name", "x", "y"]],
    ["a bad duration", ["--realm", "club", "--name", "x", "--expires-in", "soon"]],
  ])("%s is a mistake of usage: 2", async (_what, words) => {
    const { code, out, err } = await command(...words);
    expect(code).toBe(2);
    expect(out).toEqual([]);
    expect(err).toContain("usage:");
  });

  it.each([
    ["scopes", ["--scopes", '{"raed":"*"}']],
    ["scopes that are no JSON", ["--scopes", "{"]],
    ["networks", ["--networks", "here"]],
    ["a name", ["--name", ""]],
  ])("refuses bad %s: 1", async (_what, words) => {
    const { code, out, err } = await command("--realm", "club", "--name", "x", ...words);
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
    const { code, out, err } = await command("--realm", "club", "--name", "x", "--scopes", scopes);
    expect([code, out, err]).toEqual([1, [], message]);
  });

  it("takes scopes that name databases and collections of the realm", async () => {
    const scopes = '{"read":["main/items"],"write":["main"],"call":["main"]}';
    expect((await command("--realm", "club", "--name", "x", "--scopes", scopes)).code).toBe(0);
  });

  it("touches nothing but keys: another build's command leaves the running server's indexes alone", async () => {
    const items = server.store("club").collection("main.items");
    for (const id of ["a", "b"]) await items.insert(item(id, { sku: "same" }));
    const newer = {
      ...club,
      definition: {
        ...club.definition,
        collections: shopModule({ indexes: [uniqueSku] }).definition.collections,
      },
    };
    expect((await commandOf(newer, "--realm", "club", "--name", "x")).code).toBe(0);
    await items.insert(item("c", { sku: "same" }));
  });

  it("ends with --expires-in", async () => {
    const { code, out } = await command(
      "--realm",
      "club",
      "--name",
      "brief",
      "--admin",
      "--expires-in",
      "1h",
    );
    expect(code).toBe(0);
    expect(await administer(out[0])).toBe(200);
  });

  it("says that a key in memory would be gone at once", async () => {
    const err: string[] = [];
    const code = await run(
      { fingerprint: "f", realms: [club] },
      ["key", "create", "--realm", "club", "--name", "x"],
      {
        environment: { SVC_STORE: "sqlite::memory:" },
        out: () => undefined,
        err: (line) => err.push(line),
      },
    );
    expect(code).toBe(1);
    expect(err.join()).toContain("sqlite::memory:");
  });
});
