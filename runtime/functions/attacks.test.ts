/** What a handler may try to get out of its thread by, and what comes of it: nothing. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportedBy, moduleFoot, moduleHead } from "./handler-module.ts";
import type { Outcome, Run } from "./invocation.ts";
import { Pool } from "./pool/pool.ts";
import { type Attack, attacks } from "./testing/attacks.ts";
import { returned, running, TestFunctions, TestHost } from "./testing/threads.ts";

let functions: TestFunctions;
let pool: Pool;
beforeAll(() => {
  functions = new TestFunctions();
  pool = new Pool({ files: functions, workers: 3, bounds: { requestBytes: 2 ** 20, outputBytes: 2 ** 20 } });
});
afterAll(async () => {
  await pool.close();
  functions.discard();
});

let count = 0;

/** As a script that no build has looked at. */
function attempt(body: string, more: Partial<Run> = {}): Promise<Outcome> {
  const handler = `async (input, ctx) => {
    const got = await (async () => { ${body} })().catch(() => undefined);
    return got === undefined || got === null ? "nothing" : typeof got + " " + String(got).slice(0, 100);
  }`;
  const definition = functions.addScript(
    `attack${++count}`,
    `${moduleHead} ${exportedBy}(${handler}); ${moduleFoot}`,
  );
  return running(pool, definition, {}, more);
}

test.each(attacks)("a handler gets nothing by: $name", async ({ body }) => {
  expect(await attempt(body)).toMatchObject(returned("nothing"));
});

test("an ordinary thread gets something by each of them", { timeout: 120_000 }, async () => {
  const [major = "0"] = process.versions.node.split(".");
  const here = attacks.filter(({ since = 0 }) => Number(major) >= since);
  expect(here.length).toBeGreaterThanOrEqual(40);
  const vain = [];
  for (const each of here) if ((await unconfined(each)) === "nothing") vain.push(each.name);
  expect(vain).toEqual([]);
});

/** What a thread without any of it gets. */
function unconfined({ body }: Attack): Promise<unknown> {
  const source = `
    const { parentPort } = require("node:worker_threads");
    process.on("unhandledRejection", () => {});
    const get = () => new Promise((go) => { parentPort.once("message", go); parentPort.postMessage("asks"); });
    const ctx = { db: { shop: { notes: { get } } } };
    (async () => { ${body} })().then(
      (got) => parentPort.postMessage(got === undefined || got === null ? "nothing" : "something"),
      () => parentPort.postMessage("nothing"),
    );`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(source, { eval: true, execArgv: [], stdout: true, stderr: true });
    worker.on("message", (got) => {
      if (got === "asks") worker.postMessage("answer");
      else resolve(worker.terminate().then(() => got));
    });
    worker.once("error", reject);
  });
}

test("docs/security.md names each of them", () => {
  const page = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
  expect(attacks.filter(({ name }) => !page.includes(`\`${name}\``)).map(({ name }) => name)).toEqual([]);
});

/** Has the thread tell `forged`, in place of a log line that its own code is about to send. */
function forging(forged: string): string {
  return `
    const noText = { toString: 1, valueOf: 1 };
    const fetch = { url: "http://example.com/", method: "GET", headers: "[]", redirect: "follow" };
    const { push } = Array.prototype;
    Array.prototype.push = function (...all) {
      const isLine = Array.isArray(all[0]) && all[0][0] === "log";
      return isLine ? Reflect.apply(push, this, [(${forged})(all[0][1])]) : Reflect.apply(push, this, all);
    };
    ctx.log.info("x");
    await new Promise((go) => setTimeout(go, 20));`;
}

test.each([
  ["no message", "() => null"],
  [
    "a line of an unknown level",
    "(run) => ['log', run, { at: '', level: 'fatal', message: 'x', fields: {} }]",
  ],
  ["a line without text", "(run) => ['log', run, { at: '', level: 'info', message: 5, fields: {} }]"],
  ["no line", "(run) => ['log', run]"],
  ["no result", "(run) => ['done', run, undefined, 1, true]"],
  [
    "a refusal that is a success",
    "(run) => ['done', run, ['other', { kind: 'refused', status: 200, code: 'x', message: '', details: [] }], 1, true]",
  ],
  [
    "the refusal of another",
    "(run) => ['done', run, ['other', { kind: 'forwarded', status: 302, body: '{}' }], 1, true]",
  ],
  ["a duration that is none", "(run) => ['done', run, ['call', '1'], 'long', true]"],
  ["nothing of its kind", "(run) => ['become', run, 'server']"],
  ["a request that nobody makes", "(run) => ['request', run, 1, { kind: 'secrets' }]"],
  [
    "a request with a filter for an id",
    "(run) => ['request', run, 1, { kind: 'organization', id: { $ne: '' } }]",
  ],
  ["a request of no number", "(run) => ['request', run, noText, { kind: 'organization', id: 'x' }]"],
  [
    "a request to documents by no way",
    "(run) => ['documents', run, 1, 'server', 'GET', 'shop/notes', '', '{}', undefined]",
  ],
  [
    "a request to documents with headers that are no text",
    "(run) => ['documents', run, 1, 'caller', 'GET', 'shop/notes', '', '{\"accept\":5}', undefined]",
  ],
  ["a fetch of no number", "(run) => ['fetch', run, noText, fetch]"],
  ["a fetch by no text", "(run) => ['fetch', run, 1, { ...fetch, method: ['GET'] }]"],
  ["the end of a fetch of no number", "(run) => ['unfetch', run, noText]"],
  ["a result that no run has", "(run) => ['done', run, ['other', { kind: 'cancelled' }], 1, true]"],
])("a thread that is made to tell %s is ended, and the server goes on", async (_, forged) => {
  const outcome = await attempt(forging(forged));
  expect(outcome.result).toEqual({
    kind: "failed",
    code: "function_failed",
    reason: "the thread told what it cannot",
  });
  expect(await attempt("return 1;")).toMatchObject(returned("number 1"));
});

test("what a thread tells after what it cannot is not believed, also where the server hears of both late", async () => {
  const forged = "(run) => ['log', run, { at: '', level: 'info', message: 5, fields: {} }]";
  const found = [];
  // The run is over before the server looks.
  const busy = setInterval(() => {
    const until = performance.now() + 60;
    while (performance.now() < until);
  }, 1);
  try {
    for (let at = 0; at < 10; at++) found.push((await attempt(forging(forged))).result);
  } finally {
    clearInterval(busy);
  }
  const failed = { kind: "failed", code: "function_failed", reason: "the thread told what it cannot" };
  expect(found).toEqual(found.map(() => failed));
});

test("no socket of ctx.fetch comes into its thread, whatever listens there for one", async () => {
  const server = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const definition = functions.add(
    "listens",
    `import { EventEmitter } from "node:events";
    import { Duplex, Readable, Writable } from "node:stream";
    export default async (input, ctx) => {
      const seen = new Set();
      for (const prototype of [EventEmitter, Duplex, Readable, Writable].map((each) => each.prototype))
        for (const name of Object.getOwnPropertyNames(prototype)) {
          const { value } = Object.getOwnPropertyDescriptor(prototype, name);
          if (typeof value !== "function" || name === "constructor") continue;
          prototype[name] = function (...all) { seen.add(this); return Reflect.apply(value, this, all); };
        }
      const { then } = Promise.prototype;
      Promise.prototype.then = function (...all) { seen.add(this); return Reflect.apply(then, this, all); };
      const text = await (await ctx.fetch("http://127.0.0.1:${port}/")).text();
      return [text, [...seen].some((each) => ["connect", "agent", "request", "socket"].some((name) => name in each))];
    };`,
    { network: [`127.0.0.1:${port}`] },
  );
  expect(await running(pool, definition)).toMatchObject(returned(["hello", false]));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("a run that is over, and a thread that ends, end what they fetch", async () => {
  let closed = () => {};
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  let came = () => {};
  const there = new Promise<void>((resolve) => {
    came = resolve;
  });
  // `/stays` is never answered, `/there` once `/stays` is open.
  const server = createServer((request, response) => {
    if (request.url === "/stays") {
      request.socket.once("close", closed);
      came();
    } else void there.then(() => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const definition = functions.add(
    "leavesFetch",
    `export default async (input, ctx) => {
      void ctx.fetch("http://127.0.0.1:${port}/stays");
      await ctx.fetch("http://127.0.0.1:${port}/there");
      return 1;
    };`,
    { network: [`127.0.0.1:${port}`] },
  );
  const outcome = await running(pool, definition);
  expect(outcome).toMatchObject(returned(1));
  expect(outcome.logs).toMatchObject([{ message: expect.stringContaining("requests behind") }]);
  await gone;
  await new Promise((resolve) => server.close(resolve));
});

test("a webhook's headers are looked at where no handler changes what looks at them", async () => {
  const {
    idempotency: _,
    attempts: __,
    ...shared
  } = functions.add(
    "cookies",
    `export default () => {
      Set.prototype.has = () => false;
      return { headers: { "set-cookie": "a=b", "x-own": "1" }, body: "" };
    };`,
  );
  const outcome = await pool.run({
    definition: { ...shared, mode: "webhook" },
    input: { kind: "webhook", method: "POST", path: "/", search: "", headers: {}, body: new Uint8Array() },
    requestId: "request",
    secrets: {},
    host: new TestHost(),
    signal: new AbortController().signal,
  });
  expect(outcome.result).toMatchObject({ kind: "returned", value: { headers: { "x-own": "1" } } });
  expect(JSON.stringify(outcome.result)).not.toContain("cookie");
});

test("what a handler does to the prototypes of its thread stays in that", async () => {
  const changed = functions.add(
    "changes",
    "export default () => { Object.prototype.changed = 1; Array.prototype.map = () => 'changed'; return 1; };",
  );
  const other = functions.add(
    "unchanged",
    "export default () => [{}.changed === undefined, [1].map((n) => n + 1)];",
  );
  expect(await running(pool, changed)).toMatchObject(returned(1));
  expect(await running(pool, other)).toMatchObject(returned([true, [2]]));
  expect([Object.hasOwn(Object.prototype, "changed"), [1].map((n) => n + 1)]).toEqual([false, [2]]);
});
