import { afterAll, beforeAll, expect, test } from "vitest";
import { collection, type Sent, text } from "../../documents/testing/shop.ts";
import type { JsonObject } from "../../json.ts";
import { allowed, byCaller } from "../../rules/index.ts";
import type { Run } from "../invocation.ts";
import { call, codeOf, documents, type FunctionShop, output, startFunctionShop } from "../testing/shop.ts";

const owned = {
  create: byCaller(({ user }) => user !== undefined),
  read: byCaller(({ user }) => user?.roles.includes("reader") === true),
  update: byCaller(({ user }) => user?.roles.includes("reader") === true),
};
const notes = collection("notes", { rules: owned, softDelete: {} });
const closed = collection("closed", { rules: {} });
const other = collection("other", { database: "side", rules: { read: allowed } });

/** What the handler of `go` does next. */
let go: (run: Run) => Promise<JsonObject>;
let shop: FunctionShop;
let plain: FunctionShop;

beforeAll(async () => {
  const handles = {
    go: async (run: Run) => output(await go(run)),
    scoped: async (run: Run) => output(await go(run)),
  };
  const functions = [call("go"), call("scoped", { scopes: { read: ["main/notes"], write: [] } })];
  shop = await startFunctionShop(functions, handles, { collections: [notes, closed, other] });
  plain = await startFunctionShop(functions, handles, {
    auth: "disabled",
    collections: [collection("notes")],
  });
});
afterAll(() => Promise.all([shop.stop(), plain.stop()]));

async function run(handler: typeof go, sent: Sent = {}, name = "go", at = shop): Promise<JsonObject> {
  go = handler;
  const { status, body } = await at.send("POST", `_func/${name}`, { body: {}, ...sent });
  expect(status).toBe(200);
  return body;
}

const meta = (json: JsonObject) => json["_meta"];

test("documents: the function is past the rules, and its documents are by key:<database>/<function>", async () => {
  const body = await run(async (by) => {
    const made = await documents(by, "POST", "main/closed", { body: { title: "a" } });
    const id = text(made.json, "id");
    const got = await documents(by, "GET", `main/closed/${id}`);
    const changed = await documents(by, "PATCH", `main/closed/${id}`, { body: { qty: 1 } });
    const stale = await documents(by, "PUT", `main/closed/${id}`, {
      body: { title: "b" },
      headers: { "if-match": '"1"' },
    });
    const listed = await documents(by, "GET", "main/closed", { search: "limit=1" });
    const gone = await documents(by, "DELETE", `main/closed/${id}`);
    return {
      statuses: [made, got, changed, stale, listed, gone].map(({ status }) => status),
      made: made.json,
      tag: made.headers?.["etag"] ?? null,
    };
  });
  expect(body["statuses"]).toEqual([201, 200, 200, 412, 200, 204]);
  expect(body["tag"]).toBe('"1"');
  expect(meta(body["made"] as JsonObject)).toMatchObject({
    owner: null,
    created_by: "key:main/go",
    updated_by: "key:main/go",
  });
});

test("documents: what a user calls is made and changed by them", async () => {
  const { token, id } = await shop.signUp("maker@example.com");
  const body = await run(
    async (by) => (await documents(by, "POST", "main/closed", { body: { title: "a" } })).json,
    { token },
  );
  expect(meta(body)).toMatchObject({ owner: id, created_by: `user:${id}`, updated_by: `user:${id}` });
});

test("documents: schemas, unknown places and methods are refused as HTTP refuses them", async () => {
  const body = await run(async (by) => {
    const invalid = await documents(by, "POST", "main/notes", { body: {} });
    const nowhere = await documents(by, "GET", "main/nothing");
    const outside = await documents(by, "GET", "_admin/users");
    const above = await documents(by, "GET", "main/../../shop/main/notes");
    const method = await documents(by, "PUT", "main/notes", { body: {} });
    const large = await documents(by, "POST", "main/notes", { body: { title: "x".repeat(2 ** 20) } });
    return {
      codes: [invalid, nowhere, outside, above, method, large].map(codeOf),
      id: by.requestId,
      body: invalid.json,
    };
  });
  expect(body["codes"]).toEqual([
    "validation_error",
    "not_found",
    "not_found",
    "not_found",
    "method_not_allowed",
    "payload_too_large",
  ]);
  expect(body["body"]).toMatchObject({ error: { request_id: body["id"] } });
});

test("documents: scopes bound what a function reaches", async () => {
  const body = await run(
    async (by) => ({
      codes: await Promise.all([
        documents(by, "GET", "main/notes").then(({ status }) => status),
        documents(by, "POST", "main/notes", { body: { title: "a" } }).then(codeOf),
        documents(by, "GET", "main/closed").then(codeOf),
        documents(by, "GET", "side/other").then(codeOf),
      ]),
    }),
    {},
    "scoped",
  );
  expect(body["codes"]).toEqual([200, "forbidden", "forbidden", "forbidden"]);
});

test("documents: a batch is all or nothing", async () => {
  const body = await run(async (by) => {
    const operations = [
      { op: "create", collection: "closed", document: { title: "batched" } },
      { op: "create", collection: "closed", document: {} },
    ];
    const refused = await documents(by, "POST", "main/_batch", { body: { operations } });
    const where = JSON.stringify({ title: "batched" });
    const found = await documents(by, "GET", "main/closed", { search: `where=${encodeURIComponent(where)}` });
    return { code: codeOf(refused), found: found.json["items"] ?? null };
  });
  expect(body).toEqual({ code: "validation_error", found: [] });
});

test("ctx.caller.db: the rules and the identity of who called hold", async () => {
  const asCaller = async (by: Run): Promise<JsonObject> => {
    const made = await documents(by, "POST", "main/notes", { as: "caller", body: { title: "a" } });
    const listed = await documents(by, "GET", "main/notes", { as: "caller" });
    const hidden = await documents(by, "GET", "main/closed", { as: "caller" });
    return { made: made.json, statuses: [made, listed, hidden].map(({ status }) => status) };
  };
  expect((await run(asCaller))["statuses"]).toEqual([401, 401, 401]);
  const user = await shop.signUp("plain@example.com");
  const by = await run(asCaller, { token: user.token });
  expect(by["statuses"]).toEqual([201, 403, 403]);
  expect(meta(by["made"] as JsonObject)).toMatchObject({ owner: user.id, created_by: `user:${user.id}` });
  const reader = await shop.person("reading@example.com", "reader");
  expect((await run(asCaller, { token: reader.token }))["statuses"]).toEqual([201, 200, 403]);
});

test("ctx.caller.db: the scopes of the key hold, also of one that acts for a user", async () => {
  const asCaller = async (by: Run): Promise<JsonObject> => ({
    statuses: [
      (await documents(by, "POST", "main/closed", { as: "caller", body: { title: "a" } })).status,
      (await documents(by, "GET", "main/closed", { as: "caller" })).status,
    ],
  });
  const reads = await shop.key({ name: "reads", scopes: { read: "*", call: "*" }, onBehalfOf: true });
  expect((await run(asCaller, { token: reads }))["statuses"]).toEqual([403, 200]);
  const { id } = await shop.person("behalf@example.com", "reader");
  const headers = { "x-svc-on-behalf-of": id };
  const notesAs = async (by: Run): Promise<JsonObject> => ({
    statuses: [
      (await documents(by, "POST", "main/notes", { as: "caller", body: { title: "a" } })).status,
      (await documents(by, "GET", "main/notes", { as: "caller" })).status,
    ],
  });
  expect((await run(notesAs, { token: reads, headers }))["statuses"]).toEqual([403, 200]);
});

test("auth: disabled: documents name nobody, and scopes hold all the same", async () => {
  const body = await run(
    async (by) => (await documents(by, "POST", "main/notes", { body: { title: "a" } })).json,
    {},
    "go",
    plain,
  );
  expect(Object.keys(meta(body) as JsonObject)).toEqual(["created_at", "updated_at", "version"]);
  const scoped = await run(
    async (by) => ({ code: codeOf(await documents(by, "POST", "main/notes", { body: { title: "a" } })) }),
    {},
    "scoped",
    plain,
  );
  expect(scoped["code"]).toBe("forbidden");
});

test("a run has 16 requests answered at a time; beyond 10,000 that wait it is refused", async () => {
  const body = await run(async (by) => {
    const asked = Array.from({ length: 10_100 }, () => documents(by, "GET", "main/nothing"));
    const answered = await Promise.all(asked);
    return { refused: answered.filter(({ status }) => status === 503).length };
  });
  expect(body["refused"]).toBe(10_100 - 16 - 10_000);
});
