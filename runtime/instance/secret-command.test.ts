import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditFields, collections } from "../auth/collections.ts";
import { eq } from "../filter/algebra.ts";
import type { RealmModule } from "../realm/exchange.ts";
import type { FunctionDefinition } from "../realm/functions.ts";
import { type ProcessPlace, processPlace } from "../store/testing/stores.ts";
import { run } from "./main.ts";
import { shopModule } from "./testing/fixture.ts";
import { type Started, startRealm } from "./testing/servers.ts";

let place: ProcessPlace;
let shop: RealmModule;
let server: Started;
beforeAll(async () => {
  place = processPlace();
  const { definition } = shopModule({});
  shop = { definition: { ...definition, name: place.realm, functions: [hook(place.realm)] }, routes: [] };
  server = await startRealm(shop, { settings: { store: place.location }, clock: { now: Date.now } });
});
afterAll(async () => {
  await server.stop();
  await place.discard();
});

function hook(realm: string): FunctionDefinition {
  return {
    ...{ mode: "webhook", realm, database: "main", name: "hook", timeout: 10_000, memory: 2 ** 27 },
    ...{ concurrency: 8, scopes: { read: [], write: [] }, network: [], mail: false },
    secrets: ["TOKEN", "OTHER"],
  };
}

async function secret(stdin: string, ...words: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run({ fingerprint: "f", realms: [shop] }, ["secret", ...words], {
    environment: { SVC_STORE: place.setting, SVC_KEYS: Buffer.alloc(32, 7).toString("base64") },
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    read: async () => stdin,
  });
  return { code, out, err: err.join("\n") };
}

const ready = async (): Promise<unknown> => (await fetch(`${server.url}/readyz`)).json();

describe("secret set", () => {
  test("beside a running server sets what comes on stdin; list and /readyz say what is missing", async () => {
    const realm = ["--realm", place.realm];
    expect(await ready()).toMatchObject({
      status: "ready",
      warnings: [expect.stringContaining("functions lack 2 of their secrets")],
    });
    expect(JSON.stringify(await ready())).not.toContain("TOKEN");
    const set = await secret("first\n", "set", ...realm, "--name", "TOKEN");
    expect(set).toMatchObject({ code: 0, out: [] });
    expect(set.err).not.toContain("first");
    const listed = await secret("", "list", ...realm);
    expect(listed.out.map((line) => JSON.parse(line))).toEqual([
      { name: "OTHER", set: false, functions: ["main/hook"] },
      { name: "TOKEN", set: true, functions: ["main/hook"] },
    ]);
    expect(await ready()).toMatchObject({ warnings: [expect.stringContaining("lack 1 of their secrets")] });
    await secret("second", "set", ...realm, "--name", "OTHER");
    expect(await ready()).toEqual({ status: "ready", config: expect.any(String) });
    const stored = await server.store(place.realm).collection(collections.secrets).get("TOKEN", "live");
    expect(stored?.text).not.toContain("first");
    const audited = await server
      .store(place.realm)
      .collection(collections.audit)
      .find({
        ...{ filter: eq(auditFields.action, "secret.put"), visibility: "live", limit: 10, skip: 0 },
      });
    expect(audited.map(({ text }) => JSON.parse(text))).toMatchObject([
      { actor: "command-line", target: "secret:TOKEN", details: { replaced: false } },
      { actor: "command-line", target: "secret:OTHER" },
    ]);
  });

  test("warns of a secret that no function declares", async () => {
    const set = await secret("x", "set", "--realm", place.realm, "--name", "UNUSED");
    expect([set.code, set.err]).toEqual([0, expect.stringContaining("declares the secret UNUSED")]);
  });

  test.each<[string, string, readonly string[]]>([
    ["nothing came", "\n", ["set", "--name", "TOKEN"]],
    ["at most 65536 characters", "x".repeat(65_537), ["set", "--name", "TOKEN"]],
    ["must begin with a letter", "x", ["set", "--name", "9"]],
    ["--name is missing", "x", ["set"]],
    ["unknown command: secret put", "x", ["put"]],
  ])("is refused: %s", async (problem, stdin, words) => {
    const refused = await secret(stdin, ...words, "--realm", place.realm);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(problem)]);
  });
});
