import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../clock.ts";
import { eq, TRUE } from "../../filter/algebra.ts";
import { field } from "../../filter/fields.ts";
import { ForeignWrite, HistoryExpired } from "../contract/errors.ts";
import type { CollectionShape, IndexShape } from "../contract/shape.ts";
import type { Store } from "../contract/store.ts";
import { read } from "../testing/suite/fixtures.ts";
import { openDatabase } from "./driver.ts";
import { openSqliteStore } from "./store.ts";

let folder: string;
let stores: Store[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-store-"));
  stores = [];
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

const name = field("name", "string");
const tags = field("tags", "string", ["tags"]);
const things = (indexes: readonly IndexShape[] = []): CollectionShape => ({
  name: "app.things",
  fields: {},
  indexes,
  feed: "documents",
});
const byName = { name: "by_name", keys: [{ field: name, descending: false }], unique: true };
const byTags = { name: "by_tags", keys: [{ field: tags, descending: false }], unique: false };

async function opened(shape = things(), realm = "realm"): Promise<Store> {
  const store = await openSqliteStore({ location: folder, realm, clock: systemClock, queryTime: 5_000 });
  stores.push(store);
  await store.provision([shape]);
  return store;
}

const document = (id: string, body: object = {}) => ({
  id,
  version: 1,
  createdAt: 0,
  text: JSON.stringify({ id, ...body }),
});

/** Names in the file's schema. */
function schema(type: string): string[] {
  const database = openDatabase(join(folder, "realm.sqlite"), { readOnly: true });
  const rows = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite%' ORDER BY 1")
    .all(type);
  database.close();
  return rows.map((row) => `${row["name"]}`);
}

describe("what was acknowledged is there", () => {
  test("after closing and opening again: documents, indexes, the feed and its positions", async () => {
    const first = await opened(things([byName, byTags]));
    const from = await first.feed.head();
    await first.collection("app.things").insert(document("a", { name: "Ada", tags: ["x"] }));
    const middle = await first.feed.head();
    await first.collection("app.things").insert(document("b", { name: "Bob" }));
    await first.close();
    // Everything is in the file itself: nothing is lost when only that is copied.
    for (const beside of ["realm.sqlite-wal", "realm.sqlite-shm"])
      rmSync(join(folder, beside), { force: true });

    const second = await opened(things([byName, byTags]));
    const collection = second.collection("app.things");
    expect(await collection.find({ filter: TRUE, visibility: "live", limit: 9, skip: 0 })).toEqual([
      { id: "a", version: 1, text: '{"id":"a","name":"Ada","tags":["x"]}' },
      { id: "b", version: 1, text: '{"id":"b","name":"Bob"}' },
    ]);
    expect(await collection.count(eq(tags, "x"), "live")).toBe(1);
    await expect(collection.insert(document("c", { name: "Ada" }))).rejects.toMatchObject({
      index: "by_name",
    });
    expect((await read(second.feed, from, 9)).map(({ id }) => id)).toEqual(["a", "b"]);
    expect((await read(second.feed, middle, 9)).map(({ id }) => id)).toEqual(["b"]);
  });

  test("after the process is killed in the middle of writing", async () => {
    const program = `
      import { openSqliteStore } from ${JSON.stringify(new URL("./store.ts", import.meta.url).href)};
      import { writeSync } from "node:fs";
      const store = await openSqliteStore({ location: ${JSON.stringify(folder)}, realm: "realm", clock: Date, queryTime: 5000 });
      await store.provision([{ name: "app.things", fields: {}, indexes: [], feed: "documents" }]);
      const things = store.collection("app.things");
      let acknowledged = 0;
      for (let writer = 0; writer < 8; writer++) {
        (async () => {
          for (let n = 0; ; n++) {
            const id = writer + "-" + n;
            await things.insert({ id, version: 1, createdAt: n, text: JSON.stringify({ id }) });
            writeSync(1, id + "\\n");
            if (++acknowledged === 300) process.kill(process.pid, "SIGKILL");
          }
        })();
      }`;
    let output = "";
    try {
      execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], {
        encoding: "utf8",
      });
    } catch (error) {
      if (error instanceof Error && "stdout" in error) output = `${error.stdout}`;
    }
    const acknowledged = output.trimEnd().split("\n");
    expect(acknowledged).toHaveLength(300);
    const store = await opened();
    const missing: string[] = [];
    for (const id of acknowledged) {
      if ((await store.collection("app.things").get(id, "live")) === undefined) missing.push(id);
    }
    expect(missing).toEqual([]);
    const changes = await read(store.feed, "0", 10_000);
    expect(await store.collection("app.things").count(TRUE, "live")).toBe(changes.length);
  });
});

describe("files", () => {
  test("a realm is a file; a store in memory leaves none", async () => {
    await opened(things(), "one");
    await opened(things(), "two");
    expect(readdirSync(folder).filter((file) => file.endsWith(".sqlite"))).toEqual([
      "one.sqlite",
      "two.sqlite",
    ]);
    vi.stubEnv("TMPDIR", join(folder, "temporary"));
    mkdirSync(tmpdir());
    const options = { location: ":memory:", realm: "r", clock: systemClock, queryTime: 1 };
    const memory = await openSqliteStore(options);
    expect(readdirSync(tmpdir())).toHaveLength(1);
    await memory.close();
    expect(readdirSync(tmpdir())).toEqual([]);
    vi.unstubAllEnvs();
  });

  test("a file of a newer version is refused, untouched", async () => {
    const database = openDatabase(join(folder, "realm.sqlite"), { readOnly: false });
    database.exec("PRAGMA user_version = 99");
    await expect(opened()).rejects.toThrow("newer version");
    expect(database.prepare("PRAGMA user_version").get()).toMatchObject({ user_version: 99 });
    database.close();
  });

  test("health notices that the file is gone", async () => {
    const store = await opened();
    await store.health();
    rmSync(join(folder, "realm.sqlite"));
    await expect(store.health()).rejects.toThrow("ENOENT");
  });
});

describe("indexes", () => {
  test("ours are dropped when they are declared no longer, others are kept", async () => {
    await (await opened(things([byName, byTags]))).close();
    const database = openDatabase(join(folder, "realm.sqlite"), { readOnly: false });
    database.exec(`CREATE INDEX "by an administrator" ON "c.app.things" (version)`);
    database.close();
    expect(schema("index")).toContain("svc_index.app.things.by_name");
    expect(schema("table")).toContain("svc_values.app.things.tags");
    expect(schema("trigger")).toHaveLength(3);

    await (await opened(things())).close();
    expect(schema("index")).toEqual([
      "by an administrator",
      "svc_deleted.app.things",
      "svc_live.app.things",
      "svc_purge.app.things",
    ]);
    expect(schema("table")).toEqual([
      "c.app.things",
      "svc_feed",
      "svc_feed_collections",
      "svc_feed_holds",
      "svc_feed_start",
      "svc_text",
    ]);
    expect(schema("trigger")).toEqual([]);
  });

  test("those of a collection that is declared no longer stay with its documents", async () => {
    const first = await opened(things([byName]));
    await first.collection("app.things").insert(document("a", { name: "Ada" }));
    await first.close();
    await (await opened({ ...things(), name: "app.others" })).close();
    const again = await opened(things([byName]));
    expect(await again.collection("app.things").count(TRUE, "live")).toBe(1);
  });

  test("an index over an array is remade when the array's place changes", async () => {
    const lines = (arrays: readonly string[]) => ({
      ...byTags,
      keys: [{ field: field("a.b", "string", arrays), descending: false }],
    });
    const first = await opened(things([lines(["a"])]));
    await first.collection("app.things").insert(document("x", { a: { b: ["v"] } }));
    expect(await first.collection("app.things").count(eq(field("a.b", "string", ["a"]), "v"), "live")).toBe(
      0,
    );
    await first.close();
    const second = await opened(things([lines(["a.b"])]));
    expect(
      await second.collection("app.things").count(eq(field("a.b", "string", ["a.b"]), "v"), "live"),
    ).toBe(1);
  });

  test("a unique index through an array is an error", async () => {
    await expect(opened(things([{ ...byTags, unique: true }]))).rejects.toThrow("by_tags");
  });
});

test("a transaction that awaits a write outside of it fails, and holds up nothing", async () => {
  const store = await opened();
  const collection = store.collection("app.things");
  const refused = store.transaction(async (transaction) => {
    await transaction.collection("app.things").insert(document("inside"));
    await collection.insert(document("outside"));
  });
  await expect(refused).rejects.toBeInstanceOf(ForeignWrite);
  await collection.insert(document("later"));
  await store.health();
  expect(await collection.count(TRUE, "all")).toBe(1);
});

describe("the feed forgets", () => {
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  };
  const clock = { time: 0, now: () => clock.time };
  async function followed(feedBytes?: number): Promise<Store> {
    const options = { location: folder, realm: "realm", clock, queryTime: 5_000, feedBytes };
    const store = await openSqliteStore(options);
    stores.push(store);
    await store.provision([things()]);
    return store;
  }

  test("what is due while nothing is written, by a timer that does not keep the process alive", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const began = vi.spyOn(globalThis, "setInterval");
      const store = await followed();
      expect(began.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
      await store.collection("app.things").insert(document("a"));
      clock.time += 25 * 60 * 60 * 1000;
      await turns();
      expect(await read(store.feed, "0", 9)).toHaveLength(1);
      vi.advanceTimersByTime(60_000);
      await turns();
      await expect(read(store.feed, "0", 9)).rejects.toBeInstanceOf(HistoryExpired);
      expect(await read(store.feed, "1", 9)).toEqual([]);
      await store.close();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      // In this order: the spy is one on a timer that is not the real one.
      vi.restoreAllMocks();
      vi.useRealTimers();
    }
  });

  test("what is beyond its bytes, at once and after a restart with fewer: positions before it expire", async () => {
    const store = await followed(100_000);
    const collection = store.collection("app.things");
    const text = "ä".repeat(5_000);
    for (let n = 1; n <= 20; n++) await collection.insert(document(`${n}`, { text }));
    await turns();
    await expect(read(store.feed, "10", 99)).rejects.toBeInstanceOf(HistoryExpired);
    expect((await read(store.feed, "11", 99)).map(({ id }) => id)).toEqual(
      Array.from({ length: 9 }, (_, n) => `${12 + n}`),
    );
    await collection.replace(1, { ...document("20"), version: 2 });
    await collection.remove("20", 2);
    await store.close();

    const again = await followed(30_000);
    expect((await read(again.feed, "19", 99)).map(({ id }) => id)).toEqual(["20", "20", "20"]);
    await expect(read(again.feed, "18", 99)).rejects.toBeInstanceOf(HistoryExpired);
    expect(await again.feed.head()).toBe("22");
  });

  test("one that is larger than all that is kept", async () => {
    const store = await followed(100_000);
    await store.collection("app.things").insert(document("a", { text: "a".repeat(200_000) }));
    await turns();
    await expect(read(store.feed, "0", 9)).rejects.toBeInstanceOf(HistoryExpired);
    expect(await read(store.feed, "1", 9)).toEqual([]);
  });

  test("later what somebody holds back: for a week, not beyond its bytes, and also after a restart", async () => {
    const DAY = 24 * 60 * 60 * 1000;
    clock.time = 0;
    const first = await followed(100_000);
    await first.collection("app.things").insert(document("a"));
    await first.collection("app.things").insert(document("b"));
    await first.feed.hold("slow", "1");
    await first.feed.hold("quick", "2");
    clock.time = 2 * DAY;
    await first.close();
    const store = await followed(100_000);
    const things = store.collection("app.things");
    await things.insert(document("c"));
    await turns();
    expect(await store.feed.oldest()).toBe("1");
    expect((await read(store.feed, "1", 9)).map(({ id }) => id)).toEqual(["b", "c"]);

    await store.feed.hold("slow", undefined);
    await things.insert(document("d"));
    await turns();
    expect(await store.feed.oldest()).toBe("2");

    await store.feed.hold("quick", "2");
    clock.time = 8 * DAY;
    await things.insert(document("e"));
    await turns();
    expect((await read(store.feed, "2", 9)).map(({ id }) => id)).toEqual(["c", "d", "e"]);
    clock.time = 10 * DAY;
    await things.insert(document("f"));
    await turns();
    expect(await store.feed.oldest()).toBe("4");

    const text = "x".repeat(60_000);
    await things.insert(document("g", { text }));
    await things.insert(document("h", { text }));
    await turns();
    await expect(store.feed.read("4", 9)).rejects.toBeInstanceOf(HistoryExpired);
    await expect(store.feed.hold("slow", "x")).rejects.toBeInstanceOf(HistoryExpired);
  });

  test("a file from before changes were counted is brought up to date", async () => {
    await (await followed()).close();
    const database = openDatabase(join(folder, "realm.sqlite"), { readOnly: false });
    database.exec(
      "DROP TABLE svc_feed; CREATE TABLE svc_feed (position INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER)",
    );
    database.close();
    const store = await followed();
    await store.collection("app.things").insert(document("a"));
    expect(await read(store.feed, "0", 9)).toHaveLength(1);
  });
});

describe("another process writing beside", () => {
  test("its writes are seen, and change every revision", async () => {
    const [ours, theirs] = [await opened(), await opened()];
    const before = ours.revision("app.things");
    expect(ours.revision("app.things")).toBe(before);
    await theirs.collection("app.things").insert(document("a"));
    await new Promise(setImmediate);
    expect(ours.revision("app.things")).not.toBe(before);
    expect(await ours.collection("app.things").get("a", "live")).toBeDefined();
    expect((await read(ours.feed, "0", 10)).map(({ id }) => id)).toEqual(["a"]);
  });

  test("both may write at once", async () => {
    const both = [await opened(), await opened()];
    await Promise.all(
      both.map(async (store, at) => {
        for (let n = 0; n < 30; n++) await store.collection("app.things").insert(document(`${at}-${n}`));
      }),
    );
    expect(await both[0]?.collection("app.things").count(TRUE, "live")).toBe(60);
  });
});
