import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { compare, eq, TRUE } from "../../filter/algebra.ts";
import { field } from "../../filter/fields.ts";
import { QueryTimeout, type Store, StoreBusy } from "../contract.ts";
import { openSqliteStore } from "./store.ts";
import { INLINE_ROWS } from "./table.ts";

const size = field("size", "integer");
const missing = eq(size, -1);
/** Enough to leave the main thread for certain, although rows are counted by sampling. */
const MANY = INLINE_ROWS * 4;

let store: Store;
afterEach(() => store.close());

async function filled(queryTime: number, readers: number) {
  store = await openSqliteStore({
    location: ":memory:",
    realm: "pool",
    clock: systemClock,
    queryTime,
    readers,
  });
  await store.provision([{ name: "app.things", fields: {}, indexes: [], feed: false }]);
  const collection = store.collection("app.things");
  await store.transaction(async (transaction) => {
    const own = transaction.collection("app.things");
    for (let n = 0; n < MANY; n++) {
      await own.insert({ id: `${n}`, version: 1, createdAt: n, text: `{"id":"${n}","size":${n}}` });
    }
  });
  return collection;
}

const search = { filter: missing, visibility: "live", limit: 20, skip: 0 } as const;

test("queries that visit many rows are answered by the readers", async () => {
  const collection = await filled(60_000, 2);
  const last = { filter: compare("gte", size, MANY - 2), visibility: "live", limit: 20, skip: 0 } as const;
  const [found, counted, all, skipped] = await Promise.all([
    collection.find(last),
    collection.count(compare("lt", size, 10), "live"),
    collection.count(TRUE, "all"),
    collection.find({ filter: TRUE, visibility: "live", limit: 2, skip: MANY - 2 }),
  ]);
  expect(found).toEqual([
    { id: `${MANY - 2}`, version: 1, text: `{"id":"${MANY - 2}","size":${MANY - 2}}` },
    { id: `${MANY - 1}`, version: 1, text: `{"id":"${MANY - 1}","size":${MANY - 1}}` },
  ]);
  expect(counted).toBe(10);
  expect(all).toBe(MANY);
  expect(skipped).toEqual(found);
});

test("a query past its time is a QueryTimeout; the reader goes on", async () => {
  const collection = await filled(0, 1);
  await expect(collection.find(search)).rejects.toBeInstanceOf(QueryTimeout);
  await expect(collection.count(missing, "live")).rejects.toBeInstanceOf(QueryTimeout);
  expect(await collection.find({ ...search, filter: eq(size, 3), limit: 1 })).toHaveLength(1);
});

test("a full pool is StoreBusy; cheap queries are answered all the same, and those waiting too", async () => {
  const collection = await filled(60_000, 1);
  const running = Array.from({ length: 17 }, () => collection.find(search));
  await expect(collection.count(missing, "live")).rejects.toBeInstanceOf(StoreBusy);
  expect(await collection.get("1", "live")).toBeDefined();
  expect(await collection.find({ ...search, filter: TRUE })).toHaveLength(20);
  expect(await Promise.all(running)).toEqual(Array.from({ length: 17 }, () => []));
  expect(await collection.find(search)).toEqual([]);
});

test("close ends the readers once their queries have ended", async () => {
  const collection = await filled(60_000, 1);
  const [running, waiting] = [collection.find(search), collection.find(search)];
  const refused = expect(waiting).rejects.toThrow("closed");
  await store.close();
  await refused;
  expect(await running).toEqual([]);
});

test("readers work from a bundle of one file, started in any folder", async () => {
  store = await openSqliteStore({ location: ":memory:", realm: "pool", clock: systemClock, queryTime: 1 });
  const folder = mkdtempSync(join(tmpdir(), "realmc-bundle-"));
  try {
    symlinkSync(new URL("../../../node_modules", import.meta.url).pathname, join(folder, "node_modules"));
    await build({
      stdin: { contents: program, resolveDir: new URL(".", import.meta.url).pathname, loader: "ts" },
      outfile: join(folder, "server.mjs"),
      bundle: true,
      minify: true,
      platform: "node",
      format: "esm",
      packages: "external",
      logLevel: "silent",
    });
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, "server.mjs")], {
      cwd: "/",
      encoding: "utf8",
    });
    expect({ stdout, stderr }).toEqual({ stdout: "4000\n", stderr: "" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const program = `
  import { TRUE } from "../../filter/algebra.ts";
  import { openSqliteStore } from "./store.ts";
  const store = await openSqliteStore({ location: ":memory:", realm: "r", clock: Date, queryTime: 60_000 });
  await store.provision([{ name: "app.things", fields: {}, indexes: [], feed: false }]);
  await store.transaction(async (transaction) => {
    const things = transaction.collection("app.things");
    for (let n = 0; n < 4000; n++) await things.insert({ id: String(n), version: 1, createdAt: n, text: "{}" });
  });
  console.log(await store.collection("app.things").count(TRUE, "live"));
  await store.close();
`;
