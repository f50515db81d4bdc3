import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silent } from "../http/testing/server.ts";
import type { JsonObject } from "../json.ts";
import {
  configurationShape,
  recordConfiguration,
  recordedConfiguration,
  recordedConfigurations,
} from "../realm/recorded.ts";
import type { Store } from "../store/contract/store.ts";
import { isEmbedded, testStore } from "../store/testing/stores.ts";
import { shopModule } from "./testing/fixture.ts";
import { heldClock, startRealm } from "./testing/servers.ts";

const files = (title: string): JsonObject => ({ "shop/main/items/schema.json": { title } });

describe("The configuration that a store was provisioned with", () => {
  let store: Store;
  const clock = heldClock();
  const record = (fingerprint: string, of: JsonObject = files(fingerprint)) =>
    recordConfiguration({
      ...{ store, realm: "shop", fingerprint, clock, log: silent },
      configuration: { realms: { shop: of, desk: files("another") } },
    });
  const fingerprints = async () => (await recordedConfigurations(store)).map((each) => each.fingerprint);

  beforeEach(async () => {
    store = await testStore({ collections: [configurationShape] });
  });
  afterEach(() => store.close());

  it("is kept with its fingerprint and the time, the realm's files alone", async () => {
    expect(await recordedConfiguration(store)).toBeUndefined();
    await record("a", files("first"));
    const provisionedAt = new Date(clock.now()).toISOString();
    expect(await recordedConfiguration(store)).toEqual({
      fingerprint: "a",
      provisionedAt,
      files: files("first"),
    });
  });

  it("is not written again while it is the same", async () => {
    await record("a");
    const [before] = await store.collection(configurationShape.name).scan(undefined, 9);
    clock.advance(1_000);
    await record("a");
    expect(await store.collection(configurationShape.name).scan(undefined, 9)).toEqual([before]);
  });

  it("takes the fingerprint of the newest where the realm's own files are the same", async () => {
    await record("a", files("same"));
    clock.advance(1_000);
    await record("b", files("same"));
    const provisionedAt = new Date(clock.now()).toISOString();
    expect(await recordedConfigurations(store)).toEqual([
      { fingerprint: "b", provisionedAt, files: files("same") },
    ]);
  });

  it("is one of the ten newest, also where an older one comes back", async () => {
    for (const each of "abcdefghijka") await record(each);
    expect((await fingerprints()).join("")).toBe("cdefghijka");
  });

  it("is recorded once by instances that start together", async () => {
    await record("old");
    await Promise.all(Array.from({ length: 5 }, () => record("new")));
    expect(await fingerprints()).toEqual(["old", "new"]);
  });

  it("is recorded anew beside one that cannot be read", async () => {
    await record("a");
    await store.collection(configurationShape.name).load([
      { id: "0000000002", version: 1, createdAt: 0, text: '{"id":"0000000002","fingerprint":"a"}' },
      {
        ...{ id: "0000000003", version: 1, createdAt: 0 },
        text: '{"id":"0000000003","fingerprint":"a","provisioned_at":"x","files":"no gzip"}',
      },
    ]);
    await record("a");
    expect(await fingerprints()).toEqual(["a", "a"]);
  });

  it("is not kept where nobody knows it", async () => {
    await recordConfiguration({ store, realm: "shop", fingerprint: "a", clock, log: silent });
    const configuration = { realms: { desk: files("another") } };
    await recordConfiguration({ store, realm: "shop", fingerprint: "a", configuration, clock, log: silent });
    expect(await recordedConfiguration(store)).toBeUndefined();
  });

  it.runIf(isEmbedded)("is kept however large it is, as the store holds it compressed", async () => {
    await record("large", files("x".repeat(40_000_000)));
    expect(Object.keys((await recordedConfiguration(store))?.files ?? {})).toEqual(Object.keys(files("")));
  });
});

it("A server records the configuration of its program when it has provisioned a realm", async () => {
  const server = await startRealm(shopModule({}), {
    fingerprint: "f7",
    configuration: { realms: { shop: files("served") } },
  });
  try {
    const provisionedAt = new Date(server.clock.now()).toISOString();
    expect(await recordedConfiguration(server.store("shop"))).toEqual({
      ...{ fingerprint: "f7", provisionedAt, files: files("served") },
    });
  } finally {
    await server.stop();
  }
});
