/** Short runs stand in line for a thread: what becomes of those behind one that is not short after all. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CallDefinition } from "../../realm/functions.ts";
import { gate, returned, running, TestFunctions, TestHost } from "../testing/threads.ts";
import { Pool } from "./pool.ts";

let functions: TestFunctions;
beforeAll(() => {
  functions = new TestFunctions();
});
afterAll(() => functions.discard());

/** What a run is told to do; otherwise it is short. Each says that it began. */
const source = `
  let left = false;
  export default async ({ n, act }, ctx) => {
    ctx.log.info("began", { n });
    if (left) throw new Error("a run beside what another left");
    if (act === "wait") await ctx.orgs.get("x");
    if (act === "loop") for (;;);
    if (act === "break") await new Promise(() => { void Promise.reject(new Error("unheard")); });
    if (act === "leave") left = setInterval(() => {}, 1_000) !== undefined;
    return n;
  };`;

interface Lined {
  readonly pool: Pool;
  readonly definition: CallDefinition;
  readonly host: TestHost;
}

/** A pool whose function is known to be short: what is begun together stands in line. */
async function lined(name: string, more: Partial<CallDefinition> = {}): Promise<Lined> {
  const pool = new Pool({
    files: functions,
    workers: 3,
    patience: 60_000,
    bounds: { requestBytes: 1024 ** 2, outputBytes: 1024 ** 2 },
  });
  const definition = functions.add(name, source, { concurrency: 100, ...more });
  for (let isKnown = false; !isKnown; ) {
    for (let n = 0; n < 20; n++) await running(pool, definition);
    const several = Array.from({ length: 6 }, () => running(pool, definition));
    const { busy, queued } = pool.figures;
    isKnown = busy === 1 && queued === 5;
    await Promise.all(several);
  }
  return { pool, definition, host: new TestHost() };
}

/** Begins one that acts, and behind it some that are short. */
function begun({ pool, definition, host }: Lined, act: string, more: object = {}) {
  const first = running(pool, definition, { n: 0, act }, { host, ...more });
  const behind = [1, 2, 3, 4].map((n) => running(pool, definition, { n }, { host }));
  expect(pool.figures).toMatchObject({ busy: 1, queued: 4 });
  return { first, behind };
}

/** Those behind have all returned, and each of all began once. */
async function expectOnceEach(behind: readonly Promise<unknown>[], host: TestHost): Promise<void> {
  const outcomes = await Promise.all(behind);
  for (const [at, outcome] of outcomes.entries()) expect(outcome).toMatchObject(returned(at + 1));
  expect([...beginnings(host)].sort()).toEqual([0, 1, 2, 3, 4]);
}

/** The runs that began, in their order. */
function beginnings({ lines }: TestHost): readonly unknown[] {
  return lines.flatMap(({ message, fields }) => (message === "began" ? [fields["n"]] : []));
}

test("short runs stand in line for one thread, and run one after another", async () => {
  const all = await lined("short");
  const { first, behind } = begun(all, "");
  expect(await first).toMatchObject(returned(0));
  await expectOnceEach(behind, all.host);
  expect(beginnings(all.host)).toEqual([0, 1, 2, 3, 4]);
  await all.pool.close();
});

test("those behind a run that waits begin elsewhere", async () => {
  const all = await lined("waits");
  const { host, open } = gate();
  const { first, behind } = begun({ ...all, host }, "wait");
  await expectOnceEach(behind, host);
  open();
  expect(await first).toMatchObject(returned(0));
  await all.pool.close();
});

test("a loop costs only its own run, whose time is counted from its beginning", async () => {
  const all = await lined("loops", { timeout: 300 });
  const { first, behind } = begun(all, "loop");
  await expectOnceEach(behind, all.host);
  const outcome = await first;
  expect(outcome).toMatchObject({ result: { kind: "timeout" } });
  expect(outcome.duration).toBeGreaterThanOrEqual(300);
  await all.pool.close();
});

test("what nobody catches costs only the run that it is of", async () => {
  const all = await lined("breaks");
  const { first, behind } = begun(all, "break");
  expect(await first).toMatchObject({ result: { kind: "failed" } });
  await expectOnceEach(behind, all.host);
  await all.pool.close();
});

test("those behind a run that leaves something behind begin in another thread", async () => {
  const all = await lined("leaves");
  const { first, behind } = begun(all, "leave");
  expect(await first).toMatchObject(returned(0));
  await expectOnceEach(behind, all.host);
  await all.pool.close();
});

test("a run that is aborted in line never begins", async () => {
  const all = await lined("aborted");
  const first = running(all.pool, all.definition, { n: 0 }, { host: all.host });
  const controller = new AbortController();
  const second = running(all.pool, all.definition, { n: 1 }, { host: all.host, signal: controller.signal });
  const third = running(all.pool, all.definition, { n: 2 }, { host: all.host });
  controller.abort();
  expect(await second).toMatchObject({ result: { kind: "cancelled" } });
  expect([await first, await third]).toMatchObject([returned(0), returned(2)]);
  expect(beginnings(all.host)).toEqual([0, 2]);
  await all.pool.close();
});

test("those in line count for the concurrency of their function", async () => {
  const { pool, definition } = await lined("counted", { concurrency: 6 });
  const six = [0, 1, 2, 3, 4, 5].map((n) => running(pool, definition, { n }));
  await expect(running(pool, definition)).rejects.toThrow("too many runs");
  for (const [n, run] of six.entries()) expect(await run).toMatchObject(returned(n));
  expect(await running(pool, definition, { n: 6 })).toMatchObject(returned(6));
  await pool.close();
});

test("closing cancels those in line", async () => {
  const all = await lined("closed");
  const { first, behind } = begun(all, "loop");
  await all.pool.close();
  for (const run of [first, ...behind]) expect(await run).toMatchObject({ result: { kind: "cancelled" } });
});

test.each([
  ["loop", "timeout"],
  ["break", "failed"],
])(
  "a run that a thread knows of ahead of its turn begins elsewhere where the one before it comes to %s",
  async (act, kind) => {
    const bounds = { requestBytes: 1024 ** 2, outputBytes: 1024 ** 2 };
    const pool = new Pool({ files: functions, workers: 1, patience: 60_000, bounds });
    const definition = functions.add(`ahead-${act}`, source, { concurrency: 100, timeout: 1_000 });
    const { host, asked, open } = gate();
    const first = running(pool, definition, { n: -1, act: "wait" }, { host });
    await asked;
    const others = new TestHost();
    const bad = running(pool, definition, { n: 0, act }, { host: others });
    const behind = [1, 2, 3, 4].map((n) => running(pool, definition, { n, act: "wait" }, { host: others }));
    open();
    expect(await first).toMatchObject({ result: { kind: "returned" } });
    expect(await bad).toMatchObject({ result: { kind } });
    await expectOnceEach(behind, others);
    await pool.close();
  },
);

test("a function that is never without runs leaves a thread to another", async () => {
  const { pool, definition } = await lined("crowd");
  const others = [0, 1, 2].map((n) => {
    const { host, asked, open } = gate();
    const other = functions.add(
      `other_${n}`,
      "export default async (input, ctx) => { await ctx.orgs.get('x'); };",
    );
    return { outcome: running(pool, other, {}, { host }), asked, open };
  });
  let isOver = false;
  const crowd = Array.from({ length: 20 }, async () => {
    while (!isOver) await running(pool, definition);
  });
  for (const { asked } of others.slice(0, 2)) await asked;
  for (const { open } of others) open();
  await Promise.all(others.map(({ outcome }) => outcome));
  isOver = true;
  await Promise.all(crowd);
  await pool.close();
});
