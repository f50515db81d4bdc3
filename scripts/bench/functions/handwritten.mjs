// The reference for functions: the same handlers as an expert would write them by hand as Fastify routes over SQLite, in the
// server's own process: inputs, outputs and documents checked by ajv, writes durable and committed together, what follows a
// write begun when that is durable. Nothing is kept from a handler here, nothing bounds it, and what follows is lost with the process.
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { groupCommit } from "../group-commit.mjs";
import { checkFor, found, headers, newApp, newId, operationsOf } from "../handwritten-http.mjs";
import { checkOrder, checkReceipt, checkTake, checkTaken } from "./checks.mjs";

const [, , folder, schemaFile] = process.argv;
const db = new DatabaseSync(join(folder, "functions.sqlite"));
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 4000;
  CREATE TABLE IF NOT EXISTS items (
    id TEXT PRIMARY KEY, version INTEGER NOT NULL, created_at TEXT NOT NULL,
    name TEXT NOT NULL, sku TEXT NOT NULL UNIQUE, body TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS items_created ON items (created_at, id);
  CREATE INDEX IF NOT EXISTS items_name ON items (name, created_at, id);
  CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, version INTEGER NOT NULL, created_at TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS orders_created ON orders (created_at, id);
  CREATE TABLE IF NOT EXISTS receipts (id TEXT PRIMARY KEY, version INTEGER NOT NULL, created_at TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS receipts_created ON receipts (created_at, id);
`);
const insertItem = db.prepare(
  "INSERT INTO items (id, version, created_at, name, sku, body) VALUES (?, 1, ?, ?, ?, ?)",
);
const item = db.prepare("SELECT version, body FROM items WHERE id = ?");
const updateItem = db.prepare("UPDATE items SET version = ?, name = ?, sku = ?, body = ? WHERE id = ?");
const insertOrder = db.prepare("INSERT INTO orders (id, version, created_at, body) VALUES (?, 1, ?, ?)");
const insertReceipt = db.prepare("INSERT INTO receipts (id, version, created_at, body) VALUES (?, 1, ?, ?)");
const countReceipts = db.prepare("SELECT count(*) AS total FROM receipts");

const write = groupCommit(db);
const checkItem = checkFor(schemaFile);
const app = newApp();
app.addContentTypeParser("application/octet-stream", { parseAs: "buffer" }, (_request, body, done) =>
  done(null, body),
);
const base = "/v1/functions/shop";

function textOf(id, fields, createdAt, updatedAt, version) {
  const meta = `{"created_at":"${createdAt}","updated_at":"${updatedAt}","version":${version}}`;
  return `{"id":"${id}",${JSON.stringify(fields).slice(1, -1)},"_meta":${meta}}`;
}

app.post(`${base}/_func/hook`, (_request, reply) => {
  reply.header("content-type", "application/json").send('{"received":true}');
});

app.post(`${base}/_func/take`, async (request, reply) => {
  checkTake(request.body);
  const { id, amount } = request.body;
  // In a group of writes: nobody comes in between.
  const stock = await write(() => {
    const row = found(item.get(id));
    const { id: _id, _meta, ...fields } = JSON.parse(row.body);
    fields.stock = (fields.stock ?? 0) - amount;
    checkItem(fields);
    const version = row.version + 1;
    const body = textOf(id, fields, _meta.created_at, new Date().toISOString(), version);
    updateItem.run(version, fields.name, fields.sku, body, id);
    return fields.stock;
  });
  const output = { stock };
  checkTaken(output);
  return headers(request, reply).send(JSON.stringify(output));
});

async function record(fields) {
  checkReceipt(fields);
  const id = newId();
  const now = new Date().toISOString();
  await write(() => insertReceipt.run(id, now, textOf(id, fields, now, now, 1)));
}

app.post(`${base}/_func/record`, async (request, reply) => {
  await record(request.body);
  return headers(request, reply).send("null");
});

app.post(`${base}/orders`, async (request, reply) => {
  checkOrder(request.body);
  const id = newId();
  const now = new Date().toISOString();
  const body = textOf(id, request.body, now, now, 1);
  await write(() => insertOrder.run(id, now, body));
  const { sent } = request.body;
  record({ of: id, sent }).catch((error) => request.log.error(error));
  headers(request, reply).code(201).header("etag", '"1"').header("location", `${base}/orders/${id}`);
  return reply.send(body);
});

app.get(`${base}/receipts`, (request, reply) => {
  headers(request, reply).send(JSON.stringify(countReceipts.get()));
});

app.post(`${base}/_batch`, async (request, reply) => {
  const now = new Date().toISOString();
  const rows = operationsOf(request.body).map(({ document }) => {
    checkItem(document);
    const id = newId();
    return { id, document, body: textOf(id, document, now, now, 1) };
  });
  await write(() => {
    for (const { id, document, body } of rows) insertItem.run(id, now, document.name, document.sku, body);
  });
  return headers(request, reply).send(`{"results":[${rows.map(({ body }) => body).join(",")}]}`);
});

const address = await app.listen({ port: 0, host: "127.0.0.1" });
process.send({ ready: address });
