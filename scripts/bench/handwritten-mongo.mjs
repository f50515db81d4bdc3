// The same reference with MongoDB: one collection as an expert would write it by hand with Fastify, the driver and ajv.
// Documents are native, writes wait for the majority and reads for nothing less, replacing one is conditional on its version.
import { hash, randomBytes } from "node:crypto";
import { MongoClient } from "mongodb";
import {
  checkFor,
  conflict,
  found,
  HttpError,
  headers,
  matches,
  mergePatch,
  newApp,
  newId,
  operationsOf,
  pageOf,
} from "./handwritten-http.mjs";

const [, , uri, database, schemaFile] = process.argv;
const client = new MongoClient(uri, {
  readConcern: { level: "majority" },
  writeConcern: { w: "majority" },
});
const items = client.db(database).collection("items");
await items.createIndexes([
  { key: { sku: 1 }, unique: true },
  { key: { "_meta.created_at": 1, _id: 1 } },
  { key: { name: 1, "_meta.created_at": 1, _id: 1 } },
]);
/** What every operation may take. */
const limited = { maxTimeMS: 5_000 };

const check = checkFor(schemaFile);
const app = newApp();

async function write(run) {
  try {
    return await run();
  } catch (error) {
    throw error.code === 11000 ? conflict() : error;
  }
}

/** As answered: the id by its name, and first; dates in JSON are instants with milliseconds. */
function shown({ _id, ...fields }) {
  return { id: _id, ...fields };
}

function created(fields, user) {
  check(fields);
  const now = new Date();
  const meta = { created_at: now, updated_at: now, version: 1 };
  const authors = user && { owner: user._id, created_by: `user:${user._id}`, updated_by: `user:${user._id}` };
  return { _id: newId(), ...fields, _meta: { ...meta, ...authors } };
}

/** The collection's routes. With rules there is a user, whom the request's session belongs to. */
function serve(realm, rules) {
  const path = `/v1/${realm}/shop/items`;
  const visible = ({ user }) => rules.read?.(user) ?? {};
  const readable = async (request, options) =>
    found(await items.findOne({ _id: request.params.id, ...visible(request) }, { ...limited, ...options }));

  /** Fields of an answer may come back. */
  async function replace(request, reply, { _id, _meta }, fields) {
    matches(request, _meta.version);
    const { id, _meta: _given, ...own } = fields;
    check(own);
    const version = _meta.version + 1;
    const meta = { ..._meta, updated_at: new Date(), version };
    if (request.user) meta.updated_by = `user:${request.user._id}`;
    const document = { _id, ...own, _meta: meta };
    const filter = { _id, "_meta.version": _meta.version };
    const { matchedCount } = await write(() => items.replaceOne(filter, document, limited));
    if (matchedCount === 0) throw new HttpError(409, "write_conflict", "The document was written meanwhile.");
    headers(request, reply).header("etag", `"${version}"`);
    return reply.send(JSON.stringify(shown(document)));
  }

  app.get(`${path}/:id`, rules.session, async (request, reply) => {
    const document = await readable(request);
    const tag = `"${document._meta.version}"`;
    headers(request, reply).header("etag", tag);
    if (request.headers["if-none-match"] === tag) return reply.code(304).removeHeader("content-type").send();
    return reply.send(JSON.stringify(shown(document)));
  });
  app.get(path, rules.session, async (request, reply) => {
    const { limit, skip, name } = pageOf(request.query);
    const filter = { ...visible(request), ...(name !== undefined && { name }) };
    const options = { sort: { "_meta.created_at": 1, _id: 1 }, limit: limit + 1, skip, ...limited };
    const documents = await items.find(filter, options).toArray();
    const more = documents.length > limit;
    if (more) documents.pop();
    const versions = documents.reduce(
      (text, { _id, _meta }) => `${text}${_id} ${_meta.version}\n`,
      `${more}`,
    );
    const tag = `W/"${hash("sha1", versions, "base64url")}"`;
    headers(request, reply).header("etag", tag);
    if (request.headers["if-none-match"] === tag) return reply.code(304).removeHeader("content-type").send();
    return reply.send(JSON.stringify({ items: documents.map(shown), limit, skip, has_more: more }));
  });
  app.post(path, rules.session, async (request, reply) => {
    rules.write?.(request.user);
    const document = created(request.body, request.user);
    await write(() => items.insertOne(document, limited));
    headers(request, reply).code(201).header("etag", '"1"').header("location", `${path}/${document._id}`);
    return reply.send(JSON.stringify(shown(document)));
  });
  app.put(`${path}/:id`, rules.session, async (request, reply) => {
    rules.write?.(request.user);
    return replace(request, reply, await readable(request, { projection: { _meta: 1 } }), request.body);
  });
  app.patch(`${path}/:id`, rules.session, async (request, reply) => {
    rules.write?.(request.user);
    const { _id, ...fields } = await readable(request);
    return replace(request, reply, { _id, _meta: fields._meta }, mergePatch(fields, request.body));
  });
  app.delete(`${path}/:id`, rules.session, async (request, reply) => {
    rules.write?.(request.user);
    const filter = { _id: request.params.id };
    if (rules.remove || request.headers["if-match"] !== undefined) {
      const { _meta } = await readable(request, { projection: { _meta: 1 } });
      rules.remove?.(request.user, _meta);
      matches(request, _meta.version);
      filter["_meta.version"] = _meta.version;
    }
    const { deletedCount } = await items.deleteOne(filter, limited);
    found(deletedCount);
    return headers(request, reply).removeHeader("content-type").code(204).send();
  });
  app.post(`/v1/${realm}/shop/_batch`, rules.session, async (request, reply) => {
    rules.write?.(request.user);
    const documents = operationsOf(request.body).map(({ document }) => created(document, request.user));
    await write(() =>
      client.withSession((session) =>
        session.withTransaction(() => items.insertMany(documents, { session, ...limited })),
      ),
    );
    headers(request, reply);
    return reply.send(JSON.stringify({ results: documents.map(shown) }));
  });
}

serve("open", { session: {} });

const users = client.db(database).collection("users");
const sessions = client.db(database).collection("sessions");
const secret = (token) => hash("sha256", token);
app.post("/v1/guarded/_auth/signup", async (request, reply) => {
  const user = { _id: newId(), email: request.body.email, roles: ["clerk"], disabled: false };
  const token = randomBytes(32).toString("base64url");
  await users.insertOne(user);
  await sessions.insertOne({
    _id: secret(token),
    user: user._id,
    expires: new Date(Date.now() + 86_400_000),
  });
  return reply.send(JSON.stringify({ session: { token } }));
});
/** Sessions end, and users are disabled, at once, whichever instance did it: both are read for every request. */
async function authenticate(request) {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  const session = token && (await sessions.findOne({ _id: secret(token) }, limited));
  const user = session?.expires > new Date() && (await users.findOne({ _id: session.user }, limited));
  if (!user || user.disabled) throw new HttpError(401, "unauthenticated", "Sign in.");
  request.user = user;
}
const forbidden = () => new HttpError(403, "forbidden", "You may not.");
serve("guarded", {
  session: { preHandler: authenticate },
  read: ({ _id }) => ({ $or: [{ status: { $ne: "retired" } }, { "_meta.owner": _id }] }),
  write({ roles }) {
    if (!roles.includes("clerk")) throw forbidden();
  },
  remove({ _id }, { owner }) {
    if (owner !== _id) throw forbidden();
  },
});

const address = await app.listen({ port: 0, host: "127.0.0.1" });
process.send({ ready: address });
