import { beforeEach, describe, expect, test } from "vitest";
import { writeSecret } from "../auth/records.ts";
import { secretContext } from "../auth/sealed.ts";
import { timestamp } from "../clock.ts";
import { realmOf } from "../http/testing/server.ts";
import { heldClock } from "../instance/testing/servers.ts";
import type { FunctionDefinition } from "../realm/functions.ts";
import type { Store } from "../store/contract/store.ts";
import { SecretReader } from "./secrets.ts";

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
let changes: { count: number };
let reader: SecretReader;
beforeEach(() => {
  [value, reads, changes] = ["first", 0, { count: 0 }];
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
  reader = new SecretReader({ store, vault, clock, secretChanges: changes });
});

describe("Where the store knows revisions", () => {
  test("secrets are read once, until one is changed", async () => {
    revision = 1;
    expect(await reader.of(definition)).toEqual({ TOKEN: "first" });
    clock.advance(1_000_000);
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

  test("what another instance changes counts within a second; until then nothing is read", async () => {
    expect(await reader.of(definition)).toEqual({ TOKEN: "first" });
    value = "second";
    clock.advance(999);
    expect(reader.of(definition)).toEqual({ TOKEN: "first" });
    expect(reads).toBe(1);
    clock.advance(1);
    expect(await reader.of(definition)).toEqual({ TOKEN: "second" });
  });

  test("what is changed here counts at once, also where it was being read", async () => {
    const before = reader.of(definition);
    changes.count += 1;
    await before;
    value = "second";
    expect(await reader.of(definition)).toEqual({ TOKEN: "second" });
    changes.count += 1;
    value = "third";
    expect(await reader.of(definition)).toEqual({ TOKEN: "third" });
  });
});
