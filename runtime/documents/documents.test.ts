import { afterAll, beforeAll, expect, test } from "vitest";
import { dateNormalizer } from "../filter/dates.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import {
  code,
  collection,
  details,
  fields,
  paths,
  type Received,
  type Shop,
  startShop,
  text,
} from "./testing/shop.ts";

const notes = collection("notes");
const tasks = collection("tasks", { normalizeDates: dateNormalizer(fields.due_at) });
const pages = collection("pages", {
  indexes: [
    { name: "slug_lang", keys: [key("slug"), key("lang")], unique: true },
    { name: "title", keys: [key("title")], unique: true },
    { name: "qty", keys: [key("qty")], unique: false },
  ],
});
const open = collection("open", { validate: Object.assign((data: unknown) => isJsonObject(data), {}) });

function key(name: "slug" | "lang" | "title" | "qty") {
  return { field: fields[name], descending: false };
}

let shop: Shop;
beforeAll(async () => {
  shop = await startShop("disabled", [notes, tasks, pages, open]);
});
afterAll(() => shop.stop());

async function create(body: JsonObject, name = "notes"): Promise<JsonObject & { id: string }> {
  const { status, body: document } = await shop.send("POST", name, { body });
  expect(status).toBe(201);
  return { ...document, id: text(document, "id") };
}

test("Document: id is 20 characters, made by the server; members in order: id, the document's own, _meta", async () => {
  const { body, text: sent } = await shop.send("POST", "notes", { body: { title: "a", qty: 1 } });
  expect(text(body, "id")).toMatch(/^[0-9a-z]{20}$/);
  expect(sent).toBe(
    `{"id":"${text(body, "id")}","title":"a","qty":1,"_meta":{"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","version":1}}`,
  );
});

test("Versioning 2: _meta.version is 1 on create, one more at every write; created_at stays, updated_at moves", async () => {
  const { id } = await create({ title: "a" });
  shop.clock.advance(1000);
  const { body } = await shop.send("PATCH", `notes/${id}`, { body: { qty: 2 } });
  expect(body["_meta"]).toEqual({
    created_at: new Date(shop.clock.now() - 1000).toISOString(),
    updated_at: new Date(shop.clock.now()).toISOString(),
    version: 2,
  });
  const { body: replaced } = await shop.send("PUT", `notes/${id}`, { body: { title: "b" } });
  expect(replaced).toEqual({ id, title: "b", _meta: { ...Object(body["_meta"]), version: 3 } });
  expect((await shop.send("GET", `notes/${id}`)).body).toEqual(replaced);
});

test("Document: a document written before versioning has no version and gets 1 at its next write", async () => {
  const id = "before-versioning";
  const created_at = "2020-01-01T00:00:00.000Z";
  const old = `{"id":"${id}","title":"old","_meta":{"created_at":"${created_at}","updated_at":"${created_at}"}}`;
  await shop.stored(notes).insert({ id, version: 0, text: old, createdAt: Date.parse(created_at) });
  const read = await shop.send("GET", `notes/${id}`);
  expect(read).toMatchObject({ status: 200, text: old, tag: '"0"' });
  const written = await shop.send("PATCH", `notes/${id}`, {
    body: { qty: 1 },
    headers: { "if-match": '"0"' },
  });
  expect(written).toMatchObject({ status: 200, tag: '"1"', body: { _meta: { created_at, version: 1 } } });
});

test("Document 1: _id, _meta and _expanded in bodies are ignored, and id in PUT and PATCH", async () => {
  const ignored = { _id: 1, _meta: { version: 9, "a.b": 1 }, _expanded: { $x: 2 ** 60 } };
  const { id, ...document } = await create({ title: "a", ...ignored });
  expect(document).toEqual({ title: "a", _meta: expect.objectContaining({ version: 1 }) });
  const replaced = await shop.send("PUT", `notes/${id}`, { body: { id: "other", title: "b", ...ignored } });
  expect(replaced).toMatchObject({ status: 200, body: { id, title: "b", _meta: { version: 2 } } });
  const patched = await shop.send("PATCH", `notes/${id}`, { body: { id: null, _meta: null, title: "c" } });
  expect(patched).toMatchObject({ status: 200, body: { id, title: "c", _meta: { version: 3 } } });
});

test("Document 2: realms with authentication disabled have no owner, created_by or updated_by", async () => {
  const { _meta } = await create({ title: "a" });
  expect(Object.keys(Object(_meta))).toEqual(["created_at", "updated_at", "version"]);
});

test("Document 3: x-svc-store date: stored and returned in UTC with milliseconds", async () => {
  const { id } = await create({ title: "a", due_at: "2026-03-01T10:00:00+02:00" }, "tasks");
  expect((await shop.send("GET", `tasks/${id}`)).body).toMatchObject({ due_at: "2026-03-01T08:00:00.000Z" });
  const patched = await shop.send("PATCH", `tasks/${id}`, { body: { due_at: "2026-03-01T08:00:00.5Z" } });
  expect(patched.body).toMatchObject({ due_at: "2026-03-01T08:00:00.500Z" });
  const outside = await shop.send("PATCH", `tasks/${id}`, { body: { due_at: "9999-12-31T23:59:59-01:00" } });
  expect([outside.status, code(outside), paths(outside)]).toEqual([400, "validation_error", ["due_at"]]);
});

test("Document endpoints: create answers 201, Location, ETag and the stored document", async () => {
  const answer = await shop.send("POST", "notes", { body: { title: "a" } });
  expect(answer).toMatchObject({ status: 201, tag: '"1"' });
  expect(answer.headers.get("location")).toBe(`/v1/shop/main/notes/${text(answer.body, "id")}`);
  const { text: stored } = await shop.send("GET", `notes/${text(answer.body, "id")}`);
  expect(stored).toBe(answer.text);
});

test("Document endpoints: HEAD answers as GET, without the body", async () => {
  const { id } = await create({ title: "a" });
  expect(await shop.send("HEAD", `notes/${id}`)).toMatchObject({ status: 200, tag: '"1"', text: "" });
});

const reads = (id: string): readonly [string, string, JsonObject?][] => [
  ["GET", id],
  ["PUT", id, { title: "a" }],
  ["PATCH", id, {}],
  ["DELETE", id],
];

test("Document endpoints 1: an unknown id is 404 for every method; PUT and PATCH never create", async () => {
  for (const [method, id, body] of reads("nobody")) {
    const answer = await shop.send(method, `notes/${id}`, body && { body });
    expect([method, answer.status, code(answer)]).toEqual([method, 404, "not_found"]);
  }
  expect((await shop.send("GET", "notes/nobody")).status).toBe(404);
});

test.each(["a".repeat(129), "%20", "a%2Fb", "%00", "_hidden", "ü", "a'b", '"', ".hidden%0a"])(
  "Fine points: the id %s names no document: 404 on reads and writes",
  async (id) => {
    for (const [method, path, body] of reads(id)) {
      expect((await shop.send(method, `notes/${path}`, body && { body })).status).toBe(404);
    }
  },
);

test("Document endpoints 2: a create that does not fit the schema is 400, with one detail per failing field", async () => {
  const answer = await shop.send("POST", "notes", {
    body: { qty: -1.5, tags: ["a", 1], address: { town: "x" }, unknown: 1, due_at: "soon" },
  });
  expect([answer.status, code(answer)]).toEqual([400, "validation_error"]);
  expect(details(answer)).toEqual([
    { path: "title", reason: "is required" },
    { path: "unknown", reason: "is not allowed" },
    { path: "qty", reason: "must be integer" },
    { path: "due_at", reason: "must be a valid date-time" },
    { path: "tags.1", reason: "must be string" },
    { path: "address.town", reason: "is not allowed" },
  ]);
});

test("Document endpoints 4: PUT replaces the whole document; what is left out is removed", async () => {
  const { id } = await create({ title: "a", qty: 1, tags: ["x"] });
  const { status, body, tag } = await shop.send("PUT", `notes/${id}`, { body: { title: "b" } });
  expect([status, tag]).toEqual([200, '"2"']);
  expect(Object.keys(body)).toEqual(["id", "title", "_meta"]);
  expect((await shop.send("PUT", `notes/${id}`, { body: { qty: 1 } })).status).toBe(400);
  expect((await shop.send("GET", `notes/${id}`)).body).toEqual(body);
});

test("Document endpoints 5: PATCH merges; null removes; the merged result is validated", async () => {
  const { id } = await create({ title: "a", qty: 1, address: { city: "Bern", zip: "3000" } });
  const patched = await shop.send("PATCH", `notes/${id}`, { body: { qty: null, address: { zip: "3001" } } });
  expect(patched).toMatchObject({ status: 200, tag: '"2"' });
  expect(patched.body).toEqual({
    id,
    title: "a",
    address: { city: "Bern", zip: "3001" },
    _meta: expect.objectContaining({ version: 2 }),
  });
  const refused = await shop.send("PATCH", `notes/${id}`, { body: { title: null } });
  expect([refused.status, paths(refused)]).toEqual([400, ["title"]]);
  expect((await shop.send("GET", `notes/${id}`)).tag).toBe('"2"');
});

test("Document endpoints 6: DELETE removes for good: 204 without a body, then 404", async () => {
  const { id } = await create({ title: "a" });
  expect(await shop.send("DELETE", `notes/${id}`)).toMatchObject({ status: 204, text: "" });
  expect((await shop.send("DELETE", `notes/${id}`)).status).toBe(404);
  expect((await shop.send("GET", `notes/${id}`)).status).toBe(404);
});

test("Document endpoints 7: a unique index violated is 409 conflict, with a detail per field", async () => {
  await create({ title: "one", slug: "home", lang: "en" }, "pages");
  const { id } = await create({ title: "two", slug: "home", lang: "de" }, "pages");
  const single = await shop.send("POST", "pages", { body: { title: "one" } });
  expect([single.status, code(single), details(single)]).toEqual([
    409,
    "conflict",
    [{ path: "title", reason: "must be unique" }],
  ]);
  const compound = [
    { path: "slug", reason: "must be unique in combination with lang" },
    { path: "lang", reason: "must be unique in combination with slug" },
  ];
  const clash: (answer: Received) => void = (answer) =>
    expect([answer.status, details(answer)]).toEqual([409, compound]);
  clash(await shop.send("POST", "pages", { body: { title: "three", slug: "home", lang: "en" } }));
  clash(await shop.send("PATCH", `pages/${id}`, { body: { lang: "en" } }));
  clash(await shop.send("PUT", `pages/${id}`, { body: { title: "two", slug: "home", lang: "en" } }));
  expect((await shop.send("GET", `pages/${id}`)).tag).toBe('"1"');
});

test("Document endpoints 7: documents without an indexed field take no part in the index", async () => {
  await create({ title: "three", slug: "lonely" }, "pages");
  await create({ title: "four", slug: "lonely" }, "pages");
});

test("Fine points: PATCH {} and an identical PUT are writes", async () => {
  const { id } = await create({ title: "a" });
  expect((await shop.send("PATCH", `notes/${id}`, { body: {} })).tag).toBe('"2"');
  expect((await shop.send("PUT", `notes/${id}`, { body: { title: "a" } })).tag).toBe('"3"');
});

test("Fine points: query parameters on writes: expand is ignored, any other is 400 invalid_query", async () => {
  const { id } = await create({ title: "a" });
  expect((await shop.send("POST", "notes?expand=x", { body: { title: "a" } })).status).toBe(201);
  expect((await shop.send("PUT", `notes/${id}?expand=x`, { body: { title: "a" } })).status).toBe(200);
  expect((await shop.send("PATCH", `notes/${id}?expand=x`, { body: {} })).status).toBe(200);
  const requests: readonly [string, string, JsonObject?][] = [
    ["POST", "notes?purge=true", { title: "a" }],
    ["PUT", `notes/${id}?org=x`, { title: "a" }],
    ["PUT", `notes/${id}?x=1`, { title: "a" }],
    ["PATCH", `notes/${id}?limit=1`, {}],
    ["DELETE", `notes/${id}?purge=true`],
    ["DELETE", `notes/${id}?purge=false`],
    ["DELETE", `notes/${id}?expand=a&expand=b`],
  ];
  for (const [method, path, body] of requests) {
    const answer = await shop.send(method, path, body && { body });
    expect([method, path, answer.status, code(answer)]).toEqual([method, path, 400, "invalid_query"]);
  }
  expect((await shop.send("DELETE", `notes/${id}?expand=x`)).status).toBe(204);
});

test("Document endpoints 3, 8: org and team of creates are refused where documents belong to none", async () => {
  const operations = [{ op: "create", collection: "notes", document: { title: "a" } }];
  for (const [path, body] of [
    ["notes", { title: "a" }],
    ["_batch", { operations }],
  ] as const) {
    for (const name of ["org", "team"]) {
      const answer = await shop.send("POST", `${path}?${name}=x`, { body });
      expect([path, answer.status, code(answer), paths(answer)]).toEqual([
        path,
        400,
        `${name}_not_allowed`,
        [name],
      ]);
    }
    expect(code(await shop.send("POST", `${path}?org=x&org=y`, { body }))).toBe("invalid_query");
  }
});

test("Fine points: member names that start with $ or contain a dot, at any depth, and huge integers: 400", async () => {
  const { id } = await create({ title: "a" }, "open");
  for (const member of ['"$x":1', '"a.b":1', '"a":[{"b":{"$c":1}}]', '"n":9007199254740993']) {
    for (const [method, path] of [
      ["POST", "open"],
      ["PUT", `open/${id}`],
      ["PATCH", `open/${id}`],
    ] as const) {
      const answer = await shop.send(method, path, { text: `{${member}}` });
      expect([member, method, answer.status, code(answer)]).toEqual([
        member,
        method,
        400,
        "validation_error",
      ]);
    }
  }
  const hidden = `{"_expanded":{${Array.from({ length: 200 }, (_, at) => `"$${at}":1`)}},"a.b":1}`;
  expect((await shop.send("POST", "open", { text: hidden })).status).toBe(400);
});

test("Fine points: __proto__ and constructor are plain data", async () => {
  const sent = '{"__proto__":{"a":1},"constructor":{"prototype":2},"toString":"x"}';
  const { body, text: created } = await shop.send("POST", "open", { text: sent });
  expect(created).toContain(sent.slice(1, -1));
  const id = text(body, "id");
  const patched = await shop.send("PATCH", `open/${id}`, { text: '{"__proto__":{"b":2},"toString":null}' });
  expect(patched.text).toContain('"__proto__":{"a":1,"b":2},"constructor":{"prototype":2}');
  expect(patched.text).not.toContain("toString");
  const replaced = await shop.send("PUT", `open/${id}`, { text: '{"__proto__":null}' });
  expect(replaced.text).toContain(`{"id":"${id}","__proto__":null,"_meta":`);
});

test("Documents come back as they were sent, whatever they hold", async () => {
  const values = [
    '"\\u2028\\"\\\\\\u0001ü𝒳"',
    "1e3",
    "-0",
    "0.1",
    '{"_meta":{"a":1}}',
    '["},"]',
    '",\\"_meta\\":{"',
  ];
  for (const value of values) {
    const { body, text: created } = await shop.send("POST", "open", { text: `{"x":${value}}` });
    const id = text(body, "id");
    expect(body["x"]).toEqual(JSON.parse(value === "-0" ? "0" : value));
    expect((await shop.send("GET", `open/${id}`)).text).toBe(created);
    const { body: replaced } = await shop.send("PUT", `open/${id}`, { text: `{"x":${value}}` });
    expect(replaced).toMatchObject({ x: body["x"], _meta: { created_at: expect.any(String), version: 2 } });
  }
});

test("Versioning 4: stored documents that no longer fit are returned as stored; every write must fit", async () => {
  const id = "outdated";
  const created_at = "2020-01-01T00:00:00.000Z";
  const old = `{"id":"${id}","name":"old","_meta":{"created_at":"${created_at}","updated_at":"${created_at}","version":3}}`;
  await shop.stored(notes).insert({ id, version: 3, text: old, createdAt: Date.parse(created_at) });
  expect((await shop.send("GET", `notes/${id}`)).text).toBe(old);
  const refused = await shop.send("PATCH", `notes/${id}`, { body: { title: "new" } });
  expect([refused.status, paths(refused)]).toEqual([400, ["name"]]);
  const mended = await shop.send("PATCH", `notes/${id}`, { body: { title: "new", name: null } });
  expect(mended).toMatchObject({ status: 200, body: { title: "new", _meta: { created_at, version: 4 } } });
});

test("Hostile requests never answer 500", async () => {
  const { id } = await create({ title: "a" });
  const bodies = ["", "null", "[]", '"x"', "{", '{"title":"\\ud800"}', '{"a":1e999}', `${"[".repeat(100)}`];
  const headers = [{}, { "if-match": "x" }, { "if-none-match": '"' }, { "content-type": "text/plain" }];
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    for (const text of bodies) {
      for (const more of headers) {
        const path = method === "POST" ? "notes" : `notes/${method === "DELETE" ? "x" : id}`;
        const { status } = await shop.send(method, path, { text, headers: more });
        expect([method, text, status >= 400 && status < 500]).toEqual([method, text, true]);
      }
    }
  }
});
