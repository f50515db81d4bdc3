// What the hand-written servers of the document benchmark share, whatever they store in: HTTP, ids, validation.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import Fastify from "fastify";

let last = 0;
let tail = 0;
export function newId() {
  const now = Date.now();
  if (now === last) tail++;
  else {
    last = now;
    tail = randomBytes(4).readUInt32BE();
  }
  return now.toString(36).padStart(10, "0") + tail.toString(36).padStart(10, "0");
}

export class HttpError extends Error {
  constructor(status, code, message, details) {
    super(message);
    this.statusCode = status;
    this.code = code;
    this.details = details;
  }
}

export function newApp() {
  const prefix = randomBytes(6).toString("hex");
  let sequence = 0;
  const app = Fastify({
    genReqId: (raw) => raw.headers["x-request-id"] ?? prefix + (++sequence).toString(36),
  });
  app.setErrorHandler((error, request, reply) => {
    const { code, message, details } = error;
    reply.code(error.statusCode ?? 500);
    reply.header("x-request-id", request.id);
    return { error: { code, message, details, request_id: request.id } };
  });
  // Merge patches are JSON too.
  app.addContentTypeParser("application/merge-patch+json", { parseAs: "string" }, (_request, body, done) => {
    try {
      done(null, JSON.parse(body));
    } catch (error) {
      done(error);
    }
  });
  return app;
}

/** Answers a function that throws 400 for documents that do not fit the schema. */
export function checkFor(schemaFile) {
  const validate = new Ajv({ allErrors: true }).compile(JSON.parse(readFileSync(schemaFile, "utf8")));
  return (document) => {
    if (validate(document)) return;
    const details = validate.errors.map((e) => ({
      path: e.instancePath.slice(1).replaceAll("/", "."),
      reason: e.message,
    }));
    throw new HttpError(400, "validation_error", "The document does not fit its schema.", details);
  };
}

export function conflict() {
  const details = [{ path: "sku", reason: "must be unique" }];
  return new HttpError(409, "conflict", "A unique value is taken.", details);
}

export function found(document) {
  if (!document) throw new HttpError(404, "not_found", "No such document.");
  return document;
}

export function matches(request, version) {
  const expected = request.headers["if-match"];
  if (expected === undefined || expected === "*") return;
  if (!expected.split(",").some((tag) => tag.trim() === `"${version}"`)) {
    throw new HttpError(412, "version_mismatch", "The document has another version.");
  }
}

export function headers(request, reply) {
  return reply
    .header("content-type", "application/json; charset=utf-8")
    .header("cache-control", "private, no-cache")
    .header("vary", "Origin, Authorization")
    .header("x-request-id", request.id)
    .header("x-content-type-options", "nosniff");
}

/** The page that is asked for, of all documents or, with `where={"name":…}`, of those with a name. */
export function pageOf(query) {
  const limit = Number(query.limit ?? 20);
  const skip = Number(query.skip ?? 0);
  if (!(limit >= 1 && limit <= 100 && skip >= 0))
    throw new HttpError(400, "invalid_query", "Bad limit or skip.");
  return { limit, skip, name: query.where && nameIn(query.where) };
}

function nameIn(where) {
  let name;
  try {
    ({ name } = JSON.parse(where));
  } catch {
    // Not a string.
  }
  if (typeof name !== "string") throw new HttpError(400, "invalid_query", "Bad where.");
  return name;
}

export function operationsOf({ operations }) {
  if (!Array.isArray(operations) || operations.length < 1 || operations.length > 100) {
    throw new HttpError(400, "validation_error", "Between 1 and 100 operations.");
  }
  return operations;
}

export function mergePatch(target, patch) {
  const result = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (typeof value === "object" && !Array.isArray(value)) {
      const into = result[key];
      result[key] = mergePatch(
        typeof into === "object" && into !== null && !Array.isArray(into) ? into : {},
        value,
      );
    } else result[key] = value;
  }
  return result;
}
