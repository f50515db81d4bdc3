/** What handlers do to themselves, they do to nobody else: each beside runs of another function that go on. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CallDefinition } from "../../realm/functions.ts";
import type { Outcome } from "../invocation.ts";
import { returned, running, TestFunctions, TestHost } from "../testing/threads.ts";
import { Pool } from "./pool.ts";

let functions: TestFunctions;
let pool: Pool;
beforeAll(() => {
  functions = new TestFunctions();
  pool = new Pool({ files: functions, workers: 4, bounds: { requestBytes: 1024 ** 2, outputBytes: 4096 } });
});
afterAll(async () => {
  await pool.close();
  functions.discard();
});

/** What comes of a handler, while another function goes on answering; and of the same handler told to do no harm. */
async function harm(name: string, source: string, more: Partial<CallDefinition> = {}): Promise<Outcome> {
  const other = functions.add(`beside_${name}`, "export default async ({ n }, ctx) => n + 1;");
  const definition = functions.add(
    name,
    `export default async (input, ctx) => { if (input.calm) return "calm"; ${source} };`,
    more,
  );
  const outcome = running(pool, definition);
  let isOver = false;
  void outcome.finally(() => {
    isOver = true;
  });
  let count = 0;
  do {
    expect(await running(pool, other, { n: count })).toMatchObject(returned(count + 1));
    count += 1;
  } while (!isOver);
  expect(await running(pool, { ...definition, timeout: 60_000 }, { calm: true })).toMatchObject(
    returned("calm"),
  );
  return outcome;
}

function failed(reason: RegExp, code = "function_failed") {
  return { result: { kind: "failed", code, reason: expect.stringMatching(reason) } };
}

test("an error fails its run", async () => {
  expect(await harm("throws", "throw new TypeError('no such thing');")).toMatchObject(
    failed(/^TypeError: no such thing\n +at .*throws\.ts/),
  );
});

test("the reason names lines as they were written", async () => {
  const written = [
    "type Input = { n: number };",
    "",
    "export default (input: Input) => {",
    "  throw new Error('here');",
    "};",
  ];
  const { result } = await running(pool, functions.add("mapped", written.join("\n")));
  expect(result).toMatchObject({ reason: expect.stringMatching(/^Error: here\n +at .*mapped\.ts:4:/) });
});

test("what is thrown may be hostile", async () => {
  const thrown = {
    getters: "{ get message() { throw 1 }, toString() { throw 2 }, toJSON() { throw 3 } }",
    proxy: "new Proxy(new Error('x'), new Proxy({}, { get() { throw new Error('trap') } }))",
    nothing: "null",
    text: "Symbol('x')",
    error: "Object.defineProperty(new Error('x'), 'message', { get() { throw 4 } })",
    stack: "Object.assign(new Error('x'), { stack: { toString() { throw 5 } }, name: {} })",
    thenable: "{ then() { throw 6 } }",
    long: "new Error('x'.repeat(1e6))",
  };
  for (const [name, value] of Object.entries(thrown)) {
    const { result } = await harm(`hostile_${name}`, `throw ${value};`);
    expect(result).toMatchObject({ kind: "failed", code: "function_failed" });
    expect(JSON.stringify(result).length).toBeLessThan(5_000);
  }
});

test("a loop without an end is a timeout", async () => {
  expect(await harm("loops", "for (;;);", { timeout: 300 })).toMatchObject({ result: { kind: "timeout" } });
});

test("a loop of promises without an end is a timeout, also behind the handler's return", async () => {
  const loop = "(async () => { for (;;) await null; })();";
  expect(await harm("microtasks", `${loop} return 1;`, { timeout: 300 })).toMatchObject({
    result: { kind: "timeout" },
  });
});

test("a module that never ends loading is a timeout", async () => {
  const definition = functions.add("loading", "for (;;); export default () => 1;", { timeout: 300 });
  expect(await running(pool, definition)).toMatchObject({ result: { kind: "timeout" } });
});

test("a module that cannot be loaded, or exports no handler, fails its runs", async () => {
  const broken = functions.add("broken", "throw new Error('at load'); export default () => 1;");
  expect(await running(pool, broken)).toMatchObject(failed(/^Error: at load/));
  expect(await running(pool, broken)).toMatchObject(failed(/^Error: at load/));
  expect(await running(pool, functions.add("empty", "export const handler = 1;"))).toMatchObject(
    failed(/not a function/),
  );
});

test("a handler that never settles is a timeout", async () => {
  const outcome = await harm("waits", "ctx.log.info('waiting'); await new Promise(() => {});", {
    timeout: 300,
  });
  expect(outcome).toMatchObject({ result: { kind: "timeout" }, logs: [{ message: "waiting" }] });
});

test("a handler cannot end its thread: it has no process", async () => {
  const source = "const { default: process } = await import('node:process'); process.exit(0);";
  expect(await harm("exits", source)).toMatchObject(failed(/Cannot find module 'node:process'/));
});

test("an error that nobody catches fails its run", async () => {
  const source = "setTimeout(() => { throw new Error('late'); }, 1); await new Promise(() => {});";
  expect(await harm("uncaught", source)).toMatchObject(failed(/^Error: late/));
});

test("a promise that is rejected without anybody to hear fails its run, also behind the handler's return", async () => {
  expect(await harm("rejected", "Promise.reject(new Error('unheard')); return 1;")).toMatchObject(
    failed(/^Error: unheard/),
  );
});

test("a stack that overflows fails its run", async () => {
  expect(await harm("overflows", "const f = () => f() + 1; return f();")).toMatchObject(
    failed(/^RangeError/),
  );
});

test.each([
  ["objects", "const all = []; for (;;) all.push({ a: [1, 2, 3] });"],
  ["numbers", "const all = []; for (;;) all.push(1.5);"],
  ["map", "const all = new Map(); for (let i = 0; ; i++) all.set(i, i);"],
  ["arrays", "const all = []; for (;;) all.push(new Array(5e6).fill(1.5));"],
  ["text", "const all = []; for (let i = 0; ; i++) all.push(String(i).padStart(100, 'ä€'));"],
  [
    "turns",
    "const all = []; for (;;) { all.push(new Array(1e5).fill({})); await new Promise(setImmediate); }",
  ],
])("a heap that is exhausted fails its run: %s", async (name, source) => {
  const outcome = await harm(`heap_${name}`, source, { memory: 64 * 1024 ** 2, timeout: 60_000 });
  expect(outcome).toMatchObject(failed(/more memory than its 64MiB/));
});

test("garbage does not count", async () => {
  const source = "let n = 0; for (let i = 0; i < 3e6; i++) n += [i, i, i, i, i, i, i, i].length; return n;";
  const outcome = await harm("garbage", source, { memory: 32 * 1024 ** 2, timeout: 60_000 });
  expect(outcome).toMatchObject(returned(24e6));
});

test("what cannot be JSON is no output", async () => {
  const values = {
    function: "() => 1",
    symbol: "Symbol('x')",
    bigint: "{ a: 1n }",
    circle: "(() => { const a = {}; a.a = a; return a; })()",
    thrower: "{ toJSON() { throw new Error('no') } }",
    getter: "{ get a() { throw null } }",
  };
  for (const [name, value] of Object.entries(values)) {
    expect(await harm(`output_${name}`, `return ${value};`)).toMatchObject(
      failed(/output/, "invalid_output"),
    );
  }
});

test("an output is bounded", async () => {
  expect(await harm("huge", "return 'x'.repeat(1e7);")).toMatchObject(
    failed(/longer than 4096 bytes/, "invalid_output"),
  );
});

test("a flood of the log is cut, and says so", async () => {
  const host = new TestHost();
  const definition = functions.add(
    "flood",
    "export default (input, ctx) => { for (let i = 0; i < 1e5; i++) ctx.log.info('line ' + i, { i }); console.log('x'); return 1; };",
  );
  const outcome = await running(pool, definition, {}, { host });
  expect(outcome).toMatchObject(returned(1));
  expect(outcome.logs[0]).toMatchObject({ level: "info", message: "line 0", fields: { i: 0 } });
  expect(outcome.logs.at(-1)).toMatchObject({ level: "warn", message: expect.stringContaining("full") });
  expect(JSON.stringify(outcome.logs.map(({ message, fields }) => [message, fields])).length).toBeLessThan(
    65_536,
  );
  expect(host.lines).toEqual(outcome.logs);
});

test("what a run leaves behind ends with its thread, and says so", async () => {
  const definition = functions.add(
    "leaves",
    `let runs = 0;
    export default ({ leave }, ctx) => {
      if (leave) { setInterval(() => { runs += 100; ctx.log.info('still here'); }, 1).unref(); }
      return ++runs;
    };`,
  );
  expect(await running(pool, definition)).toMatchObject(returned(1));
  const outcome = await running(pool, definition, { leave: true });
  expect(outcome).toMatchObject(returned(2));
  expect(outcome.logs).toMatchObject([{ level: "warn", message: expect.stringContaining("timers") }]);
  // In a new thread.
  expect(await running(pool, definition)).toMatchObject(returned(1));
});
