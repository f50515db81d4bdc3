// The same reference with MongoDB: the handlers as Fastify routes over the driver. Documents are native, writes wait for the
// majority, and changing one is conditional on its version.
import { MongoClient } from "mongodb";
import { checkFor, found, HttpError, headers, newApp, newId, operationsOf } from "../handwritten-http.mjs";
import { checkOrder, checkReceipt, checkTake, checkTaken } from "./checks.mjs";

const [, , uri, database, schemaFile] = process.argv;
const client = new MongoClient(uri, { readConcern: { level: "majority" }, writeConcern: { w: "majority" } });
const [items, orders, receipts] = ["items", "orders", "receipts"].map((name) =>
  client.db(database).collection(name),
);
const inOrder = { key: { "_meta.created_at": 1, _id: 1 } };
await items.createIndexes([
  { key: { sku: 1 }, unique: true },
  inOrder,
  { key: { name: 1, "_meta.created_at": 1, _id: 1 } },
]);
for (const collection of [orders, receipts]) await collection.createIndexes([inOrder]);
/** What every operation may take. */
const limited = { maxTimeMS: 5_000 };

const checkItem = checkFor(schemaFile);
const app = newApp();
app.addContentTypeParser("application/octet-stream", { parseAs: "buffer" }, (_request, body, done) =>
  done(null, body),
);
const base = "/v1/functions/shop";

function made(fields) {
  const now = new Date();
  return { _id: newId(), ...fields, _meta: { created_at: now, updated_at: now, version: 1 } };
}
const shown = ({ _id, ...fields }) => ({ id: _id, ...fields });

app.post(`${base}/_func/hook`, (_request, reply) => {
  reply.header("content-type", "application/json").send('{"received":true}');
});

app.post(`${base}/_func/take`, async (request, reply) => {
  checkTake(request.body);
  const { id, amount } = request.body;
  const { _id, _meta, ...fields } = found(await items.findOne({ _id: id }, limited));
  fields.stock = (fields.stock ?? 0) - amount;
  checkItem(fields);
  const { version } = _meta;
  const meta = { ..._meta, updated_at: new Date(), version: version + 1 };
  const filter = { _id, "_meta.version": version };
  const { matchedCount } = await items.replaceOne(filter, { _id, ...fields, _meta: meta }, limited);
  if (matchedCount === 0) throw new HttpError(409, "write_conflict", "The document was written meanwhile.");
  const output = { stock: fields.stock };
  checkTaken(output);
  return headers(request, reply).send(JSON.stringify(output));
});

async function record(fields) {
  checkReceipt(fields);
  await receipts.insertOne(made(fields), limited);
}

app.post(`${base}/_func/record`, async (request, reply) => {
  await record(request.body);
  return headers(request, reply).send("null");
});

app.post(`${base}/orders`, async (request, reply) => {
  checkOrder(request.body);
  const document = made(request.body);
  await orders.insertOne(document, limited);
  record({ of: document._id, sent: document.sent }).catch((error) => request.log.error(error));
  headers(request, reply)
    .code(201)
    .header("etag", '"1"')
    .header("location", `${base}/orders/${document._id}`);
  return reply.send(JSON.stringify(shown(document)));
});

app.get(`${base}/receipts`, async (request, reply) => {
  return headers(request, reply).send(JSON.stringify({ total: await receipts.countDocuments({}, limited) }));
});

app.post(`${base}/_batch`, async (request, reply) => {
  const documents = operationsOf(request.body).map(({ document }) => {
    checkItem(document);
    return made(document);
  });
  await items.insertMany(documents, limited);
  return headers(request, reply).send(JSON.stringify({ results: documents.map(shown) }));
});

const address = await app.listen({ port: 0, host: "127.0.0.1" });
process.send({ ready: address });
