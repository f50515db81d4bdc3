import { beforeEach, describe, expect, test } from "vitest";
import { writeSecret } from "../auth/records.ts";
import { secretContext } from "../auth/sealed.ts";
import { timestamp } from "../clock.ts";
import { realmOf } from "../http/testing/server.ts";
import { heldClock } from "../instance/testing/servers.ts";
import type { FunctionDefinition } from "../realm/functions.ts";
import type { Store } from "../store/contract/store.ts";
import { SecretReader, withoutSecrets } from "./secrets.ts";

const clock = heldClock();
const { instance } = realmOf({});
const { vault } = instance;

const definition: FunctionDefinition = {
  mode: "webhook",
  realm: "acme",
  database: "shop",
  name: "hook",
  timeout: 10_000,
  memory: 128 * 1024 ** 2,
  concurrency: 8,
  scopes: { read: [], write: [] },
  secrets: ["TOKEN"],
  network: [],
  mail: false,
};

let revision: number | undefined;
let value: string;
let reads: number;
let reader: SecretReader;
beforeEach(() => {
  [value, reads] = ["first", 0];
  const store: Store = Object.assign(Object.create(instance.store), {
    revision: () => revision,
    collection: () => ({
      find: async () => {
        reads += 1;
        const at = timestamp(clock.now());
        const sealed = vault.seal(value, secretContext("TOKEN"));
        return [writeSecret({ id: "TOKEN", value: sealed, created_at: at, updated_at: at }, 1)];
      },
    }),
  });
  reader = new SecretReader({ store, vault });
});

describe("Where the store knows revisions", () => {
  test("secrets are read once, until one is changed", async () => {
    revision = 1;
    expect(await reader.of(definition)).toEqual({ TOKEN: "first" });
    expect(reader.of(definition)).toEqual({ TOKEN: "first" });
    [revision, value] = [2, "second"];
    expect(await reader.of(definition)).toEqual({ TOKEN: "second" });
    expect(reads).toBe(2);
  });
});

describe("Where the store is shared", () => {
  beforeEach(() => {
    revision = undefined;
  });

  test("secrets are read for every run: what another instance changes counts at once", async () => {
    expect(await reader.of(definition)).toEqual({ TOKEN: "first" });
    value = "second";
    expect(await reader.of(definition)).toEqual({ TOKEN: "second" });
    expect(reads).toBe(2);
  });
});

describe("Where values are given beside the store", () => {
  test("they go before those of administrators, and count as they are at the moment", async () => {
    const given: Record<string, string> = {};
    const { instance: realm } = realmOf({});
    const own = new SecretReader(realm, () => given);
    given["TOKEN"] = "given";
    expect(await own.of(definition)).toEqual({ TOKEN: "given" });
    given["TOKEN"] = "changed";
    expect(await own.of(definition)).toEqual({ TOKEN: "changed" });
  });
});

test("secrets are hidden in lines of logs wherever they stand, and a number that is one is no mistake", () => {
  const secrets = { PIN: "12345", QUOTED: 'a"b\\c', PUNCTUATION: '":"x' };
  const line = {
    at: "2026-01-01T00:00:00.000Z",
    level: "info",
    message: '12345 and a"b\\c',
    fields: { n: 12345, other: 7, deep: [{ 'a"b\\c': 'the a"b\\c' }], ok: true, nothing: null, k: "x" },
  } as const;
  expect(withoutSecrets(line, secrets)).toEqual({
    at: line.at,
    level: "info",
    message: "[PIN] and [QUOTED]",
    fields: { n: "[PIN]", other: 7, deep: [{ "[QUOTED]": "the [QUOTED]" }], ok: true, nothing: null, k: "x" },
  });
});
