/**
 * What handlers do to themselves over HTTP, with the server under other load: documents are written and read, another function
 * is called, and all of it is answered as ever.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { code, collection, text } from "../documents/testing/shop.ts";
import { allowed } from "../rules/index.ts";
import { Pool } from "./pool/pool.ts";
import { call, type FunctionShop, startFunctionShop } from "./testing/shop.ts";
import { TestFunctions } from "./testing/threads.ts";

const notes = collection("notes", { rules: { create: allowed, read: allowed } });

/** Each answers `{"calm": true}` where it is asked to do no harm. */
const harmful = {
  throws: "throw new Error('broken');",
  throwsNothing: "throw undefined;",
  loops: "for (;;);",
  exits: "const { default: process } = await import('node:process'); process.exit(1);",
  exhausts: "const all = []; for (;;) all.push({ more: all.length, text: 'x'.repeat(100) });",
  floods:
    "for (let at = 0; at < 100_000; at++) ctx.log.error('flood', { at, text: 'x'.repeat(1000) }); return {};",
  leaves:
    "setInterval(() => ctx.db.main.notes.count(), 1); void (async () => { for (;;) await ctx.db.main.notes.count(); })(); return {};",
  rejects:
    "void Promise.reject(new Error('nobody hears')); await new Promise((go) => setTimeout(go, 1000)); return {};",
  neverSettles: "await new Promise(() => undefined);",
  writesAndThrows:
    "await ctx.db.main.notes.create({ title: 'harm', qty: 1 }); throw new Error('after a write');",
  halfABatch:
    "await ctx.db.main.batch([{ op: 'create', collection: 'notes', document: { title: 'half', qty: 1 } }, { op: 'create', collection: 'notes', document: { title: 5 } }]);",
  endlessBatches:
    "for (let at = 0; ; at++) await ctx.db.main.batch(['left', 'right'].map((title) => ({ op: 'create', collection: 'notes', document: { title, qty: at } })));",
} as const;

type Name = keyof typeof harmful;

let modules: TestFunctions;
let shop: FunctionShop;

beforeAll(async () => {
  modules = new TestFunctions();
  const place = { realm: "shop", database: "main" };
  modules.add(
    "beside",
    "export default async ({ n }, ctx) => ({ n, notes: await ctx.db.main.notes.count() > 0 });",
    place,
  );
  for (const [name, source] of Object.entries(harmful))
    modules.add(
      name,
      `export default async (input, ctx) => { if (input.calm) return { calm: true }; ${source} };`,
      place,
    );
  shop = await startFunctionShop(
    [
      call("beside"),
      ...Object.keys(harmful).map((name) =>
        call(name, { memory: 2 ** 26, ...(isEndless(name) && { timeout: 1_000 }) }),
      ),
    ],
    {},
    {
      collections: [notes],
      runner: new Pool({
        files: modules,
        workers: 4,
        bounds: { requestBytes: 2 ** 20, outputBytes: 2 ** 20 },
      }),
      log: { info() {}, warn() {}, error() {} },
    },
  );
  await shop.send("POST", "notes", { body: { title: "first", qty: 1 } });
});
afterAll(async () => {
  await shop.stop();
  modules.discard();
});

function isEndless(name: string): boolean {
  return ["loops", "neverSettles", "endlessBatches"].includes(name);
}

const post = (name: string, body: { calm?: boolean; n?: number } = {}) =>
  shop.send("POST", `_func/${name}`, { body: { ...body } });

/** Asks for all else that the server does, again and again until it is over; answers how often. */
async function beside(isOver: () => boolean): Promise<number> {
  let count = 0;
  do {
    const made = await shop.send("POST", "notes", { body: { title: "beside", qty: count } });
    expect(made.status).toBe(201);
    const read = await shop.send("GET", `notes/${text(made.body, "id")}`);
    expect([read.status, read.body["qty"]]).toEqual([200, count]);
    const called = await post("beside", { n: count });
    expect([called.status, called.body]).toEqual([200, { n: count, notes: true }]);
    count += 1;
  } while (!isOver());
  return count;
}

test.for<[Name, number, string | undefined]>([
  ["throws", 500, "function_failed"],
  ["throwsNothing", 500, "function_failed"],
  ["loops", 504, "function_timeout"],
  ["exits", 500, "function_failed"],
  ["exhausts", 500, "function_failed"],
  ["floods", 200, undefined],
  ["leaves", 200, undefined],
  ["rejects", 500, "function_failed"],
  ["neverSettles", 504, "function_timeout"],
  ["writesAndThrows", 500, "function_failed"],
  ["halfABatch", 500, "function_failed"],
  ["endlessBatches", 504, "function_timeout"],
])("a handler that %s harms nobody else: %i", { timeout: 120_000 }, async ([name, status, failure]) => {
  let isOver = false;
  const all = Promise.all([1, 2, 3].map(() => post(name))).finally(() => {
    isOver = true;
  });
  await Promise.all([beside(() => isOver), beside(() => isOver)]);
  for (const answer of await all) {
    expect(answer.status).toBe(status);
    if (failure !== undefined) expect(code(answer)).toBe(failure);
  }
  let after = await post(name, { calm: true });
  // One second may be short for a new thread on a machine that has much else to do.
  while (after.status === 504) after = await post(name, { calm: true });
  expect([after.status, after.body]).toEqual([200, { calm: true }]);
});

test("what they wrote before they failed stays; of a batch all or nothing does, also where a timeout meets it", async () => {
  const called = async (title: string): Promise<unknown> => {
    const where = encodeURIComponent(JSON.stringify({ title }));
    return (await shop.send("GET", `notes?where=${where}`)).body["items"];
  };
  expect(await called("harm")).toHaveLength(3);
  expect(await called("half")).toEqual([]);
  const count = async (title: string): Promise<unknown> => {
    const where = encodeURIComponent(JSON.stringify({ title }));
    return (await shop.send("GET", `notes?count=true&limit=1&where=${where}`)).body["total"];
  };
  while ((await count("left")) === 0) await post("endlessBatches");
  expect(await count("right")).toBe(await count("left"));
});
