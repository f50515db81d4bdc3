// The reference: one collection as an expert would write it by hand with Fastify, SQLite and ajv, without accounts and, as
// the other realm, with sessions and rules. It answers the benchmark's requests with the same statuses, bodies and headers
// as the generated server, durably (synchronous=FULL), and without anything that this one collection does not need.
import { hash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { groupCommit } from "./group-commit.mjs";
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

const [, , folder, schemaFile] = process.argv;
const db = new DatabaseSync(join(folder, "items.sqlite"));
// What conditions and orders need stands in columns; the body is the text that is answered.
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 4000;
  CREATE TABLE IF NOT EXISTS items (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    owner TEXT,
    status TEXT NOT NULL,
    name TEXT NOT NULL,
    sku TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS items_created ON items (created_at, id);
  CREATE INDEX IF NOT EXISTS items_name ON items (name, created_at, id);
  CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, roles TEXT NOT NULL, disabled INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS sessions (hash TEXT PRIMARY KEY, user TEXT NOT NULL, expires INTEGER NOT NULL);
`);
const insert = db.prepare(
  "INSERT INTO items (id, version, created_at, owner, status, name, sku, body) VALUES (?, 1, ?, ?, ?, ?, ?, ?)",
);
const current = db.prepare("SELECT version, created_at, owner, status, body FROM items WHERE id = ?");
const update = db.prepare(
  "UPDATE items SET version = ?, status = ?, name = ?, sku = ?, body = ? WHERE id = ?",
);
const remove = db.prepare("DELETE FROM items WHERE id = ?");

const write = groupCommit(db);
const check = checkFor(schemaFile);
const app = newApp();

function unique(run) {
  try {
    return run();
  } catch (error) {
    throw error.errcode === 2067 ? conflict() : error;
  }
}

function bodyOf(id, fields, { createdAt, updatedAt, version, owner }, user) {
  const times = `"created_at":"${createdAt}","updated_at":"${updatedAt}","version":${version}`;
  const author = user && `,"owner":"${owner}","created_by":"user:${owner}","updated_by":"user:${user.id}"`;
  return `{"id":"${id}",${JSON.stringify(fields).slice(1, -1)},"_meta":{${times}${author ?? ""}}}`;
}

/** A new row, checked; the statement that inserts it is left to the caller. */
function newRow(fields, user) {
  check(fields);
  const id = newId();
  const now = new Date().toISOString();
  const owner = user?.id ?? null;
  const body = bodyOf(id, fields, { createdAt: now, updatedAt: now, version: 1, owner }, user);
  const { status, name, sku } = fields;
  return { id, body, insert: () => unique(() => insert.run(id, now, owner, status, name, sku, body)) };
}

/**
 * The collection's routes. With rules, `visible` is SQL for what a user may read, whose id is its parameter, and the
 * others say what else they may do.
 */
function serve(realm, { options, visible, may }) {
  const path = `/v1/${realm}/shop/items`;
  const where = visible === undefined ? "" : ` AND ${visible}`;
  const own = (request) => (visible === undefined ? [] : [request.user.id]);
  const select = db.prepare(`SELECT version, body FROM items WHERE id = ?${where}`);
  const lists = { all: pages(""), named: pages(" AND name = ?") };

  function pages(condition) {
    const rows = `FROM items WHERE true${condition}${where} ORDER BY created_at, id`;
    return db.prepare(`SELECT id, version, created_at, body ${rows} LIMIT +? OFFSET +?`);
  }

  /** In a group of writes: nobody comes in between. */
  function replace(request, row, fields) {
    const { user } = request;
    const { id: _id, _meta, ...members } = fields;
    const { id } = request.params;
    const version = row.version + 1;
    const { created_at: createdAt, owner } = row;
    const body = bodyOf(
      id,
      members,
      { createdAt, updatedAt: new Date().toISOString(), version, owner },
      user,
    );
    const { status, name, sku } = members;
    unique(() => update.run(version, status, name, sku, body, id));
    return { version, body };
  }

  function currentRow(request) {
    const row = found(current.get(request.params.id));
    if (may !== undefined && !may.read(request.user, row)) found(undefined);
    matches(request, row.version);
    return row;
  }

  function replaced(request, reply, { version, body }) {
    return headers(request, reply).header("etag", `"${version}"`).send(body);
  }

  app.get(`${path}/:id`, options, (request, reply) => {
    const row = found(select.get(request.params.id, ...own(request)));
    const tag = `"${row.version}"`;
    if (request.headers["if-none-match"] === tag)
      headers(request, reply).removeHeader("content-type").header("etag", tag).code(304).send();
    else headers(request, reply).header("etag", tag).send(row.body);
  });
  app.get(path, options, (request, reply) => {
    const { limit, skip, name } = pageOf(request.query);
    const rows =
      name === undefined
        ? lists.all.all(...own(request), limit + 1, skip)
        : lists.named.all(name, ...own(request), limit + 1, skip);
    const more = rows.length > limit;
    if (more) rows.pop();
    // Changes with what is shown, whatever else the collection holds.
    let shown = `${more}`;
    for (const { id, version } of rows) shown += `${id} ${version}\n`;
    const tag = `W/"${hash("sha1", shown, "base64url")}"`;
    headers(request, reply).header("etag", tag);
    if (request.headers["if-none-match"] === tag) return reply.code(304).removeHeader("content-type").send();
    const items = rows.map(({ body }) => body).join(",");
    const last = rows.at(-1);
    const next = more
      ? `,"next_cursor":"${Buffer.from(`${last.created_at} ${last.id}`).toString("base64url")}"`
      : "";
    reply.send(`{"items":[${items}],"limit":${limit},"skip":${skip},"has_more":${more}${next}}`);
  });
  app.post(path, options, async (request, reply) => {
    may?.create(request.user);
    const row = newRow(request.body, request.user);
    await write(row.insert);
    headers(request, reply).code(201).header("etag", '"1"').header("location", `${path}/${row.id}`);
    return reply.send(row.body);
  });
  app.put(`${path}/:id`, options, async (request, reply) => {
    may?.write(request.user);
    check(request.body);
    const run = () => {
      const row = currentRow(request);
      may?.update(request.user, row);
      return replace(request, row, request.body);
    };
    return replaced(request, reply, await write(run));
  });
  app.patch(`${path}/:id`, options, async (request, reply) => {
    may?.write(request.user);
    const run = () => {
      const row = currentRow(request);
      const { id, _meta, ...members } = mergePatch(JSON.parse(row.body), request.body);
      check(members);
      may?.update(request.user, row);
      return replace(request, row, members);
    };
    return replaced(request, reply, await write(run));
  });
  app.delete(`${path}/:id`, options, async (request, reply) => {
    may?.write(request.user);
    await write(() => {
      // With nothing to compare or to ask, whatever is there goes.
      if (may !== undefined || request.headers["if-match"] !== undefined) {
        const row = currentRow(request);
        may?.remove(request.user, row);
      }
      found(remove.run(request.params.id).changes === 1);
    });
    return headers(request, reply).removeHeader("content-type").code(204).send();
  });
  app.post(`/v1/${realm}/shop/_batch`, options, async (request, reply) => {
    may?.create(request.user);
    const rows = operationsOf(request.body).map(({ document }) => newRow(document, request.user));
    await write(() => {
      db.exec("SAVEPOINT batch");
      try {
        for (const row of rows) row.insert();
      } catch (error) {
        db.exec("ROLLBACK TO batch");
        throw error;
      } finally {
        db.exec("RELEASE batch");
      }
    });
    return headers(request, reply).send(`{"results":[${rows.map(({ body }) => body).join(",")}]}`);
  });
}

serve("open", { options: {} });

const addUser = db.prepare("INSERT INTO users (id, email, roles, disabled) VALUES (?, ?, ?, 0)");
const addSession = db.prepare("INSERT INTO sessions (hash, user, expires) VALUES (?, ?, ?)");
const session = db.prepare(
  "SELECT users.id, roles, disabled, expires FROM sessions JOIN users ON users.id = user WHERE hash = ?",
);
const secret = (token) => hash("sha256", token);
app.post("/v1/guarded/_auth/signup", async (request, reply) => {
  const id = newId();
  const token = randomBytes(32).toString("base64url");
  const expires = Date.now() + 86_400_000;
  await write(() => addUser.run(id, request.body.email, '["clerk"]'));
  await write(() => addSession.run(secret(token), id, expires));
  return reply.send(JSON.stringify({ session: { token } }));
});
/** Sessions by hash, with their users: nobody else writes, so that they stand until this process changes one. */
const sessions = new Map();
function sessionOf(key) {
  const row = session.get(key);
  if (row === undefined) return undefined;
  const { id, roles, disabled, expires } = row;
  const known = { user: { id, roles: JSON.parse(roles), disabled: disabled === 1 }, expires, used: 0 };
  sessions.set(key, known);
  return known;
}
const bearer = /^Bearer (.+)$/;
function authenticate(request, _reply, done) {
  const token = bearer.exec(request.headers.authorization ?? "")?.[1];
  const key = token === undefined ? "" : secret(token);
  const known = sessions.get(key) ?? sessionOf(key);
  const now = Date.now();
  if (known === undefined || known.expires <= now || known.user.disabled)
    return done(new HttpError(401, "unauthenticated", "Sign in."));
  known.used = now;
  request.user = known.user;
  done();
}
app.decorateRequest("user", undefined);

function requireThat(allowed) {
  if (!allowed) throw new HttpError(403, "forbidden", "You may not.");
}
const isClerk = ({ roles }) => roles.includes("clerk");
const isOpenTo = ({ id }, { status, owner }) => status !== "retired" || owner === id;
serve("guarded", {
  options: { onRequest: authenticate },
  visible: "(status <> 'retired' OR owner = ?)",
  may: {
    read: isOpenTo,
    create: (user) => requireThat(isClerk(user)),
    write: (user) => requireThat(isClerk(user)),
    update: (user, row) => requireThat(isOpenTo(user, row)),
    remove: ({ id }, { owner }) => requireThat(owner === id),
  },
});

const address = await app.listen({ port: 0, host: "127.0.0.1" });
process.send({ ready: address });
