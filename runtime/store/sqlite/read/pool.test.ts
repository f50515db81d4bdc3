import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../clock.ts";
import { and, compare, eq, search as searchFor, TRUE } from "../../../filter/algebra.ts";
import { documentFields, field } from "../../../filter/fields.ts";
import { orderBy } from "../../../filter/order.ts";
import { textIndex } from "../../../filter/search/index.ts";
import { QueryTimeout, StoreBusy } from "../../contract/errors.ts";
import type { Store } from "../../contract/store.ts";
import { openDatabase } from "../driver.ts";
import { INLINE_ROWS, single } from "../query.ts";
import { openSqliteStore } from "../store.ts";
import { Pool } from "./pool.ts";

const size = field("size", "integer");
const sizes = field("size", "integer", ["size"]);
const missing = eq(size, -1);
const titles = textIndex({
  fields: [{ field: field("title", "string"), weight: 1 }],
  defaultLanguage: "none",
});
/** Enough to leave the main thread for certain, although rows are counted by sampling. */
const MANY = INLINE_ROWS * 4;
const thing = (n: number) => ({ id: `${n}`, version: 1, text: `{"id":"${n}","size":${n},"title":"a"}` });
const ids = Array.from({ length: MANY }, (_, n) => `${n}`);

let store: Store | undefined;
afterEach(() => store?.close());

async function filled(queryTime: number, readers: number, searchTime = queryTime) {
  store = await openSqliteStore({
    location: ":memory:",
    realm: "pool",
    clock: systemClock,
    queryTime,
    searchTime,
    readers,
  });
  await store.provision([{ name: "app.things", fields: {}, indexes: [], text: titles, feed: false }]);
  const collection = store.collection("app.things");
  await store.transaction(async (transaction) => {
    const own = transaction.collection("app.things");
    for (let n = 0; n < MANY; n++) {
      await own.insert({ ...thing(n), createdAt: n });
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
  expect(found).toEqual([thing(MANY - 2), thing(MANY - 1)]);
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

test("searches and aggregations have a time of their own", async () => {
  const terms = { phrases: [], words: ["a"], excluded: [] };
  const sought = { ...search, filter: and(searchFor(titles, terms), missing) };
  const grouped = {
    filter: TRUE,
    visibility: "live",
    groupBy: [{ field: size }],
    metrics: [{ op: "count" }],
    order: [],
    limit: 10,
  } as const;
  for (const [queryTime, searchTime] of [
    [0, 60_000],
    [60_000, 0],
  ] as const) {
    const collection = await filled(queryTime, 1, searchTime);
    const lists = [() => collection.find(search), () => collection.count(missing, "live")];
    const searches = [
      () => collection.find(sought),
      () => collection.find({ ...sought, order: "relevance" }),
      () => collection.count(sought.filter, "live"),
      () => collection.aggregate(grouped),
    ];
    const [stopped, answered] = queryTime === 0 ? [lists, searches] : [searches, lists];
    for (const run of stopped) await expect(run()).rejects.toBeInstanceOf(QueryTimeout);
    for (const run of answered) await expect(run()).resolves.toBeDefined();
    await store?.close();
  }
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

test("an expensive query is not run where others wait: they are answered while it is under way", async () => {
  const collection = await filled(60_000, 1);
  const ended: string[] = [];
  const expensive = {
    find: () => collection.find(search),
    order: () =>
      collection.find({ ...search, filter: TRUE, order: orderBy([{ field: size, descending: true }]) }),
    array: () =>
      collection.find({ ...search, filter: TRUE, order: orderBy([{ field: sizes, descending: false }]) }),
    count: () => collection.count(missing, "live"),
    lookup: () => collection.lookup({ key: documentFields.id, values: ids, filter: TRUE, limit: MANY }),
    aggregate: () =>
      collection.aggregate({
        filter: TRUE,
        visibility: "live",
        groupBy: [{ field: size }],
        metrics: [{ op: "count" }],
        order: [],
        limit: 10,
      }),
  };
  const running = Object.entries(expensive).map(async ([name, run]) => {
    await run();
    ended.push(name);
  });
  expect(await collection.get("1", "live")).toBeDefined();
  expect(await collection.find({ ...search, filter: TRUE })).toHaveLength(20);
  expect(ended).toEqual([]);
  await Promise.all(running);
  expect(ended.toSorted()).toEqual(Object.keys(expensive).toSorted());
});

describe("a statement that does not stop by itself", () => {
  let folder: string;
  let pool: Pool;
  /** Nothing in it looks at the deadline. */
  const unwatched = (rows: number) =>
    single({
      sql: `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT ${rows}) SELECT count(*) FROM c`,
      parameters: [],
    });
  const long = unwatched(1_500_000);
  const quick = single({ sql: "SELECT 1", parameters: [] });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "realmc-pool-"));
    const file = join(folder, "file.sqlite");
    openDatabase(file, { readOnly: false }).close();
    pool = new Pool(file, 1);
    // A first thread has longer to begin.
    await pool.all(quick, 60_000);
  });
  afterEach(async () => {
    await pool.close();
    rmSync(folder, { recursive: true });
  });

  test("is a QueryTimeout soon after its time, and another thread answers in its place", async () => {
    await expect(pool.all(long, 1)).rejects.toBeInstanceOf(QueryTimeout);
    expect(await pool.all(quick, 60_000)).toEqual([[1]]);
    expect(await Promise.all([pool.all(quick, 60_000), pool.all(quick, 60_000)])).toEqual([[[1]], [[1]]]);
  });

  test("those that wait for its thread are answered by the other one", async () => {
    const stuck = expect(pool.all(long, 1)).rejects.toBeInstanceOf(QueryTimeout);
    expect(await pool.all(quick, 60_000)).toEqual([[1]]);
    await stuck;
  });

  test("of two, nobody waits for either; what ends is at work again", async () => {
    await expect(pool.all(long, 1)).rejects.toBeInstanceOf(QueryTimeout);
    const [second, waiting] = [pool.all(long, 1), pool.all(quick, 60_000)];
    await expect(Promise.allSettled([second, waiting])).resolves.toMatchObject([
      { reason: expect.any(QueryTimeout) },
      { reason: expect.any(StoreBusy) },
    ]);
    await expect(pool.all(quick, 60_000)).rejects.toBeInstanceOf(StoreBusy);
    let rows: readonly unknown[] | undefined;
    while (rows === undefined) {
      rows = await pool.all(quick, 60_000).catch((error: unknown) => {
        if (!(error instanceof StoreBusy)) throw error;
        return new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
      });
    }
    expect(rows).toEqual([[1]]);
  });

  test("who waits for a reader as long as the query may take is told to try again, not that it took long", async () => {
    const before = pool.all(long, 60_000);
    await expect(pool.all(quick, 1)).rejects.toBeInstanceOf(StoreBusy);
    expect(await before).toEqual([[1_500_000]]);
  });
});

test("close ends the readers once their queries have ended", async () => {
  const collection = await filled(60_000, 1);
  const [running, waiting] = [collection.find(search), collection.find(search)];
  const refused = expect(waiting).rejects.toThrow("closed");
  await store?.close();
  await refused;
  expect(await running).toEqual([]);
});

test("readers work from a bundle of one file, started in any folder", async () => {
  store = await openSqliteStore({ location: ":memory:", realm: "pool", clock: systemClock, queryTime: 1 });
  const folder = mkdtempSync(join(tmpdir(), "realmc-bundle-"));
  try {
    symlinkSync(new URL("../../../../node_modules", import.meta.url).pathname, join(folder, "node_modules"));
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
  import { TRUE } from "../../../filter/algebra.ts";
  import { openSqliteStore } from "../store.ts";
  const store = await openSqliteStore({ location: ":memory:", realm: "r", clock: Date, queryTime: 60_000 });
  await store.provision([{ name: "app.things", fields: {}, indexes: [], feed: false }]);
  await store.transaction(async (transaction) => {
    const things = transaction.collection("app.things");
    for (let n = 0; n < 4000; n++) await things.insert({ id: String(n), version: 1, createdAt: n, text: "{}" });
  });
  console.log(await store.collection("app.things").count(TRUE, "live"));
  await store.close();
`;
