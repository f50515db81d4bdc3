import { isJsonObject } from "../../runtime/json.ts";
import { anything, type Operation, type Response, responseTo } from "./description.ts";
import { eventStream, eventsIn, isEventStream } from "./events.ts";
import type { Received, Sent } from "./exchange.ts";
import { parsed } from "./wire.ts";

/** Headers that an answer has only where its description names them. */
const described = [
  "etag",
  "location",
  "retry-after",
  "idempotent-replayed",
  "set-cookie",
  "x-svc-expand-queries",
  "x-svc-expand-docs",
];

/** What is wrong with an answer, by the operation's description and by what holds for all answers. */
export function problemsOf(operation: Operation, sent: Sent, received: Received): readonly string[] {
  const response = responseTo(operation, received.status);
  if (response === undefined) return [`status ${received.status} is not described`];
  return [
    ...undescribed(response, received, operation.method),
    ...requestId(sent, received),
    ...caching(operation, sent, received),
    ...credentials(operation, sent, received),
    ...parameters(operation, sent, received),
    ...query(operation, sent, received),
    ...body(operation, sent, received),
  ];
}

/** The code of an error. */
export function codeOf({ text }: Received): string | undefined {
  const value = parsed(text);
  const error = isJsonObject(value) ? value["error"] : undefined;
  return isJsonObject(error) && typeof error["code"] === "string" ? error["code"] : undefined;
}

/** What is wrong with an answer by its description alone. @param method that was asked with */
export function* undescribed(response: Response, received: Received, method: string): Iterable<string> {
  if (method !== "HEAD") yield* content(response, received);
  yield* headers(response, received);
}

function* content({ fault, streams, free }: Response, { text, headers: got }: Received): Iterable<string> {
  if (free) return;
  if (fault === undefined) {
    if (text !== "" || got.has("content-type")) yield "has a body that is not described";
    return;
  }
  if (streams) {
    if (got.get("content-type") !== eventStream) yield "is no event stream";
    for (const event of eventsIn(text)) {
      const first = fault(event);
      if (first !== undefined) yield `has an event that its schema does not allow: ${JSON.stringify(event)}`;
    }
    return;
  }
  if (got.get("content-type") !== "application/json; charset=utf-8") yield "is not of type JSON";
  const first = fault(parsed(text));
  if (first !== undefined) {
    yield `has a body that its schema does not allow: ${first.instancePath} ${first.message}`;
  }
}

function* headers({ headers: known }: Response, { headers: got, status }: Received): Iterable<string> {
  for (const [name, { required, valid }] of known) {
    const value = got.get(name);
    if (value === null ? required : !valid(value)) yield `has the header ${name}: ${value}`;
  }
  for (const name of described) {
    if (got.has(name) && !known.has(name)) yield `has the header ${name}, which is not described`;
  }
  if ((status === 401) !== got.has("www-authenticate"))
    yield "is 401 without WWW-Authenticate, or the reverse";
}

function* requestId({ headers: asked }: Sent, { headers: got, text, status }: Received): Iterable<string> {
  const [mine, id] = [asked.get("x-request-id"), got.get("x-request-id")];
  if (mine !== null && /^[\w.:-]{1,128}$/.test(mine) && id !== mine) yield "has another X-Request-ID";
  if (id === null || !/^[\w.:-]{1,128}$/.test(id)) yield "has a malformed X-Request-ID";
  if (status >= 400 && !text.includes(`"request_id":"${id}"`)) yield "has another request id in its body";
}

const isPrivate = /\/_(?:auth|admin|orgs|func|jobs)(?:\/|$)/;

/** What people are made of: more can be wrong with it than schemas say. */
const isPersonal = /\/_(?:auth|orgs|admin\/(?!data\/))|\/_(?:transfer|assign_org|import)$/;

/** Common request rules 5. */
function* caching(
  { path, method }: Operation,
  { headers: asked, query }: Sent,
  answer: Received,
): Iterable<string> {
  const { headers: got, status } = answer;
  const [control, vary] = [got.get("cache-control"), got.get("vary")];
  if (isPrivate.test(path)) {
    if (control !== "no-store" || vary !== "Origin") yield `is cached as ${control}, Vary: ${vary}`;
  } else if (path.endsWith("/_openapi.json")) {
    if (control !== "no-cache" || vary !== "Origin") yield `is cached as ${control}, Vary: ${vary}`;
  } else {
    // Of a search, where no parameter and no account says what language it is in.
    if (!/^Origin, Authorization(?:, Cookie)?(?:, Accept-Language)?$/.test(vary ?? "")) {
      yield `has Vary: ${vary}`;
    }
    const isPublic = /^public, max-age=\d+$/.test(control ?? "");
    const withLinks = query.some(([name, value]) => name === "file_links" && value === "true");
    if (isEventStream(got)) {
      if (control !== "no-store") yield `is cached as ${control}`;
    } else if (withLinks && status < 300) {
      if (control !== "private, no-store") yield `is cached as ${control}`;
    } else if (!isPublic && control !== "private, no-cache") yield `is cached as ${control}`;
    if (isPublic && (method !== "GET" || status >= 400 || asked.has("authorization"))) yield "is public";
  }
}

/** Who got something was named in the operation's `security`. */
function* credentials({ security }: Operation, { plan }: Sent, { status }: Received): Iterable<string> {
  if (status >= 400 || security.length === 0) return;
  const scheme = {
    anonymous: "anonymous",
    user: "session",
    boss: "session",
    auditor: "session",
    key: "api_key",
    reader: "api_key",
    areas: "api_key",
    delegate: "api_key",
  };
  const needed = plan.caller === "ended" || plan.caller === "foreign" ? "a credential" : scheme[plan.caller];
  if (!security.includes(needed)) yield `was given to ${plan.caller}`;
}

/** Common request rules 4, and the schemas of parameters. */
function* parameters(
  { query, method, bodies }: Operation,
  { query: asked }: Sent,
  received: Received,
): Iterable<string> {
  // What takes any bytes takes any query.
  if (bodies.has(anything)) return;
  const names = asked.map(([name]) => name);
  const known = asked.every(([name, value]) => query.find((each) => each.name === name)?.valid(value));
  const good = known && new Set(names).size === names.length;
  if (good && codeOf(received) === "invalid_query" && !names.some((name) => inWords.has(name)))
    yield "refuses good parameters";
  // Writes to documents do not look at `expand`.
  const ignored = method !== "GET" && names.includes("expand");
  if (!good && !ignored && received.status < 400) yield "takes bad parameters";
}

/** Parameters that must also do what their schemas cannot say. */
const inWords = new Set(["after", "expand", "group_by", "language", "metrics", "order_by", "tz", "where"]);

/** Codes of what is wrong with a query. */
const queryCodes = new Set([
  "expand_too_large",
  "invalid_aggregate",
  "invalid_expand",
  "invalid_query",
  "search_not_enabled",
]);

/** What was made to be a good or a bad query is taken for one. */
function* query({ path, security }: Operation, { plan }: Sent, received: Received): Iterable<string> {
  const code = codeOf(received) ?? "";
  // No field is hidden from a key.
  const seesAll = plan.caller === "key" || plan.caller === "reader";
  if (plan.queried === "good" && seesAll && queryCodes.has(code)) yield "refuses a good query";
  if (plan.queried !== "bad") return;
  if (received.status < 400) yield "takes a bad query";
  // Nothing else is wrong with it.
  const allowed = plan.caller === "key" && (security.length === 0 || security.includes("api_key"));
  if (allowed && !/\{(?:id|fn)\}/.test(path) && !queryCodes.has(code))
    yield `refuses a bad query as ${received.status} ${code}`;
}

/** The schema of the body is what the server goes by. */
function* body({ bodies, method, path }: Operation, sent: Sent, received: Received): Iterable<string> {
  if (sent.body === undefined) return;
  const { media, text } = sent.body;
  const [type, schema] = [...bodies][0] ?? [];
  if (schema === undefined || type === anything) return;
  const good = media === type && schema.valid(parsed(text));
  if (!good && received.status < 400) yield "takes a bad body";
  // Whether the result of a patch is good depends on the document.
  const whole =
    !isPersonal.test(path) && (method === "PUT" || (method === "POST" && !/"op":"patch"/.test(text)));
  if (good && whole && ["validation_error", "invalid_json"].includes(codeOf(received) ?? "")) {
    yield "refuses a good body";
  }
}
