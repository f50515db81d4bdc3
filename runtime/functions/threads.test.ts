/** Handlers in threads, asked over HTTP: routes, pool, threads and host together. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { code, collection, fields, text } from "../documents/testing/shop.ts";
import { eq } from "../filter/algebra.ts";
import { realtimeRoutes } from "../realtime/route.ts";
import { openStream } from "../realtime/testing/streams.ts";
import { byCaller, denied } from "../rules/index.ts";
import { Pool } from "./pool/pool.ts";
import { call, type FunctionShop, startFunctionShop, webhook } from "./testing/shop.ts";
import { TestFunctions } from "./testing/threads.ts";

const notes = collection("notes", {
  rules: { read: byCaller(({ user }) => user?.roles.includes("reader") === true) },
});

const board = collection("board", {
  fields,
  realtime: true,
  rules: {
    read: { filter: () => eq(fields.lang, "en"), check: (_, { lang }) => lang === "en" },
    create: denied,
  },
});

const handlers = {
  posts:
    "export default async (input, ctx) => (await ctx.db.main.board.create({ title: input.title, lang: input.title === 'hidden' ? 'de' : 'en' })).id;",
  look: "export default async (input, ctx) => await ctx.caller.db.main.board.get(input.title);",
  digest: `import { createHash } from "node:crypto";
    export default async (input, ctx) => ({
      status: 201,
      headers: { "X-Secret": String(ctx.secrets.TOKEN.length), "Content-Type": "application/octet-stream" },
      body: createHash("sha256").update(input.body).digest(),
    });`,
  close: `export default async (input, ctx) => {
      const made = await ctx.db.main.notes.create({ title: input.title, qty: 1 });
      const changed = await ctx.db.main.notes.update(made.id, (note) => ({ qty: note.qty + 1 }));
      ctx.log.info("closed", { id: made.id });
      return { id: made.id, qty: changed.qty, by: changed._meta.updated_by, caller: ctx.caller.kind };
    };`,
  counts: `export default async (input, ctx) => {
      const { id } = await ctx.db.main.notes.create({ title: "count", qty: 0 });
      const add = () => ctx.db.main.notes.update(id, ({ qty }) => ({ qty: qty + 1 }));
      await Promise.all(Array.from({ length: 16 }, add));
      return (await ctx.db.main.notes.get(id)).qty;
    };`,
  peek: "export default async (input, ctx) => await ctx.caller.db.main.notes.list();",
  refuses: `export default async (input, ctx) => { throw ctx.error(422, "not_now", "Later.", [{ a: 1 }]); };`,
  loops: "export default async () => { for (;;); };",
};

let modules: TestFunctions;
let shop: FunctionShop;
beforeAll(async () => {
  modules = new TestFunctions();
  for (const [name, source] of Object.entries(handlers))
    modules.add(name, source, { realm: "shop", database: "main" });
  shop = await startFunctionShop(
    [
      webhook("digest", { secrets: ["TOKEN"] }),
      ...["close", "counts", "peek", "refuses", "posts", "look"].map((name) => call(name)),
      call("loops", { timeout: 200 }),
    ],
    {},
    {
      collections: [notes, board],
      routes: [realtimeRoutes("shop")],
      runner: new Pool({
        files: modules,
        workers: 2,
        bounds: { requestBytes: 2 ** 20, outputBytes: 2 ** 20 },
      }),
      log: { info() {}, warn() {}, error() {} },
    },
  );
  const admin = await shop.key({ name: "admin", admin: ["secrets"], scopes: {} });
  await shop.send("PUT", "../_admin/secrets/TOKEN", { token: admin, body: { value: "abcdef" } });
});
afterAll(async () => {
  await shop.stop();
  modules.discard();
});

const post = (name: string, token?: string, title = "a") =>
  shop.send("POST", `_func/${name}`, { body: { title }, ...(token && { token }) });

test("a webhook is given the exact bytes and its secrets, and answers bytes", async () => {
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 31) % 256));
  const response = await fetch(`${shop.url}/v1/shop/main/_func/digest`, { method: "POST", body: bytes });
  expect([response.status, response.headers.get("x-secret")]).toEqual([201, "6"]);
  const answered = Buffer.from(await response.arrayBuffer());
  expect(answered.equals(createHash("sha256").update(bytes).digest())).toBe(true);
});

test("a call reads and writes by its own rights, in the name of the user who called", async () => {
  const { token, id } = await shop.signUp("closer@example.com");
  const answer = await post("close", token);
  expect([answer.status, answer.body]).toEqual([
    200,
    { id: expect.any(String), qty: 2, by: `user:${id}`, caller: "user" },
  ]);
  const [stored] = await shop.stored(notes).scan(undefined, 1);
  expect(stored?.id).toBe(text(answer.body, "id"));
});

test("ctx.db: sixteen updates of one document at the same moment all take place", async () => {
  const answer = await post("counts");
  expect([answer.status, answer.text]).toEqual([200, "16"]);
});

test("what ctx.caller.db refuses, and nobody catches, is what the caller is answered", async () => {
  const anonymous = await post("peek");
  expect([anonymous.status, code(anonymous)]).toEqual([401, "unauthenticated"]);
  const { token } = await shop.signUp("peeker@example.com");
  const refused = await post("peek", token);
  expect([refused.status, code(refused)]).toEqual([403, "forbidden"]);
  const reader = await shop.person("reader@example.com", "reader");
  expect((await post("peek", reader.token)).body).toMatchObject({ hasMore: false });
});

test("ctx.caller.db: get of a document that the caller may not see is null", async () => {
  const [hidden, shown] = [await post("posts", undefined, "hidden"), await post("posts", undefined, "shown")];
  expect((await post("look", undefined, JSON.parse(hidden.text))).text).toBe("null");
  expect((await post("look", undefined, JSON.parse(shown.text))).body).toMatchObject({ title: "shown" });
});

test("what a function writes past the rules reaches those who follow the collection", async () => {
  const subscriptions = [{ id: "s", db: "main", collection: "board" }];
  const stream = await openStream(`${shop.url}/v1/shop/_realtime`, subscriptions);
  expect((await shop.send("POST", "board", { body: { title: "mine", qty: 1 } })).status).toBe(401);
  const made = await post("posts", undefined, "by a function");
  const heard = await stream.until(({ event }) => event === "created");
  expect(heard.at(-1)?.data["doc"]).toMatchObject({
    id: JSON.parse(made.text),
    title: "by a function",
    _meta: { created_by: "key:main/posts" },
  });
  stream.close();
});

test("its own errors are answered as it chose; one that loops is ended: 504", async () => {
  const refused = await post("refuses");
  expect([refused.status, refused.body["error"]]).toMatchObject([
    422,
    { code: "not_now", message: "Later.", details: [{ a: 1 }] },
  ]);
  const looped = await post("loops");
  expect([looped.status, code(looped)]).toEqual([504, "function_timeout"]);
});
