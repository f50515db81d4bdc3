// The reference for files: one route that takes a file and one that sends it, as an expert would write them by hand with
// Fastify, the file system and SQLite: the body is piped into a temporary file and hashed on the way, the file and the folder
// that it is moved to are synced, then the document names it, in a group commit. It is sent by @fastify/send. Statuses,
// bodies and headers are those of the generated server; types are believed, equal bytes are stored as often as they come,
// nothing is counted against a quota, and bytes that no document names any longer stay.
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream, mkdirSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import send from "@fastify/send";
import { DatabaseSync } from "@photostructure/sqlite";
import { groupCommit } from "../group-commit.mjs";
import {
  checkFor,
  found,
  HttpError,
  headers,
  matches,
  newApp,
  newId,
  operationsOf,
} from "../handwritten-http.mjs";

const [, , folder, schemaFile] = process.argv;
const most = 2 ** 31;
const db = new DatabaseSync(join(folder, "files.sqlite"));
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
`);
const insert = db.prepare(
  "INSERT INTO items (id, version, created_at, name, sku, body) VALUES (?, 1, ?, ?, ?, ?)",
);
const current = db.prepare("SELECT version, body FROM items WHERE id = ?");
const update = db.prepare("UPDATE items SET version = ?, body = ? WHERE id = ?");

const arriving = join(folder, "arriving");
const stored = join(folder, "stored");
for (const path of [arriving, stored]) mkdirSync(path, { recursive: true });
const names = await open(stored);

const write = groupCommit(db);
const check = checkFor(schemaFile);
const app = newApp();
const base = "/v1/files/shop";

function textOf(id, fields, { createdAt, updatedAt, version }) {
  const meta = `{"created_at":"${createdAt}","updated_at":"${updatedAt}","version":${version}}`;
  return `{"id":"${id}",${JSON.stringify(fields).slice(1, -1)},"_meta":${meta}}`;
}

app.post(`${base}/_batch`, async (request, reply) => {
  const now = new Date().toISOString();
  const rows = operationsOf(request.body).map(({ document }) => {
    check(document);
    const id = newId();
    return { id, document, body: textOf(id, document, { createdAt: now, updatedAt: now, version: 1 }) };
  });
  await write(() => {
    for (const { id, document, body } of rows) insert.run(id, now, document.name, document.sku, body);
  });
  return headers(request, reply).send(`{"results":[${rows.map(({ body }) => body).join(",")}]}`);
});

const control = /[\p{Cc}\u2028\u2029]/u;

function nameIn(header) {
  if (header === undefined) return "file";
  if (control.test(header)) throw new HttpError(400, "invalid_header", "Control characters in a name.");
  return header.replaceAll(/[/\\]/g, "_").replace(/^\.+/, "_").slice(0, 255);
}

/** The document, where its field has room for a file. */
function roomy(request) {
  const row = found(current.get(request.params.id));
  matches(request, row.version);
  const document = JSON.parse(row.body);
  if (document.scan !== undefined)
    throw new HttpError(409, "too_many_files", "The field has a file already.");
  return { row, document };
}

/** Takes in a body; answers its size and hash when it is on the device. */
async function taken(body, path) {
  const hash = createHash("sha256");
  let size = 0;
  body.on("data", (piece) => {
    size += piece.length;
    if (size > most) body.destroy(new HttpError(413, "payload_too_large", "A file is too large."));
    else hash.update(piece);
  });
  await pipeline(body, createWriteStream(path, { flags: "wx", mode: 0o600, flush: true }));
  return { size, sha256: hash.digest("hex") };
}

// In a scope of its own: there every body is a file.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, body, done) => done(null, body));
  scope.post(`${base}/items/:id/_files/scan`, { bodyLimit: most }, async (request, reply) => {
    roomy(request);
    const { id } = request.params;
    const name = nameIn(request.headers["x-svc-filename"]);
    const path = join(arriving, randomBytes(12).toString("hex"));
    try {
      const { size, sha256 } = await taken(request.body, path);
      const now = new Date().toISOString();
      const type = request.headers["content-type"] ?? "application/octet-stream";
      const file = { id: newId(), name, type, size, sha256, created_at: now };
      await rename(path, join(stored, file.id));
      await names.sync();
      const version = await write(() => {
        const { row, document } = roomy(request);
        const { id: _id, _meta, ...fields } = document;
        const version = row.version + 1;
        const times = { createdAt: _meta.created_at, updatedAt: now, version };
        update.run(version, textOf(id, { ...fields, scan: file }, times), id);
        return version;
      });
      headers(request, reply).code(201).header("etag", `"${version}"`);
      return reply
        .header("location", `${base}/items/${id}/_files/scan/${file.id}`)
        .send(JSON.stringify(file));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  });
});

const shown = /^(?:image\/(?!svg)|audio\/|video\/|application\/pdf$|text\/plain$)/;

function disposition({ name, type }) {
  const kind = shown.test(type) ? "inline" : "attachment";
  const ascii = name.replaceAll(/[^\x20-\x7e]/g, "_").replaceAll(/["\\%]/g, "_");
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}

app.get(`${base}/items/:id/_files/scan/:file`, async (request, reply) => {
  const { scan } = JSON.parse(found(current.get(request.params.id)).body);
  if (scan === undefined || scan.id !== request.params.file)
    throw new HttpError(404, "not_found", "There is no such file.");
  const tag = `"${scan.sha256}"`;
  headers(request, reply).header("etag", tag);
  if (request.headers["if-none-match"] === tag) return reply.code(304).removeHeader("content-type").send();
  const sent = { root: stored, etag: false, lastModified: false, cacheControl: false, contentType: false };
  const { statusCode, headers: ofRange, stream } = await send(request.raw, `/${scan.id}`, sent);
  return reply
    .code(statusCode)
    .headers(ofRange)
    .header("content-type", scan.type)
    .header("content-disposition", disposition(scan))
    .header("content-security-policy", "sandbox")
    .send(stream);
});

const address = await app.listen({ port: 0, host: "127.0.0.1" });
process.send({ ready: address });
