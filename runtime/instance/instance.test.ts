import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { field } from "../filter/fields.ts";
import { silent } from "../http/testing/server.ts";
import { changePace } from "../migrations/pace-change.ts";
import type { MigrationDefinition } from "../realm/migrations.ts";
import { UniqueIndexViolated } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import { openStores } from "../store/engines.ts";
import { FolderLocked } from "../store/sqlite/lock.ts";
import { isEmbedded, type TestPlace, testPlace } from "../store/testing/stores.ts";
import { until } from "../testing/until.ts";
import { startInstance } from "./instance.ts";
import { realmCollections } from "./realm.ts";
import { BadSettings } from "./settings.ts";
import { item, shopModule, uniqueSku } from "./testing/fixture.ts";
import { heldClock, startRealm, testSettings } from "./testing/servers.ts";

let place: TestPlace;
let folder: string;
beforeEach(() => {
  place = testPlace();
  folder = mkdtempSync(join(tmpdir(), "instance-"));
});
afterEach(async () => {
  await place.discard();
  rmSync(folder, { recursive: true, force: true });
});

const plain = shopModule({});

function instance(module = plain, repeat: () => () => void = () => () => undefined) {
  return startInstance({
    fingerprint: "f",
    realms: [module],
    settings: { ...testSettings, store: place.location },
    clock: heldClock(),
    log: silent,
    repeat,
  });
}

async function fill(
  ids: readonly string[],
  sku: string,
  also: (store: Store) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const stores = await openStores({
    location: place.location,
    setting: "SVC_STORE",
    clock: heldClock(),
    queryTime: 1_000,
  });
  const store = await stores.open("shop");
  await store.provision(realmCollections(plain.definition));
  for (const id of ids) await store.collection("main.items").insert(item(id, { sku }));
  await also(store);
  await stores.close();
}

describe("An instance", () => {
  it("tells at /readyz how far the migrations are that run before it is ready", async () => {
    await fill(["a", "b", "c"], "x", (store) =>
      changePace({ store, clock: heldClock() }, "0001", { rate: 1 }, async () => {}),
    );
    const { definition, routes } = plain;
    const rename: MigrationDefinition = { number: "0001", name: "same", forward: (document) => document };
    const collections = definition.collections.map((each) => ({ ...each, migrations: [rename] }));
    const serving = await instance({
      definition: { ...definition, migrations: "start", collections },
      routes,
    });
    try {
      const look = async () => {
        const response = await fetch(`${serving.url}/readyz`);
        return [response.status, response.headers.get("retry-after"), await response.json()];
      };
      const error = {
        ...{ code: "unavailable", message: "Documents are being migrated.", request_id: expect.any(String) },
      };
      const migrating = { status: "migrating", done: expect.any(Number), total: 3, error };
      await until(async () => expect(await look()).toEqual([503, "5", migrating]));
      const store = serving.store("shop");
      await changePace({ store, clock: heldClock() }, "0001", { rate: null }, async () => {});
      await serving.ready;
      expect(await look()).toEqual([200, null, { status: "ready", config: "f" }]);
    } finally {
      await serving.stop(0);
    }
  });

  it("serves connections that were accepted elsewhere, and ends once they are closed", async () => {
    const serving = await instance(
      shopModule({
        routes: {
          "/v1/shop/main/slow": {
            GET: () => ({
              class: "document",
              async handle() {
                stopped = serving.stop(5_000);
                await setImmediate();
                return { status: 200, body: '"done"' };
              },
            }),
          },
        },
      }),
    );
    await serving.ready;
    let stopped: Promise<void> | undefined;
    const front = createServer((connection) => serving.accept(connection));
    front.listen(0, "127.0.0.1");
    await once(front, "listening");
    const address = front.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const url = `http://127.0.0.1:${address.port}`;
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    // Idle, as clients keep connections for later.
    const idle = connect(address.port, "127.0.0.1");
    await once(idle, "connect");
    expect(await (await fetch(`${url}/v1/shop/main/slow`)).json()).toBe("done");
    const ended = once(idle.resume(), "end");
    await stopped;
    await ended;
    expect(await promisify(front.getConnections.bind(front))()).toBe(0);
    front.close();
  });

  it("keeps its documents from start to start", async () => {
    const first = await instance();
    await first.ready;
    await first.store("shop").collection("main.items").insert(item("a"));
    await first.stop(0);
    const second = await instance();
    await second.ready;
    expect(await second.store("shop").collection("main.items").get("a", "live")).toMatchObject({ id: "a" });
    await second.stop(0);
  });

  it.runIf(isEmbedded)(
    "is the only one on its folder; a second is refused with the name of the first",
    async () => {
      const first = await instance();
      await expect(instance()).rejects.toThrow(new RegExp(`in use by process ${process.pid} on [^,:]+$`));
      await expect(instance()).rejects.toThrow(FolderLocked);
      await first.stop(0);
      const second = await instance();
      await second.stop(0);
    },
  );

  it("is never ready when a unique index is violated, and names index and documents", async () => {
    await fill(["a", "b"], "same");
    const started = await instance(shopModule({ indexes: [uniqueSku] }));
    await expect(started.ready).rejects.toThrow(UniqueIndexViolated);
    await expect(started.ready).rejects.toThrow(/sku.*a, b/);
    expect((await fetch(`${started.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${started.url}/healthz`)).status).toBe(200);
    await started.stop(0);
  });

  it("gives its store back when it cannot listen", async () => {
    const taken = await startRealm(plain);
    const port = Number(new URL(taken.url).port);
    const settings = { ...testSettings, store: place.location, port };
    const options = { fingerprint: "f", realms: [plain], clock: heldClock(), log: silent };
    await expect(startInstance({ ...options, settings })).rejects.toThrow(/EADDRINUSE/);
    await taken.stop();
    const second = await startInstance({ ...options, settings });
    await second.stop(0);
  });

  it("makes its folders, for nobody else's eyes", async () => {
    const [data, stored] = [join(folder, "deep", "data"), join(folder, "deep", "store")];
    const server = await startRealm(plain, {
      settings: { data, store: { engine: "sqlite", folder: stored } },
    });
    for (const made of [data, stored]) expect(statSync(made).mode & 0o777).toBe(0o700);
    await server.stop();
  });

  it("keeps a key of its own in its data folder, so that cursors outlive it", async () => {
    const settings = { store: { engine: "sqlite", folder }, keys: undefined } as const;
    const first = await startRealm(plain, { settings });
    await first.stop();
    const key = readFileSync(join(folder, "keys"), "utf8");
    const second = await startRealm(plain, { settings });
    await second.stop();
    expect(readFileSync(join(folder, "keys"), "utf8")).toBe(key);
  });

  it("makes no key of its own where others share its store, but says how to make one", async () => {
    const store = { engine: "mongodb", uri: "mongodb://127.0.0.1:1", prefix: "svc-" } as const;
    const started = startInstance({
      fingerprint: "f",
      realms: [plain],
      settings: { ...testSettings, store, data: folder, keys: undefined },
      clock: heldClock(),
      log: silent,
    });
    await expect(started).rejects.toThrow(BadSettings);
    await expect(started).rejects.toThrow(/^SVC_KEYS is required with MongoDB.*node -p/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("refuses a URI that its driver cannot use, without repeating it", async () => {
    const uri = "mongodb://me:secret@127.0.0.1:1/?replicaSets=rs0";
    const store = { engine: "mongodb", uri, prefix: "svc-" } as const;
    const failure = await startRealm(plain, { settings: { store } }).catch(String);
    expect(failure).toMatch(/^Error: SVC_STORE: .*replicasets/i);
    expect(failure).not.toContain("secret");
  });

  it("does not start where a collection asks for more expansion than it allows, and names file and reference", async () => {
    const [items] = plain.definition.collections;
    if (items === undefined) throw new Error("the fixture has a collection");
    const tags = {
      database: "main",
      collection: "items",
      field: field("tag_ids", "string", ["tag_ids"]),
      key: "id",
      many: true,
    };
    const collections = [
      { ...items, references: { tags: { ...tags, maxExpand: 20 } }, expand: { maxDocs: 500 } },
    ];
    const module = { ...plain, definition: { ...plain.definition, collections } };
    const expandLimits = { ...testSettings.expandLimits, maxArray: 10, maxDocs: 100 };
    await expect(startRealm(module, { settings: { expandLimits } })).rejects.toThrow(
      /main\/items\/collection\.yaml: .*\n.*references\.tags\.max_expand is 20|references\.tags\.max_expand is 20.*\n.*max_docs/s,
    );
    const server = await startRealm(module);
    await server.stop();
  });

  it("does not start where a realm asks for more of realtime than it allows, and names file and key", async () => {
    const definition = { ...plain.definition, realtime: { maxStreams: 500, bufferBytes: 65_536 } };
    const module = { ...plain, definition };
    const { realtime } = testSettings;
    const lower = { ...realtime, limits: { ...realtime.limits, maxStreams: 400 } };
    await expect(startRealm(module, { settings: { realtime: lower } })).rejects.toThrow(
      /^\w+\/realm\.yaml: realtime\.max_streams is 500, above the instance's SVC_REALTIME_MAX_STREAMS of 400$/,
    );
    const server = await startRealm(module);
    await server.stop();
  });

  it("names the setting of a folder that it cannot make", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    await expect(
      startRealm(plain, { settings: { store: { engine: "sqlite", folder: file } } }),
    ).rejects.toThrow(/^SVC_STORE: EEXIST/);
    await expect(startRealm(plain, { settings: { data: join(file, "x") } })).rejects.toThrow(
      /^SVC_DATA: ENOTDIR/,
    );
  });

  it("waits for background work before it closes the stores", async () => {
    let release: () => void = () => undefined;
    const done: string[] = [];
    const module = shopModule({
      routes: {
        "/v1/shop/main/items": {
          POST: ({ background, store }) => ({
            class: "document",
            handle: () => {
              const work = new Promise<void>((resolve) => {
                release = resolve;
              });
              background(
                work.then(async () => {
                  await store.collection("main.items").insert(item("late"));
                  done.push("written");
                }),
              );
              return { status: 204 };
            },
          }),
        },
      },
    });
    const server = await startRealm(module);
    await fetch(`${server.url}/v1/shop/main/items`, { method: "POST" });
    const stopped = server.stop().then(() => done.push("stopped"));
    release();
    await stopped;
    expect(done).toEqual(["written", "stopped"]);
  });
});
