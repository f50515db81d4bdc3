// The reference of the query benchmark: each query as an expert would write it in SQL for these three collections
// alone, inside one Fastify handler, on the same engine. The answers have the bodies and headers of the generated ones.
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import Fastify from "fastify";
import { page, send } from "./handwritten-http.mjs";

const [, , folder] = process.argv;
const db = new DatabaseSync(join(folder, "desk.sqlite"));
const people = (name) => `
  CREATE TABLE ${name} (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, body TEXT NOT NULL);
`;
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA mmap_size = 268435456;
  CREATE TABLE tickets (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX tickets_created ON tickets (created_at, id);
  CREATE INDEX tickets_status ON tickets (json_extract(body, '$.status'), created_at, id);
  CREATE INDEX tickets_due ON tickets (json_extract(body, '$.status'), json_extract(body, '$.due_at') DESC, id);
  CREATE VIRTUAL TABLE tickets_text USING fts5(subject, body, content='', tokenize='porter unicode61');
  ${people("customers")}
  ${people("agents")}
`);
const status = "json_extract(body, '$.status')";
const due = "json_extract(body, '$.due_at')";
const columns = "id, version, created_at, body";
const statements = {
  first: db.prepare(`SELECT ${columns} FROM tickets ORDER BY created_at, id LIMIT ?`),
  after: db.prepare(
    `SELECT ${columns} FROM tickets WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`,
  ),
  byStatus: db.prepare(`SELECT ${columns} FROM tickets WHERE ${status} = ? ORDER BY created_at, id LIMIT ?`),
  byDue: db.prepare(`SELECT ${columns} FROM tickets ORDER BY ${status}, ${due} DESC, id LIMIT ?`),
  reporter: db.prepare(
    `SELECT ${columns} FROM tickets WHERE json_extract(body, '$.reporter.email') = ? ORDER BY created_at, id LIMIT ?`,
  ),
  countByStatus: db.prepare(`SELECT count(*) AS total FROM tickets WHERE ${status} = ?`),
  search: db.prepare(
    `SELECT id, version, created_at, tickets.body, -bm25(tickets_text, 10, 2) AS score FROM tickets_text JOIN tickets ON seq = tickets_text.rowid
     WHERE tickets_text MATCH ? ORDER BY score DESC, id LIMIT ?`,
  ),
  customers: db.prepare("SELECT id, body FROM customers WHERE id IN (SELECT value FROM json_each(?))"),
  agents: db.prepare("SELECT id, body FROM agents WHERE id IN (SELECT value FROM json_each(?))"),
  months: db.prepare(
    `SELECT substr(${due}, 1, 7) AS month, count(*) AS count, total(json_extract(body, '$.hours')) AS hours
     FROM tickets GROUP BY month ORDER BY month LIMIT 101`,
  ),
};

const app = Fastify();
const path = "/v1/queries/desk/tickets";

app.get(`${path}/first`, (request, reply) => {
  const limit = Number(request.query.limit);
  page(request, reply, statements.first.all(limit + 1), limit);
});
app.get(`${path}/after`, (request, reply) => {
  const limit = Number(request.query.limit);
  const [createdAt, id] = Buffer.from(request.query.after, "base64url").toString().split(",");
  page(request, reply, statements.after.all(createdAt, id, limit + 1), limit);
});
app.get(`${path}/by-status`, (request, reply) => {
  const limit = Number(request.query.limit);
  const where = JSON.parse(request.query.where);
  page(request, reply, statements.byStatus.all(where.status, limit + 1), limit);
});
app.get(`${path}/by-due`, (request, reply) => {
  const limit = Number(request.query.limit);
  page(request, reply, statements.byDue.all(limit + 1), limit);
});
app.get(`${path}/unindexed`, (request, reply) => {
  const limit = Number(request.query.limit);
  const where = JSON.parse(request.query.where);
  page(request, reply, statements.reporter.all(where["reporter.email"], limit + 1), limit);
});
app.get(`${path}/count`, (request, reply) => {
  const limit = Number(request.query.limit);
  const { status: wanted } = JSON.parse(request.query.where);
  const { total } = statements.countByStatus.get(wanted);
  page(request, reply, statements.byStatus.all(wanted, limit + 1), limit, { total });
});
app.get(`${path}/search`, (request, reply) => {
  const limit = Number(request.query.limit);
  const terms = JSON.parse(request.query.where).$search.split(" ");
  const rows = statements.search.all(terms.map((term) => `"${term}"`).join(" OR "), limit + 1);
  const texts = rows.map(({ body, score }) => `${body.slice(0, -2)},"score":${score}}}`);
  page(request, reply, rows, limit, { texts, cursor: () => undefined });
});
app.get(`${path}/expand`, (request, reply) => {
  const limit = Number(request.query.limit);
  const rows = statements.first.all(limit + 1);
  const documents = rows.map(({ body }) => JSON.parse(body));
  const load = (statement, field) => {
    const ids = new Set(documents.map((document) => document[field]));
    return new Map(statement.all(JSON.stringify([...ids])).map(({ id, body }) => [id, body]));
  };
  const customers = load(statements.customers, "customer_id");
  const agents = load(statements.agents, "agent_id");
  const texts = rows.map(({ body }, at) => {
    const { customer_id: customer, agent_id: agent } = documents[at];
    return `${body.slice(0, -1)},"_expanded":{"customer":${customers.get(customer) ?? null},"agent":${agents.get(agent) ?? null}}}`;
  });
  const extra = { "x-svc-expand-queries": "2", "x-svc-expand-docs": String(limit * 2) };
  page(request, reply, rows, limit, { texts, extra });
});
app.get(`${path}/months`, (request, reply) => {
  const groups = statements.months.all().map(({ month, count, hours }) => ({
    key: { due_at: `${month}-01T00:00:00.000Z` },
    count,
    "sum:hours": hours,
  }));
  const body = JSON.stringify({ groups, has_more: false });
  send(request, reply, body, body);
});

const inserts = {
  tickets: db.prepare("INSERT INTO tickets (id, version, created_at, body) VALUES (?, 1, ?, ?)"),
  customers: db.prepare("INSERT INTO customers (id, version, body) VALUES (?, 1, ?)"),
  agents: db.prepare("INSERT INTO agents (id, version, body) VALUES (?, 1, ?)"),
};
const insertText = db.prepare("INSERT INTO tickets_text (rowid, subject, body) VALUES (?, ?, ?)");
let serial = 0;
app.post("/v1/queries/desk/_batch", { bodyLimit: 2 ** 21 }, (request, reply) => {
  db.exec("BEGIN IMMEDIATE");
  for (const { collection, document } of request.body.operations) {
    const { id = (++serial).toString(36).padStart(20, "0"), ...fields } = document;
    const now = new Date().toISOString();
    const meta = `{"created_at":"${now}","updated_at":"${now}","version":1}`;
    const body = `{"id":"${id}",${JSON.stringify(fields).slice(1, -1)},"_meta":${meta}}`;
    const values = collection === "tickets" ? [id, now, body] : [id, body];
    const { lastInsertRowid } = inserts[collection].run(...values);
    if (collection === "tickets") insertText.run(lastInsertRowid, fields.subject, fields.body);
  }
  db.exec("COMMIT");
  reply.send({ results: [] });
});

const address = await app.listen({ port: 0, host: "127.0.0.1" });
process.send({ ready: address });
