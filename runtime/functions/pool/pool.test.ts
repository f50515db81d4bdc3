import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { CallDefinition } from "../../realm/functions.ts";
import { gate, returned, running, TestFunctions, TestHost } from "../testing/threads.ts";
import { Pool, type PoolOptions } from "./pool.ts";

let functions: TestFunctions;
const pools: Pool[] = [];
beforeAll(() => {
  functions = new TestFunctions();
});
afterAll(() => functions.discard());
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function poolOf(options: Partial<PoolOptions> = {}): Pool {
  const bounds = { requestBytes: 1024 ** 2, outputBytes: 1024 ** 2 };
  const pool = new Pool({ files: functions, workers: 4, bounds, ...options });
  pools.push(pool);
  return pool;
}

/** A function whose runs last until their host answers; it counts them in its thread. */
function held(name: string, more: Partial<CallDefinition> = {}): CallDefinition {
  const source =
    "let runs = 0; export default async (input, ctx) => { await ctx.orgs.get('x'); return ++runs; };";
  return functions.add(name, source, more);
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}

test("a thread is kept for its function, whose module is loaded once", async () => {
  const pool = poolOf();
  const definition = functions.add("counts", "let runs = 0; export default () => ++runs;");
  for (const count of [1, 2, 3]) expect(await running(pool, definition)).toMatchObject(returned(count));
});

test("what a function does to its globals is not seen by another, which has a thread of its own", async () => {
  const pool = poolOf({ workers: 1 });
  const polluting = functions.add(
    "pollutes",
    "export default () => { Object.prototype.polluted = 1; Array.prototype.map = () => 'polluted'; globalThis.left = 1; return 0; };",
  );
  const looking = functions.add(
    "looks",
    "export default () => [{}.polluted ?? 0, [1].map((n) => n + 1), typeof globalThis.left];",
  );
  for (let round = 0; round < 2; round++) {
    expect(await running(pool, polluting)).toMatchObject(returned(0));
    expect(await running(pool, looking)).toMatchObject(returned([0, [2], "undefined"]));
  }
});

test("a function has as many runs at a time as its concurrency allows", async () => {
  const pool = poolOf();
  const definition = held("concurrent", { concurrency: 2 });
  const [one, two] = [gate(), gate()];
  const runs = [one, two].map(({ host }) => running(pool, definition, {}, { host }));
  await expect(running(pool, definition)).rejects.toThrow("too many runs");
  expect(pool.figures.busy).toBe(2);
  one.open();
  two.open();
  await Promise.all(runs);
  expect(await running(pool, definition)).toMatchObject({ result: { kind: "returned" } });
});

test("there are as many threads as may be; a run waits for one", async () => {
  const pool = poolOf({ workers: 1, patience: 60_000 });
  const { host, asked, open } = gate();
  const first = running(pool, held("first"), {}, { host });
  await asked;
  const second = running(pool, functions.add("second", "export default () => 2;"));
  expect(pool.figures).toEqual({ workers: 1, busy: 1, queued: 1 });
  open();
  expect(await first).toMatchObject(returned(1));
  expect(await second).toMatchObject(returned(2));
  expect(pool.figures.queued).toBe(0);
});

test.each([false, true])(
  "a few threads start at a time; all runs that wait get one, as far as there may be, however full the server is: %s",
  async (isFull) => {
    const pool = poolOf({ workers: 6, patience: 60_000, load: { isFull: () => isFull } });
    const definition = held(`many${isFull}`, { concurrency: 6 });
    const gates = Array.from({ length: 6 }, () => gate());
    const runs = gates.map(({ host }) => running(pool, definition, {}, { host }));
    for (const { asked } of gates) await asked;
    expect(pool.figures).toEqual({ workers: 6, busy: 6, queued: 0 });
    for (const { open } of gates) open();
    for (const run of runs) expect(await run).toMatchObject(returned(1));
  },
);

/** What a run is refused with that finds no thread; it may find one soon. */
const noThread = { code: "unavailable", status: 503, headers: { "retry-after": "1" } };

test("a run that waited in vain is refused as unavailable, with Retry-After", async () => {
  const pool = poolOf({ workers: 1, patience: 20 });
  const { host, asked, open } = gate();
  const definition = held("patient");
  const first = running(pool, definition, {}, { host });
  await asked;
  await expect(running(pool, definition)).rejects.toMatchObject(noThread);
  open();
  expect(await first).toMatchObject(returned(1));
});

test("the queue is bounded: beyond it a run is refused at once", async () => {
  const pool = poolOf({ workers: 1, patience: 60_000 });
  const { host, asked, open } = gate();
  const definition = held("crowded", { concurrency: 10_000 });
  const first = running(pool, definition, {}, { host });
  await asked;
  const waiting = Array.from({ length: 1_000 }, () => running(pool, definition));
  await expect(running(pool, definition)).rejects.toMatchObject(noThread);
  open();
  await first;
  const outcomes = await Promise.all(waiting);
  expect(outcomes.every(({ result }) => result.kind === "returned")).toBe(true);
});

test("one spare is kept beside the threads of functions", async () => {
  const pool = poolOf();
  expect(pool.figures).toEqual({ workers: 1, busy: 0, queued: 0 });
  await running(pool, functions.add("rare", "export default () => 1;"));
  while (pool.figures.workers < 2) await aMoment();
  await running(pool, functions.add("rarer", "export default () => 1;"));
  while (pool.figures.workers < 3) await aMoment();
});

test("threads that nobody needs end", async () => {
  const pool = poolOf({ idle: 1 });
  const definition = functions.add("needless", "let runs = 0; export default () => ++runs;");
  const count = async () => {
    const { result } = await running(pool, definition);
    return result.kind === "returned" && result.value.kind === "call" && result.value.output;
  };
  expect(await count()).toBe("1");
  do await aMoment();
  while ((await count()) !== "1");
});

test("a run whose signal is aborted sees it, and ends as cancelled", async () => {
  const pool = poolOf();
  const controller = new AbortController();
  const source =
    "export default (input, ctx) => new Promise((_, no) => { ctx.log.info('here'); ctx.signal.addEventListener('abort', () => { ctx.log.info('told'); no(ctx.signal.reason); }); });";
  const host = new TestHost();
  const definition = functions.add("told", source);
  const outcome = running(pool, definition, {}, { host, signal: controller.signal });
  while (host.lines.length === 0) await aMoment();
  controller.abort();
  expect(await outcome).toMatchObject({
    result: { kind: "cancelled" },
    logs: [{ message: "here" }, { message: "told" }],
  });
});

test("a run that does not care for its signal is ended", async () => {
  const pool = poolOf();
  const controller = new AbortController();
  const host = new TestHost();
  const definition = functions.add(
    "deaf",
    "export default (input, ctx) => { ctx.log.info('here'); for (;;); };",
  );
  const outcome = running(pool, definition, {}, { host, signal: controller.signal });
  while (host.lines.length === 0) await aMoment();
  controller.abort();
  expect(await outcome).toMatchObject({ result: { kind: "cancelled" } });
});

test("a run that is aborted while it waits never begins", async () => {
  const pool = poolOf({ workers: 1, patience: 60_000 });
  const { host, asked, open } = gate();
  const definition = held("queued");
  const first = running(pool, definition, {}, { host });
  await asked;
  const controller = new AbortController();
  const second = running(pool, definition, {}, { signal: controller.signal });
  controller.abort();
  expect(await second).toMatchObject({ result: { kind: "cancelled" } });
  open();
  expect(await first).toMatchObject(returned(1));
  expect(await running(pool, definition)).toMatchObject(returned(2));
});

test("any number of runs may end with one signal", async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on("warning", warned);
  const pool = poolOf({ workers: 1, patience: 60_000 });
  const { host, asked } = gate();
  const definition = held("shared", { concurrency: 100 });
  const controller = new AbortController();
  const { signal } = controller;
  const runs = Array.from({ length: 30 }, () => running(pool, definition, {}, { host, signal }));
  await asked;
  controller.abort();
  for (const run of runs) expect(await run).toMatchObject({ result: { kind: "cancelled" } });
  process.off("warning", warned);
  expect(warnings).toEqual([]);
});

test("closing cancels what is under way and what waits", async () => {
  const pool = poolOf({ workers: 1 });
  const { host, asked } = gate();
  const definition = held("closing");
  const runs = [running(pool, definition, {}, { host }), running(pool, definition)];
  await asked;
  await pool.close();
  for (const run of runs) expect(await run).toMatchObject({ result: { kind: "cancelled" } });
  expect(await running(pool, definition)).toMatchObject({ result: { kind: "cancelled" } });
  expect(pool.figures).toEqual({ workers: 0, busy: 0, queued: 0 });
});

test("a function of another memory has a thread of its own", async () => {
  const pool = poolOf({ workers: 1 });
  const source =
    "const all = []; export default ({ n }) => { for (let i = 0; i < n; i++) all.push(new Array(1e6).fill(i)); return all.length; };";
  const large = functions.add("large", source, { memory: 512 * 1024 ** 2 });
  const small = functions.add("small", source, { memory: 64 * 1024 ** 2 });
  expect(await running(pool, large, { n: 30 })).toMatchObject(returned(30));
  expect(await running(pool, small, { n: 30 })).toMatchObject({ result: { kind: "failed" } });
});
