/** What `ctx` asks of the server, and what it makes of the answers. */
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { HostReply, HostRequest, Outcome, Run } from "../invocation.ts";
import { Pool } from "../pool/pool.ts";
import { returned, running, TestFunctions, TestHost } from "../testing/threads.ts";

let functions: TestFunctions;
let pool: Pool;
beforeAll(() => {
  functions = new TestFunctions();
  pool = new Pool({ files: functions, workers: 2, bounds: { requestBytes: 200, outputBytes: 1024 ** 2 } });
});
afterAll(async () => {
  await pool.close();
  functions.discard();
});

let count = 0;

/** @param body of `async (input, ctx) =>` */
async function handled(
  body: string,
  reply: (request: HostRequest) => HostReply | Promise<HostReply> = () => ({ status: 204 }),
  more: Partial<Run> & { readonly mail?: boolean; readonly input?: never } = {},
): Promise<{ outcome: Outcome; requests: readonly HostRequest[] }> {
  const { mail = false, ...run } = more;
  const definition = functions.add(`f${++count}`, `export default async (input, ctx) => { ${body} };`, {
    mail,
  });
  const host = new TestHost(reply);
  return { outcome: await running(pool, definition, {}, { host, ...run }), requests: host.requests };
}

const document = { id: "a", title: "x", _meta: { version: 3 } };

function json(value: unknown, status = 200, headers: Record<string, string> = {}): HostReply {
  return { status, headers, body: JSON.stringify(value) };
}

function refusal(status: number, code: string): HostReply {
  return json(
    { error: { code, message: `is ${code}`, details: [{ path: "a", reason: "b" }], request_id: "r" } },
    status,
  );
}

const asked = { kind: "documents", as: "function", search: "", headers: {} };

test("get asks for a document; none is null", async () => {
  const { outcome, requests } = await handled(
    "return [await ctx.db.shop.orders.get('a/b'), await ctx.db.shop.orders.get('none'), await ctx.db.shop.orders.get('..')];",
    ({ ...request }) =>
      "path" in request && request.path.endsWith("none") ? refusal(404, "not_found") : json(document),
  );
  expect(outcome).toMatchObject(returned([document, null, null]));
  expect(requests).toEqual([
    { ...asked, method: "GET", path: "shop/orders/a%2Fb" },
    { ...asked, method: "GET", path: "shop/orders/none" },
  ]);
});

test("list, each, count and aggregate ask as clients do", async () => {
  const { outcome, requests } = await handled(
    `const { orders } = ctx.db.shop;
    const page = await orders.list({ where: { status: "open" }, orderBy: ["-total", "id"], limit: 2, after: "c" });
    const all = [];
    for await (const each of orders.each({ where: { total: { $gt: 1 } } })) all.push(each.id);
    const groups = await orders.aggregate({ groupBy: ["status"], metrics: ["count"], orderBy: ["-count"], limit: 3, tz: "UTC" });
    return [page, all, await orders.count({ status: "open" }), await orders.count(), groups];`,
    (request) => {
      const search = "search" in request ? new URLSearchParams(request.search) : new URLSearchParams();
      if (search.has("group_by")) return json({ groups: [{ key: {} }], has_more: true });
      if (search.has("count")) return json({ items: [], has_more: true, total: 7 });
      const isFirst = search.get("after") === null;
      const items = [{ id: isFirst ? "1" : "2" }];
      return json(isFirst ? { items, has_more: true, next_cursor: "n" } : { items, has_more: false });
    },
  );
  expect(outcome).toMatchObject(
    returned([
      { items: [{ id: "2" }], hasMore: false, nextCursor: null },
      ["1", "2"],
      7,
      7,
      { groups: [{ key: {} }], hasMore: true },
    ]),
  );
  const searches = requests.map((request) => [
    "path" in request && request.path,
    "search" in request && Object.fromEntries(new URLSearchParams(request.search)),
  ]);
  expect(searches).toEqual([
    ["shop/orders", { where: '{"status":"open"}', order_by: "-total,id", limit: "2", after: "c" }],
    ["shop/orders", { where: '{"total":{"$gt":1}}', limit: "100" }],
    ["shop/orders", { where: '{"total":{"$gt":1}}', limit: "100", after: "n" }],
    [
      "shop/orders/_aggregate",
      { group_by: "status", metrics: "count", order_by: "-count", limit: "3", tz: "UTC" },
    ],
    ["shop/orders", { where: '{"status":"open"}', limit: "1", count: "true" }],
    ["shop/orders", { limit: "1", count: "true" }],
  ]);
});

test("writes carry bodies, versions and where documents belong", async () => {
  const { outcome, requests } = await handled(
    `const { orders } = ctx.db.shop;
    await orders.create({ title: "x" });
    await orders.create({ title: "x" }, { id: "own", org: "o", team: "t" });
    await orders.replace("a", { title: "y" }, { ifMatch: 3 });
    await orders.patch("a", { title: "z" });
    await orders.restore("a");
    await orders.delete("a", { ifMatch: 4 });
    return [await orders.delete("a", { purge: true }) ?? "nothing", await ctx.db.shop.batch([{ op: "delete", collection: "orders", id: "a" }], { org: "o" })];`,
    (request) => {
      if ("method" in request && request.method === "DELETE") return { status: 204 };
      return json(
        "path" in request && request.path.endsWith("_batch") ? { results: [{ id: "a" }] } : document,
      );
    },
  );
  expect(outcome).toMatchObject(returned(["nothing", [{ id: "a" }]]));
  const type = { "content-type": "application/json" };
  const patch = { "content-type": "application/merge-patch+json" };
  const one = "shop/orders/a";
  expect(requests).toEqual([
    { ...asked, method: "POST", path: "shop/orders", headers: type, body: '{"title":"x"}' },
    {
      ...asked,
      method: "POST",
      path: "shop/orders",
      search: "org=o&team=t",
      headers: type,
      body: '{"title":"x","id":"own"}',
    },
    { ...asked, method: "PUT", path: one, headers: { ...type, "if-match": '"3"' }, body: '{"title":"y"}' },
    { ...asked, method: "PATCH", path: one, headers: patch, body: '{"title":"z"}' },
    { ...asked, method: "POST", path: `${one}/restore` },
    { ...asked, method: "DELETE", path: one, headers: { "if-match": '"4"' } },
    { ...asked, method: "DELETE", path: one, search: "purge=true" },
    {
      ...asked,
      method: "POST",
      path: "shop/_batch",
      search: "org=o",
      headers: type,
      body: '{"operations":[{"op":"delete","collection":"orders","id":"a"}]}',
    },
  ]);
});

test("update writes what it read, and begins again where somebody came in between", async () => {
  let patches = 0;
  const { outcome, requests } = await handled(
    "return await ctx.db.shop.orders.update('a', ({ title }) => ({ title: title + '!' }));",
    (request) => {
      if ("method" in request && request.method === "GET")
        return json(document, 200, { etag: `"tag${patches}"` });
      return ++patches === 1 ? refusal(412, "version_mismatch") : json({ ...document, title: "x!" });
    },
  );
  expect(outcome).toMatchObject(returned({ ...document, title: "x!" }));
  expect(requests.map((request) => "headers" in request && request.headers["if-match"])).toEqual([
    undefined,
    '"tag0"',
    undefined,
    '"tag1"',
  ]);
});

test("a collection may be called batch", async () => {
  const { outcome } = await handled("return (await ctx.db.shop.batch.get('a')).id;", () => json(document));
  expect(outcome).toMatchObject(returned("a"));
});

test("a refusal is thrown as HTTP would answer it", async () => {
  const { outcome } = await handled(
    "try { await ctx.db.shop.orders.create({}); } catch (error) { return [error instanceof Error, error.name, error.status, error.code, error.message, error.details]; }",
    () => refusal(409, "conflict"),
  );
  expect(outcome).toMatchObject(
    returned([true, "StoreError", 409, "conflict", "is conflict", [{ path: "a", reason: "b" }]]),
  );
});

test("a body that is too long is refused before it leaves the thread", async () => {
  const { outcome, requests } = await handled(
    "return await ctx.db.shop.orders.create({ text: 'ä'.repeat(100) }).catch(({ status, code }) => [status, code]);",
  );
  expect(outcome).toMatchObject(returned([413, "payload_too_large"]));
  expect(requests).toEqual([]);
});

const caller = { kind: "user", id: "u", name: null, roles: ["staff"], orgs: ["o"] } as const;

test("a refusal of ctx.db that is not caught fails the run", async () => {
  const { outcome } = await handled("await ctx.db.shop.orders.create({});", () => refusal(409, "conflict"), {
    caller,
  });
  expect(outcome.result).toMatchObject({
    kind: "failed",
    reason: expect.stringContaining("StoreError: create in shop/orders: 409 conflict: is conflict (a b)"),
    details: [{ path: "a", reason: "b" }],
  });
});

test("a refusal of ctx.caller.db that is not caught reaches the caller as it is, but for the server's own faults", async () => {
  const refused = refusal(403, "forbidden");
  const { outcome, requests } = await handled("await ctx.caller.db.shop.orders.create({});", () => refused, {
    caller,
  });
  expect(outcome.result).toEqual({
    ...{ kind: "forwarded", status: 403, body: refused.body },
    ...{ operation: "create", collection: "shop/orders" },
  });
  expect(requests).toMatchObject([{ as: "caller" }]);
  const broken = await handled(
    "await ctx.caller.db.shop.orders.get('a');",
    () => refusal(503, "unavailable"),
    { caller },
  );
  expect(broken.outcome.result).toMatchObject({ kind: "failed" });
});

test("the caller is as they were authenticated, or null", async () => {
  const { outcome } = await handled("const { db, ...rest } = ctx.caller; return rest;", undefined, {
    caller,
  });
  expect(outcome).toMatchObject(returned(caller));
  expect((await handled("return ctx.caller;")).outcome).toMatchObject(returned(null));
});

test("organizations, jobs and mails are asked for", async () => {
  const { outcome, requests } = await handled(
    `const none = await ctx.orgs.get("none");
    const one = await ctx.orgs.setClaims("o", { plan: "pro" });
    const job = await ctx.jobs.enqueue("shop/ship", { order: 1 }, { delay: "10m", key: "k" });
    await ctx.mail.send({ to: "a@example.com", subject: "s", text: "t" });
    return [none, one, job];`,
    (request) => {
      if (request.kind === "organization") return refusal(404, "not_found");
      if (request.kind === "claims") return json({ id: "o" });
      return request.kind === "enqueue" ? json({ id: "job" }, 202) : { status: 204 };
    },
    { mail: true },
  );
  expect(outcome).toMatchObject(returned([null, { id: "o" }, { id: "job" }]));
  expect(requests).toEqual([
    { kind: "organization", id: "none" },
    { kind: "claims", id: "o", claims: '{"plan":"pro"}' },
    { kind: "enqueue", function: "shop/ship", input: '{"order":1}', delay: 600_000, key: "k" },
    { kind: "mail", to: "a@example.com", subject: "s", text: "t" },
  ]);
  expect((await handled("return typeof ctx.mail;")).outcome).toMatchObject(returned("undefined"));
});

test("secrets, the request's id and the time are there", async () => {
  const { outcome } = await handled(
    "return [ctx.secrets.KEY, ctx.secrets.OTHER ?? 'none', Object.isFrozen(ctx.secrets), ctx.requestId, ctx.now() instanceof Date, ctx.signal.aborted];",
    undefined,
    { secrets: { KEY: "value" } },
  );
  expect(outcome).toMatchObject(returned(["value", "none", true, "request", true, false]));
});

test("ctx.error, ctx.retry and ctx.fail say what comes of the run", async () => {
  const results = async (body: string) => (await handled(body)).outcome.result;
  expect(await results("throw ctx.error(409, 'out_of_stock', 'None left.', [{ sku: 'a' }]);")).toEqual({
    kind: "refused",
    status: 409,
    code: "out_of_stock",
    message: "None left.",
    details: [{ sku: "a" }],
  });
  expect(await results("throw ctx.retry({ after: '10m' });")).toEqual({ kind: "retry", after: 600_000 });
  expect(await results("throw ctx.retry();")).toEqual({ kind: "retry" });
  expect(await results("throw ctx.fail('gone', 'It is gone.');")).toEqual({
    kind: "ended",
    code: "gone",
    message: "It is gone.",
  });
  for (const wrong of [
    "ctx.error(500, 'a', 'b')",
    "ctx.error(400, 'A b', 'b')",
    "ctx.error(400, 'a', 'b', [1])",
  ]) {
    expect(await results(`throw ${wrong};`)).toMatchObject({
      code: "function_failed",
      reason: /RangeError: ctx.error/,
    });
  }
  expect(await results("throw ctx.retry({ after: 'soon' });")).toMatchObject({
    reason: /must be a duration/,
  });
});

test("what a run left behind asks nothing under the next", async () => {
  const definition = functions.add(
    "behind",
    `let former;
    export default async ({ begin }, ctx) => {
      if (begin) { former = ctx; void ctx.db.shop.orders.get("unawaited"); return 1; }
      void former.db.shop.orders.create({});
      former.log.info("still here");
      return (await ctx.db.shop.orders.get("own")).id;
    };`,
  );
  const first = new TestHost(() => new Promise(() => {}));
  const outcome = await running(pool, definition, { begin: true }, { host: first });
  expect(outcome.logs).toMatchObject([{ message: expect.stringContaining("requests behind") }]);
  const second = new TestHost(() => json(document));
  expect(await running(pool, definition, {}, { host: second })).toMatchObject({ ...returned("a"), logs: [] });
  expect([...first.requests, ...second.requests]).toMatchObject([
    { path: "shop/orders/unawaited" },
    { path: "shop/orders/own" },
  ]);
});

test("so many requests go to the server at a time", async () => {
  let open = 0;
  let most = 0;
  const { outcome } = await handled(
    "return (await Promise.all(Array.from({ length: 1000 }, (_, i) => ctx.db.shop.orders.get('x' + i)))).length;",
    async () => {
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open -= 1;
      return json(document);
    },
  );
  expect(outcome).toMatchObject(returned(1000));
  expect(most).toBe(64);
});

test("what reaches past ctx is no global of a handler", async () => {
  const names = ["process", "fetch", "WebSocket", "EventSource", "XMLHttpRequest", "BroadcastChannel"];
  const { outcome } = await handled(
    `return [${names.map((name) => `typeof ${name}`)}, ...${JSON.stringify(names)}.map((name) => typeof globalThis[name])];`,
  );
  expect(outcome).toMatchObject(returned(Array(2 * names.length).fill("undefined")));
});

test("the console writes into the log of the run", async () => {
  const { outcome } = await handled(
    "console.log('a %s', 'b', { c: 1 }); console.error('d'); console.table([1]);",
  );
  expect(outcome.logs).toMatchObject([
    { level: "info", message: "a b { c: 1 }" },
    { level: "error", message: "d" },
  ]);
});

test("a webhook is given bytes and answers with them", async () => {
  functions.add(
    "hook",
    `export default (input) => ({
      status: 201,
      headers: { "X-Own": input.headers["x-own"], "Set-Cookie": "a=b", connection: "close", "X-Request-Id": "1" },
      body: new Uint8Array([...input.body, input.query.get("n").length, input.json().a.length]),
    });`,
  );
  const { definition, ...rest } = webhook("hook");
  const body = new TextEncoder().encode('{"a":"ä"}');
  const outcome = await pool.run({ ...rest, definition, input: { ...input, body } });
  expect(outcome.result).toEqual({
    kind: "returned",
    value: {
      kind: "webhook",
      status: 201,
      headers: { "x-own": "yes" },
      body: new Uint8Array([...body, 3, 1]),
    },
  });
});

const input = {
  kind: "webhook",
  method: "POST",
  path: "/v1/acme/shop/_func/hook",
  search: "n=abc",
  headers: { "x-own": "yes" },
  body: new Uint8Array(),
} as const;

function webhook(name: string): Run {
  const { idempotency: _, attempts: __, ...shared } = functions.add("unused", "export default () => 1;");
  return {
    definition: { ...shared, name, mode: "webhook" },
    input,
    requestId: "request",
    secrets: {},
    host: new TestHost(),
    signal: new AbortController().signal,
  };
}

test("a webhook's answer that is none is invalid output", async () => {
  for (const answer of ["1", "{ headers: { 'a b': 'c' } }", "{ headers: { a: 'b\\nc' } }", "{ body: {} }"]) {
    functions.add(`wrong${++count}`, `export default () => (${answer});`);
    expect((await pool.run(webhook(`wrong${count}`))).result).toMatchObject({ code: "invalid_output" });
  }
  functions.add("none", "export default () => {};");
  expect((await pool.run(webhook("none"))).result).toMatchObject({
    value: { status: 200, headers: {}, body: "" },
  });
});

test("an event's handler is given the event and returns nothing", async () => {
  functions.add(
    "event",
    "export default (input, ctx) => { ctx.log.info(JSON.stringify(input)); return 1; };",
  );
  const { definition, ...rest } = webhook("event");
  const shared = { ...definition, mode: "event", triggers: [], attempts: 5 } as const;
  const at = "2026-03-01T00:00:00.000Z";
  const trigger = { kind: "trigger", event: "update", collection: "shop/orders", at, attempt: 2 } as const;
  const outcome = await pool.run({
    ...rest,
    definition: shared,
    input: { ...trigger, document: '{"id":"a"}' },
  });
  expect(outcome.result).toEqual({ kind: "returned", value: { kind: "nothing" } });
  expect(JSON.parse(outcome.logs[0]?.message ?? "")).toEqual({
    ...trigger,
    document: { id: "a" },
    previous: null,
  });
});

test("ctx.fetch reaches what the function declares, and its thread goes on", async () => {
  const server = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const definition = functions.add(
    "fetches",
    `let runs = 0;
    export default async ({ url }, ctx) => [++runs, await ctx.fetch(url).then((answer) => answer.text(), (error) => error.message)];`,
    { network: [`127.0.0.1:${port}`] },
  );
  const url = `http://127.0.0.1:${port}/`;
  expect(await running(pool, definition, { url })).toMatchObject(returned([1, "hello"]));
  expect(await running(pool, definition, { url })).toMatchObject(returned([2, "hello"]));
  expect(await running(pool, definition, { url: "http://127.0.0.1:1/" })).toMatchObject(
    returned([3, "ctx.fetch: network of function.yaml has no 127.0.0.1:1"]),
  );
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
