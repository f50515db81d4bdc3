/** Bodies and tokens that nobody meant: never a fault of the server, never an event that is another's. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { runs } from "../../runtime/testing/random.ts";
import { Random } from "../organizations/model/prng.ts";
import { insertUser } from "../people.ts";
import { compilePlace, type Place, startPlace } from "./testing/place.ts";
import { followingAll, type Opened, opened } from "./wire/opened.ts";
import { type Answered, ask, type Headers } from "./wire/requests.ts";

/** The seed of this run; another one by `REALTIME_SEED`. */
const seed = Number(process.env["REALTIME_SEED"] ?? 100);

const modules = await compilePlace();
let place: Place;
let administrator: Headers;
beforeAll(async () => {
  place = await startPlace(modules);
  const key = await createKey(place.store, place.clock, { name: "administrator", admin: true });
  administrator = { authorization: `Bearer ${key}` };
  await ask("POST", `${place.url}/main/beats`, { headers: administrator, body: { id: "beat", title: "0" } });
});
afterAll(() => place.stop());

/** Everybody may open a stream a second: time goes by between two. */
async function open(
  { headers, body, query = "" }: { headers: Headers; body: JsonObject | string; query?: string },
  url = place.url,
): Promise<Opened | Answered> {
  place.clock.advance(1_100);
  return opened(`${url}/_realtime${query}`, { headers, body });
}

async function isOpened(headers: Headers, body: JsonObject, query = ""): Promise<Opened> {
  const stream = await open({ headers, body, query });
  if ("status" in stream) throw new Error(`a stream was refused: ${stream.status} ${stream.code}`);
  return stream;
}

const from = (token: string) => `?resume_from=${encodeURIComponent(token)}`;

async function outcome(headers: Headers, body: JsonObject, token: string, url = place.url): Promise<string> {
  const answer = await open({ headers, body, query: from(token) }, url);
  if ("status" in answer) return `${answer.status} ${answer.code}`;
  answer.cut();
  return "200";
}

const refused = "400 invalid_resume_token";

describe("Realtime stream events 5: tokens are bound to the realm, the caller and the key", () => {
  const posts = followingAll("posts");

  it("one of another user, of nobody, of a key, of a key that acts for the user: 400 invalid_resume_token", async () => {
    const user = "bound";
    await insertUser(place.store, place.clock, user);
    const delegate = await createKey(place.store, place.clock, {
      name: "acts",
      admin: false,
      onBehalfOf: true,
    });
    const callers: readonly Headers[] = [
      await place.somebody(),
      await place.somebody(),
      {},
      await place.limitedKey(),
      await place.limitedKey(),
      administrator,
      { authorization: `Bearer ${delegate}` },
      { authorization: `Bearer ${delegate}`, "x-svc-on-behalf-of": user },
    ];
    for (const [at, headers] of callers.entries()) {
      const stream = await isOpened(headers, posts);
      const token = stream.token();
      stream.cut();
      for (const [other, theirs] of callers.entries()) {
        expect([at, other, await outcome(theirs, posts, token)]).toEqual([
          at,
          other,
          at === other ? "200" : refused,
        ]);
      }
    }
  });

  it("one of another realm, where the caller is called the same", async () => {
    const there = await open({ headers: {}, body: posts }, place.other);
    if ("status" in there) throw new Error(`refused: ${there.status}`);
    const token = there.token();
    there.cut();
    expect(await outcome({}, posts, token)).toBe(refused);
    expect(await outcome({}, posts, token, place.other)).toBe("200");
  });

  it("one bit that is another, a piece that is missing or more: 400, at every place of it", async () => {
    const headers = await place.somebody();
    const stream = await isOpened(headers, posts);
    const token = stream.token();
    stream.cut();
    const bytes = Buffer.from(token, "base64url");
    const spoilt = new Set<string>();
    for (let at = 0; at < token.length; at += 1) {
      spoilt.add(token.slice(0, at) + token.slice(at + 1));
      spoilt.add(token.slice(0, at));
      spoilt.add(`${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`);
    }
    for (const more of ["A", "=", "%", " ", ".", "é", "A".repeat(5_000)]) spoilt.add(token + more);
    // An empty parameter is a token too; what decodes to the same bytes is the same token, however it is written.
    for (const one of spoilt) {
      const told = await outcome(headers, posts, one);
      const isSame = Buffer.from(one, "base64url").equals(bytes);
      if (!isSame || told !== "200") expect([one, told]).toEqual([one, refused]);
    }
  });

  it("one that is a day old is good for nothing but a reset", async () => {
    const headers = await place.somebody();
    const stream = await isOpened(headers, posts);
    const token = stream.token();
    stream.cut();
    place.clock.advance(24 * 60 * 60 * 1_000 + 1_000);
    expect(await outcome(await place.somebody(), posts, token)).toBe(refused);
    const late = await isOpened(await place.again(headers), posts, from(token));
    const reset = await late.first(({ event }) => event === "reset");
    expect(reset.data).toEqual({ subs: ["posts"], reason: "history_expired" });
    late.cut();
  });
});

/** Bodies that a stream is opened with. */
const sound: readonly JsonObject[] = [
  followingAll("posts"),
  followingAll("posts", "flags", "shows"),
  { subscriptions: [{ id: "a", db: "main", collection: "posts", where: { title: "a", rank: { $gte: 2 } } }] },
  { subscriptions: [{ id: "a", db: "main", collection: "posts", doc: "someone" }] },
  {
    subscriptions: [
      {
        id: "a",
        db: "main",
        collection: "posts",
        where: {
          $or: [{ rank: { $in: [1, 2] } }, { done: { $isNull: true } }],
          due: { $lt: "2026-01-01T00:00:00Z" },
        },
      },
    ],
  },
];

const strange: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  "posts",
  "$where",
  "\u0000",
  "x".repeat(200),
  [],
  {},
  [[]],
  { $ne: null },
  { $in: [null, {}] },
  { $and: [{}] },
  { $or: [{ title: { $eq: { $eq: 1 } } }] },
  ["_meta.owner"],
];

/** One value in it, wherever, is another one; a name too. */
function changed(random: Random, value: JsonValue): JsonValue {
  if (random.chance(0.15)) return random.pick(strange);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.1)) return [...value, random.pick(strange)];
    const at = Math.floor(random.next() * value.length);
    return value.map((each: JsonValue, place) => (place === at ? changed(random, each) : each));
  }
  if (!isJsonObject(value)) return random.pick(strange);
  const names = Object.keys(value);
  if (names.length === 0 || random.chance(0.15)) {
    const name = random.pick([
      "where",
      "doc",
      "id",
      "$or",
      "rank",
      "_meta.org",
      "__proto__",
      "constructor",
      "",
    ]);
    return Object.fromEntries([...Object.entries(value), [name, random.pick(strange)]]);
  }
  const name = random.pick(names);
  return Object.fromEntries(
    Object.entries(value).map(([each, inner = null]) => [
      each,
      each === name ? changed(random, inner) : inner,
    ]),
  );
}

/** A few characters of it are others, are missing or come twice. */
function garbled(random: Random, text: string): string {
  let out = text;
  for (let n = 0; n < random.pick([1, 1, 2, 5]); n += 1) {
    const at = Math.floor(random.next() * out.length);
    const piece = random.pick([
      "",
      '"',
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "\\",
      "\u0000",
      "é",
      "\ud800",
      "9",
      out.slice(at, at + 9),
    ]);
    out = out.slice(0, at) + piece + out.slice(at + random.pick([0, 1, 4]));
  }
  return out;
}

describe("Whatever a body is", () => {
  const stranger = "stranger";

  it(`it is answered by a stream or by 400, 403 or 404, and no stream tells what is another's (seed ${seed})`, async () => {
    await insertUser(place.store, place.clock, stranger);
    const delegate = await createKey(place.store, place.clock, {
      name: "writes",
      admin: false,
      onBehalfOf: true,
    });
    const writing = { authorization: `Bearer ${delegate}`, "x-svc-on-behalf-of": stranger };
    const random = new Random(seed);
    const statuses = new Map<number, number>();
    let headers = await place.somebody();
    let streams: Opened[] = [];
    for (let n = 0; n < runs(3_000); n += 1) {
      const body = random.pick(sound);
      const text = random.chance(0.5)
        ? JSON.stringify(changed(random, body))
        : garbled(random, JSON.stringify(body));
      const answer = await open({ headers, body: text });
      const status = "status" in answer ? answer.status : 200;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if ("status" in answer)
        expect([text, [400, 403, 404]]).toEqual([text, expect.arrayContaining([status])]);
      else streams.push(answer);
      if (streams.length < 4) continue;
      await tellsNothingForeign(streams, writing);
      for (const stream of streams) stream.cut();
      // Those of one caller are counted until the server sees that they were cut.
      headers = await place.somebody();
      streams = [];
    }
    for (const stream of streams) stream.cut();
    expect([...statuses.keys()].sort()).toEqual(expect.arrayContaining([200, 400, 404]));
  }, 300_000);

  /** Somebody's drafts, which they alone read, and then something for all. */
  async function tellsNothingForeign(streams: readonly Opened[], writing: Headers): Promise<void> {
    const witness = await isOpened(await place.somebody(), followingAll("posts", "beats"));
    const draft = { title: "a", status: "draft", rank: 2, note: "secret" };
    const { status, body } = await ask("POST", `${place.url}/main/posts`, { headers: writing, body: draft });
    expect(status).toBe(201);
    const own = { headers: writing, body: { title: "b", status: "published" } };
    await ask("PATCH", `${place.url}/main/posts/${body["id"]}`, own);
    await ask("PATCH", `${place.url}/main/posts/${body["id"]}`, {
      headers: writing,
      body: { status: "draft" },
    });
    await ask("PATCH", `${place.url}/main/beats/beat`, { headers: administrator, body: { title: "on" } });
    await witness.first(({ event, data }) => event === "updated" && data["sub"] === "beats");
    for (const stream of [...streams, witness]) {
      for (const { data } of stream.blocks) {
        const doc = isJsonObject(data["doc"]) ? data["doc"] : {};
        expect([doc["status"], doc["note"]]).not.toContain("draft");
        expect(doc["note"]).toBeUndefined();
      }
    }
    witness.cut();
  }
});
