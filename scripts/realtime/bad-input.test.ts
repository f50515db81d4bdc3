/** What is refused instead of a stream, and which of two faults is told (realtime.md, Opening a stream). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Detail } from "../../runtime/errors.ts";
import { type Started, startRealm, testSettings } from "../../runtime/instance/testing/servers.ts";
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import { compilePlace, type Place, startPlace } from "./testing/place.ts";
import { followingAll, opened } from "./wire/opened.ts";
import { type Answered, ask, type Headers } from "./wire/requests.ts";

const modules = await compilePlace();
let place: Place;
/** Another instance of the same realm, with \`SVC_REALTIME=off\`. */
let off: Started;
beforeAll(async () => {
  place = await startPlace(modules);
  const settings = { realtime: { ...testSettings.realtime, enabled: false } };
  off = await startRealm(modules, { settings });
});
afterAll(async () => {
  await place.stop();
  await off.stop();
});

/** A request for a stream, to be spoilt. */
interface Request {
  url: string;
  query: string;
  headers: Headers;
  type: string;
  subscriptions: JsonValue[];
  /** What the JSON becomes. */
  spoil(text: string): string;
}

/** A request that nothing is wrong with, of somebody without roles. */
async function sound(): Promise<Request> {
  return {
    url: place.url,
    query: "",
    headers: await place.somebody(),
    type: "application/json",
    subscriptions: [{ id: "sound", db: "main", collection: "posts" }],
    spoil: (text) => text,
  };
}

async function send({ url, query, headers, type, subscriptions, spoil }: Request): Promise<Answered> {
  const answer = await opened(`${url}/_realtime${query}`, {
    headers: { ...headers, "content-type": type },
    body: spoil(JSON.stringify({ subscriptions })),
  });
  if ("status" in answer) return answer;
  answer.cut();
  return { status: 200, body: {}, code: "", headers: {} };
}

function detailsOf({ body: { error } }: Answered): readonly Detail[] {
  const { details = [] }: { details?: readonly Detail[] } = JSON.parse(JSON.stringify(error ?? {}));
  return details;
}

function pathsOf(answer: Answered): readonly string[] {
  return detailsOf(answer).map(({ path }) => path);
}

interface Fault {
  readonly name: string;
  readonly outcome: string;
  readonly commit: (request: Request) => unknown;
}

/** In the order in which they are looked for. */
const faults: readonly Fault[] = [
  {
    name: "SVC_REALTIME=off",
    outcome: "503 realtime_unavailable",
    commit: (request) => {
      request.url = `${off.url}/v1/live`;
    },
  },
  {
    name: "a credential that is none",
    outcome: "401 unauthenticated",
    commit: (request) => {
      request.headers = { authorization: "Bearer svs_unknown" };
    },
  },
  {
    name: "another content type",
    outcome: "415 unsupported_media_type",
    commit: (request) => {
      request.type = "text/plain";
    },
  },
  {
    name: "no JSON",
    outcome: "400 invalid_json",
    commit: (request) => {
      request.spoil = (text) => `${text}}`;
    },
  },
  {
    name: "a subscription of another shape",
    outcome: "400 validation_error",
    commit: ({ subscriptions }) =>
      subscriptions.push({ id: "shape", db: "main", collection: "posts", limit: 5 }),
  },
  {
    name: "more subscriptions than a stream has",
    outcome: "400 too_many_subscriptions",
    commit: ({ subscriptions }) => {
      for (let n = 0; n < 20; n += 1)
        subscriptions.push({ id: `more ${n}`, db: "main", collection: "posts" });
    },
  },
  {
    name: "an unknown collection",
    outcome: "404 not_found",
    commit: ({ subscriptions }) => subscriptions.push({ id: "unknown", db: "main", collection: "pots" }),
  },
  {
    name: "a collection that cannot be followed",
    outcome: "400 realtime_not_enabled",
    commit: ({ subscriptions }) => subscriptions.push({ id: "archive", db: "main", collection: "archive" }),
  },
  {
    name: "a bad where",
    outcome: "400 invalid_query",
    commit: ({ subscriptions }) =>
      subscriptions.push({ id: "where", db: "main", collection: "posts", where: { title: { $like: "a%" } } }),
  },
  {
    name: "a collection that the caller can read nothing of",
    outcome: "403 forbidden",
    commit: ({ subscriptions }) => subscriptions.push({ id: "desk", db: "main", collection: "desk" }),
  },
  {
    name: "a forged token",
    outcome: "400 invalid_resume_token",
    commit: (request) => {
      request.query = "?resume_from=forged";
    },
  },
  {
    name: "a second stream within a second",
    outcome: "429 too_many_requests",
    commit: async (request) => {
      request.headers = { ...request.headers, ...(await place.tooFast()) };
    },
  },
];

describe("Opening a stream: of two faults the one is told that is looked for first", () => {
  it.each(faults)("$name: $outcome", async ({ outcome, commit }) => {
    const request = await sound();
    await commit(request);
    const { status, code } = await send(request);
    expect(`${status} ${code}`).toBe(outcome);
  });

  const pairs = faults.flatMap((first, at) => faults.slice(at + 1).map((second) => ({ first, second })));
  it.each(pairs)("$first.name and $second.name: $first.outcome", async ({ first, second }) => {
    const request = await sound();
    // The one that names the caller comes first, or it would be undone.
    await second.commit(request);
    await first.commit(request);
    const { status, code } = await send(request);
    expect(`${status} ${code}`).toBe(first.outcome);
  });

  it("none counts for anything: after each of them the caller opens the one stream that a second allows", async () => {
    const headers = await place.somebody();
    for (const { outcome, commit } of faults.slice(2, -1)) {
      const request = { ...(await sound()), headers };
      await commit(request);
      const { status, code } = await send(request);
      expect(`${status} ${code}`).toBe(outcome);
    }
    const allowed = await send({ ...(await sound()), headers });
    expect(allowed.status).toBe(200);
    const refused = await send({ ...(await sound()), headers });
    expect([refused.status, refused.code, refused.headers["retry-after"]]).toEqual([
      429,
      "too_many_requests",
      "1",
    ]);
  });
});

const post = { id: "a", db: "main", collection: "posts" };
const where = (conditions: JsonObject) => ({ subscriptions: [{ ...post, where: conditions }] });
const each = (...subscriptions: readonly JsonValue[]) => ({ subscriptions: [...subscriptions] });
const at = (path: string) => [`subscriptions.0.${path}`];

/** Bodies with what is answered: status, code and paths of details. */
const bodies: readonly (readonly [body: JsonValue, outcome: string, paths: readonly string[]])[] = [
  [[], "400 invalid_json", []],
  ["text", "400 invalid_json", []],
  [null, "400 invalid_json", []],
  [{}, "400 validation_error", ["subscriptions"]],
  [{ subscriptions: [] }, "400 validation_error", ["subscriptions"]],
  [{ subscriptions: {} }, "400 validation_error", ["subscriptions"]],
  [{ subscriptions: null }, "400 validation_error", ["subscriptions"]],
  [{ ...each(post), subscription: [] }, "400 validation_error", ["subscription"]],
  [{ ...each(post), resume_from: "x" }, "400 validation_error", ["resume_from"]],
  [each("posts"), "400 validation_error", ["subscriptions.0"]],
  [each(null), "400 validation_error", ["subscriptions.0"]],
  [each({ ...post, id: "" }), "400 validation_error", at("id")],
  [each({ ...post, id: 1 }), "400 validation_error", at("id")],
  [each({ ...post, id: "x".repeat(65) }), "400 validation_error", at("id")],
  [each({ db: "main", collection: "posts" }), "400 validation_error", at("id")],
  [each(post, post), "400 validation_error", ["subscriptions.1.id"]],
  [each({ id: "a", collection: "posts" }), "400 validation_error", at("db")],
  [each({ ...post, db: 1 }), "400 validation_error", at("db")],
  [each({ id: "a", db: "main" }), "400 validation_error", at("collection")],
  [each({ ...post, collection: null }), "400 validation_error", at("collection")],
  [each({ ...post, where: [] }), "400 validation_error", at("where")],
  [each({ ...post, where: "x" }), "400 validation_error", at("where")],
  [each({ ...post, where: null }), "400 validation_error", at("where")],
  [each({ ...post, doc: 1 }), "400 validation_error", at("doc")],
  [each({ ...post, doc: "" }), "400 validation_error", at("doc")],
  [each({ ...post, where: {}, doc: "x" }), "400 validation_error", at("doc")],
  [each({ ...post, order_by: "title" }), "400 validation_error", at("order_by")],
  [each({ ...post, db: "other" }), "404 not_found", at("collection")],
  [each({ ...post, collection: "Posts" }), "404 not_found", at("collection")],
  [each({ ...post, collection: "main/posts" }), "404 not_found", at("collection")],
  [each({ ...post, collection: "constructor" }), "404 not_found", at("collection")],
  [each({ ...post, collection: "__proto__" }), "404 not_found", at("collection")],
  [each({ ...post, collection: "archive" }), "400 realtime_not_enabled", at("collection")],
  [
    each(post, { ...post, id: "b", collection: "archive" }),
    "400 realtime_not_enabled",
    ["subscriptions.1.collection"],
  ],
  [where({ nope: 1 }), "400 invalid_query", at("where.nope")],
  [where({ secret: "x" }), "400 invalid_query", at("where.secret")],
  [where({ note: "x" }), "400 invalid_query", at("where.note")],
  [where({ "_meta.deleted_at": { $isNull: true } }), "400 invalid_query", at("where._meta.deleted_at")],
  [where({ title: { $like: "a%" } }), "400 invalid_query", at("where.title.$like")],
  [where({ title: { $ilike: "a%" } }), "400 invalid_query", at("where.title.$ilike")],
  [where({ title: { $startsWith: "a" } }), "400 invalid_query", at("where.title.$startsWith")],
  [where({ title: { $istartsWith: "a" } }), "400 invalid_query", at("where.title.$istartsWith")],
  [where({ title: { $endsWith: "a" } }), "400 invalid_query", at("where.title.$endsWith")],
  [where({ title: { $contains: "a" } }), "400 invalid_query", at("where.title.$contains")],
  [where({ title: { $icontains: "a" } }), "400 invalid_query", at("where.title.$icontains")],
  [where({ $search: "a" }), "400 invalid_query", at("where.$search")],
  [where({ $or: [{ title: { $contains: "a" } }] }), "400 invalid_query", at("where.$or.0.title.$contains")],
  [where({ $nor: [{ title: "a" }] }), "400 invalid_query", at("where.$nor")],
  [where({ $or: [] }), "400 invalid_query", at("where.$or")],
  [where({ rank: "one" }), "400 invalid_query", at("where.rank")],
  [where({ rank: { $in: 1 } }), "400 invalid_query", at("where.rank.$in")],
  [where({ rank: { $between: [1] } }), "400 invalid_query", at("where.rank.$between")],
  [where({ rank: { $regex: "x" } }), "400 invalid_query", at("where.rank.$regex")],
  [where({ due: "yesterday" }), "400 invalid_query", at("where.due")],
  [where({ done: null }), "400 invalid_query", at("where.done")],
];

/** Sends a body as it is. */
async function told(body: string, headers: Headers): Promise<Answered> {
  const answer = await opened(`${place.url}/_realtime`, { headers, body });
  if ("status" in answer) return answer;
  answer.cut();
  return { status: 200, body: {}, code: "", headers: {} };
}

describe("Realtime subscription: what is wrong is told with its path", () => {
  it.each(bodies)("%j: %s %j", async (body, outcome, paths) => {
    const answer = await told(JSON.stringify(body), await place.somebody());
    expect([`${answer.status} ${answer.code}`, pathsOf(answer)]).toEqual([outcome, paths]);
  });

  it("all of it at once, each in its words", async () => {
    const wrong = { id: "", db: 1, where: [], doc: "", limit: 5 };
    const answer = await told(JSON.stringify({ ...each(wrong, null), more: 1 }), await place.somebody());
    const reasons = detailsOf(answer).map(({ path, reason }) => [path, reason]);
    expect(Object.fromEntries(reasons)).toEqual({
      "subscriptions.0.id": "must be a string of 1 to 64 characters",
      "subscriptions.0.db": "must be a non-empty string",
      "subscriptions.0.collection": "is required",
      "subscriptions.0.where": "must be an object",
      "subscriptions.0.doc": "must be a string of 1 to 128 characters",
      "subscriptions.0.limit": "unknown member",
      "subscriptions.1": "must be an object",
      more: "unknown member",
    });
    const headers = await place.somebody();
    const none = await Promise.all([{}, each()].map((body) => told(JSON.stringify(body), headers)));
    expect(none.map((each) => detailsOf(each)[0]?.reason)).toEqual([
      "is required",
      "must be a non-empty array",
    ]);
  });

  it("100 places are named of however many are wrong", async () => {
    const many = Array.from({ length: 50_000 }, () => 0);
    expect(pathsOf(await told(JSON.stringify(each(...many)), await place.somebody()))).toHaveLength(100);
  });

  it("more than a where may have: 400 invalid_query", async () => {
    const headers = await place.somebody();
    const conditions = Array.from({ length: 33 }, (_, n) => ({ rank: n }));
    const deep = [1, 2, 3, 4, 5].reduce<JsonObject>((inner) => ({ $or: [inner] }), { rank: 1 });
    const long = { title: { $in: Array.from({ length: 500 }, (_, n) => `title ${n}`) } };
    for (const tooMuch of [{ $or: conditions }, deep, long]) {
      const { status, code } = await told(JSON.stringify(where(tooMuch)), headers);
      expect(`${status} ${code}`).toBe("400 invalid_query");
    }
  });

  it("names that a prototype has are members like others, and unknown", async () => {
    const headers = await place.somebody();
    for (const text of [
      '{"subscriptions":[{"id":"a","db":"main","collection":"posts","__proto__":{"where":{}}}]}',
      '{"__proto__":{"subscriptions":[]}}',
    ]) {
      const { status } = await told(text, headers);
      expect(status).toBe(400);
    }
  });

  it("a body larger than bodies may be: 413; a parameter that there is not: 400; another method: 405", async () => {
    const headers = await place.somebody();
    const large = JSON.stringify(where({ title: "x".repeat(1_100_000) }));
    expect((await told(large, headers)).status).toBe(413);
    const answers = [
      await ask("POST", `${place.url}/_realtime?resume=x`, { headers, body: followingAll("posts") }),
      await ask("GET", `${place.url}/_realtime`, { headers }),
    ];
    expect(answers.map(({ status, code }) => `${status} ${code}`)).toEqual([
      "400 invalid_query",
      "405 method_not_allowed",
    ]);
  });

  it("a collection that a key's scopes do not cover, after the shape and before everything else: 403", async () => {
    const headers = await place.limitedKey();
    const scoped = followingAll("tasks", "ledgers");
    expect((await told(JSON.stringify(scoped), headers)).code).toBe("forbidden");
    const alsoUnknown = followingAll("ledgers", "unknown");
    expect((await told(JSON.stringify(alsoUnknown), headers)).code).toBe("forbidden");
    const misshapen = { ...scoped, more: true };
    expect((await told(JSON.stringify(misshapen), headers)).code).toBe("validation_error");
  });

  it("whoever shows no credential and can read nothing: 401", async () => {
    const { status, code } = await told(JSON.stringify(followingAll("desk")), {});
    expect(`${status} ${code}`).toBe("401 unauthenticated");
  });
});

describe("Limits: open streams", () => {
  it("six at a time of one caller: 429 with Retry-After; one that ended makes room", async () => {
    const headers = await place.somebody();
    const open = async () => {
      place.clock.advance(1_000);
      return opened(`${place.url}/_realtime`, { headers, body: followingAll("posts") });
    };
    const streams = [];
    for (let n = 0; n < 5; n += 1) streams.push(await open());
    const sixth = await open();
    if (!("status" in sixth)) throw new Error("a sixth stream was opened");
    expect([sixth.status, sixth.code]).toEqual([429, "too_many_requests"]);
    expect(Number(sixth.headers["retry-after"])).toBeGreaterThan(0);
    const [first] = streams;
    if (first === undefined || "status" in first) throw new Error("no stream was opened");
    first.cut();
    // The server sees that a moment later.
    for (;;) {
      const again = await open();
      if (!("status" in again)) {
        again.cut();
        break;
      }
      expect(again.status).toBe(429);
    }
    for (const stream of streams) if (!("status" in stream)) stream.cut();
  });
});
