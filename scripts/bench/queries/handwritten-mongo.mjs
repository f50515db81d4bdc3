// The same reference with MongoDB: each query as an expert would write it with the driver for these three collections alone,
// inside one Fastify handler. The answers have the bodies and headers of the generated ones.
import Fastify from "fastify";
import { MongoClient } from "mongodb";
import { page, send } from "./handwritten-http.mjs";

const [, , uri, database] = process.argv;
const client = new MongoClient(uri, {
  readConcern: { level: "majority" },
  writeConcern: { w: "majority" },
});
const db = client.db(database);
const [tickets, customers, agents] = ["tickets", "customers", "agents"].map((name) => db.collection(name));
await tickets.createIndexes([
  { key: { "_meta.created_at": 1, _id: 1 } },
  { key: { status: 1, "_meta.created_at": 1, _id: 1 } },
  { key: { status: 1, due_at: -1, _id: 1 } },
  { key: { subject: "text", body: "text" }, weights: { subject: 10, body: 2 }, default_language: "english" },
]);
/** As in the settings of the generated server. */
const limited = { maxTimeMS: 55_000 };
const byCreation = { "_meta.created_at": 1, _id: 1 };

const app = Fastify();
const path = "/v1/queries/desk/tickets";

function shown({ _id, ...fields }) {
  return { id: _id, ...fields };
}

/** One more than `limit`. */
function find(filter, sort, limit) {
  return tickets.find(filter, { sort, limit: limit + 1, ...limited }).toArray();
}

function answer(request, reply, documents, limit, { answered = shown, ...options } = {}) {
  const rows = documents.map(({ _id: id, _meta: { version, created_at } }) => {
    return { id, version, created_at: created_at.toISOString() };
  });
  const texts = documents.slice(0, limit).map((document) => JSON.stringify(answered(document)));
  page(request, reply, rows, limit, { texts, ...options });
  return reply;
}

app.get(`${path}/first`, async (request, reply) => {
  const limit = Number(request.query.limit);
  return answer(request, reply, await find({}, byCreation, limit), limit);
});
app.get(`${path}/after`, async (request, reply) => {
  const limit = Number(request.query.limit);
  const [text, id] = Buffer.from(request.query.after, "base64url").toString().split(",");
  const at = new Date(text);
  const isAfter = {
    "_meta.created_at": { $gte: at },
    $or: [{ "_meta.created_at": { $gt: at } }, { _id: { $gt: id } }],
  };
  return answer(request, reply, await find(isAfter, byCreation, limit), limit);
});
app.get(`${path}/by-status`, async (request, reply) => {
  const limit = Number(request.query.limit);
  const { status } = JSON.parse(request.query.where);
  return answer(request, reply, await find({ status }, byCreation, limit), limit);
});
app.get(`${path}/by-due`, async (request, reply) => {
  const limit = Number(request.query.limit);
  return answer(request, reply, await find({}, { status: 1, due_at: -1, _id: 1 }, limit), limit);
});
app.get(`${path}/unindexed`, async (request, reply) => {
  const limit = Number(request.query.limit);
  const where = JSON.parse(request.query.where);
  const filter = { "reporter.email": where["reporter.email"] };
  return answer(request, reply, await find(filter, byCreation, limit), limit);
});
app.get(`${path}/count`, async (request, reply) => {
  const limit = Number(request.query.limit);
  const { status } = JSON.parse(request.query.where);
  const [documents, total] = await Promise.all([
    find({ status }, byCreation, limit),
    tickets.countDocuments({ status }, limited),
  ]);
  return answer(request, reply, documents, limit, { total });
});
app.get(`${path}/search`, async (request, reply) => {
  const limit = Number(request.query.limit);
  const { $search } = JSON.parse(request.query.where);
  const pipeline = [
    { $match: { $text: { $search } } },
    { $set: { score: { $meta: "textScore" } } },
    { $sort: { score: -1, _id: 1 } },
    { $limit: limit + 1 },
  ];
  const documents = await tickets.aggregate(pipeline, limited).toArray();
  const answered = ({ score, _meta, ...document }) => shown({ ...document, _meta: { ..._meta, score } });
  return answer(request, reply, documents, limit, { answered, cursor: () => undefined });
});
app.get(`${path}/expand`, async (request, reply) => {
  const limit = Number(request.query.limit);
  const documents = await find({}, byCreation, limit);
  const load = async (collection, field) => {
    const ids = [...new Set(documents.slice(0, limit).map((document) => document[field]))];
    const loaded = await collection.find({ _id: { $in: ids } }, limited).toArray();
    return new Map(loaded.map((document) => [document._id, shown(document)]));
  };
  const [customer, agent] = await Promise.all([load(customers, "customer_id"), load(agents, "agent_id")]);
  const answered = (document) => {
    const _expanded = {
      customer: customer.get(document.customer_id) ?? null,
      agent: agent.get(document.agent_id) ?? null,
    };
    return { ...shown(document), _expanded };
  };
  const extra = { "x-svc-expand-queries": "2", "x-svc-expand-docs": String(limit * 2) };
  return answer(request, reply, documents, limit, { answered, extra });
});
app.get(`${path}/months`, async (request, reply) => {
  const { tz: timezone = "UTC" } = request.query;
  const month = { $dateTrunc: { date: "$due_at", unit: "month", timezone } };
  const found = await tickets
    .aggregate(
      [
        { $group: { _id: month, count: { $sum: 1 }, hours: { $sum: "$hours" } } },
        { $sort: { _id: 1 } },
        { $limit: 101 },
      ],
      limited,
    )
    .toArray();
  const groups = found.map(({ _id, count, hours }) => ({ key: { due_at: _id }, count, "sum:hours": hours }));
  const body = JSON.stringify({ groups, has_more: false });
  send(request, reply, body, body);
  return reply;
});

let serial = 0;
app.post("/v1/queries/desk/_batch", { bodyLimit: 2 ** 21 }, async (request, reply) => {
  const now = new Date();
  const { operations } = request.body;
  const documents = operations.map(({ document: { id, due_at, ...fields } }) => ({
    _id: id ?? (++serial).toString(36).padStart(20, "0"),
    ...fields,
    ...(due_at !== undefined && { due_at: new Date(due_at) }),
    _meta: { created_at: now, updated_at: now, version: 1 },
  }));
  await db.collection(operations[0].collection).insertMany(documents);
  return reply.send({ results: [] });
});

const address = await app.listen({ port: 0, host: "127.0.0.1" });
process.send({ ready: address });
