// The reference: one collection as an expert would write it by hand with Fastify, SQLite and ajv. It answers the
// benchmark's requests with the same statuses, bodies and headers as the generated server, durably
// (synchronous=FULL), and without anything that this one collection does not need.
import { hash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import {
  checkFor,
  conflict,
  found,
  headers,
  matches,
  mergePatch,
  newApp,
  newId,
  operationsOf,
  pageOf,
} from "./handwritten-http.mjs";

const [, , folder, schemaFile] = process.argv;
const db = new DatabaseSync(join(folder, "items.sqlite"));
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS items (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    sku TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS items_created ON items (created_at, id);
`);
const select = db.prepare("SELECT version, body FROM items WHERE id = ?");
const selectVersion = db.prepare("SELECT version, created_at, body FROM items WHERE id = ?");
const page = db.prepare("SELECT id, version, body FROM items ORDER BY created_at, id LIMIT ? OFFSET ?");
const insert = db.prepare("INSERT INTO items (id, version, created_at, sku, body) VALUES (?, 1, ?, ?, ?)");
const update = db.prepare("UPDATE items SET version = ?, sku = ?, body = ? WHERE id = ? AND version = ?");
const remove = db.prepare("DELETE FROM items WHERE id = ?");

const check = checkFor(schemaFile);
const app = newApp();

function write(run) {
  try {
    return run();
  } catch (error) {
    throw error.errcode === 2067 ? conflict() : error;
  }
}

function body(id, fields, createdAt, updatedAt, version) {
  const meta = `{"created_at":"${createdAt}","updated_at":"${updatedAt}","version":${version}}`;
  return `{"id":"${id}",${JSON.stringify(fields).slice(1, -1)},"_meta":${meta}}`;
}

function create(fields) {
  check(fields);
  const id = newId();
  const now = new Date().toISOString();
  const text = body(id, fields, now, now, 1);
  write(() => insert.run(id, now, fields.sku, text));
  return { id, text };
}

function replace(request, reply, id, row, fields) {
  matches(request, row.version);
  const { id: _id, _meta, ...own } = fields;
  check(own);
  const text = body(id, own, row.created_at, new Date().toISOString(), row.version + 1);
  write(() => update.run(row.version + 1, own.sku, text, id, row.version));
  headers(request, reply).header("etag", `"${row.version + 1}"`);
  return reply.send(text);
}

const path = "/v1/open/shop/items";
app.get(`${path}/:id`, (request, reply) => {
  const row = found(select.get(request.params.id));
  const tag = `"${row.version}"`;
  headers(request, reply).header("etag", tag);
  if (request.headers["if-none-match"] === tag) reply.code(304).removeHeader("content-type").send();
  else reply.send(row.body);
});
app.get(path, (request, reply) => {
  const { limit, skip } = pageOf(request.query);
  const rows = page.all(limit + 1, skip);
  const more = rows.length > limit;
  if (more) rows.pop();
  // Changes with what is shown, whatever else the collection holds.
  const shown = rows.reduce((text, { id, version }) => `${text}${id} ${version}\n`, `${more}`);
  const tag = `W/"${hash("sha1", shown, "base64url")}"`;
  headers(request, reply).header("etag", tag);
  if (request.headers["if-none-match"] === tag) return reply.code(304).removeHeader("content-type").send();
  reply.send(
    `{"items":[${rows.map((row) => row.body).join(",")}],"limit":${limit},"skip":${skip},"has_more":${more}}`,
  );
});
app.post(path, (request, reply) => {
  const { id, text } = create(request.body);
  headers(request, reply).code(201).header("etag", '"1"').header("location", `${path}/${id}`).send(text);
});
app.put(`${path}/:id`, (request, reply) => {
  const { id } = request.params;
  replace(request, reply, id, found(selectVersion.get(id)), request.body);
});
app.patch(`${path}/:id`, (request, reply) => {
  const { id } = request.params;
  const row = found(selectVersion.get(id));
  replace(request, reply, id, row, mergePatch(JSON.parse(row.body), request.body));
});
app.delete(`${path}/:id`, (request, reply) => {
  const { id } = request.params;
  matches(request, found(select.get(id)).version);
  remove.run(id);
  headers(request, reply).removeHeader("content-type").code(204).send();
});
app.post("/v1/open/shop/_batch", (request, reply) => {
  const operations = operationsOf(request.body);
  db.exec("BEGIN IMMEDIATE");
  let results;
  try {
    results = operations.map((operation) => create(operation.document).text);
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
  headers(request, reply).send(`{"results":[${results.join(",")}]}`);
});

const address = await app.listen({ port: 0, host: "127.0.0.1" });
process.send({ ready: address });
