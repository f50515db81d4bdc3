import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collection, fields, type Shop, second, startShop } from "../documents/testing/shop.ts";
import { eq } from "../filter/algebra.ts";
import { ownershipFields } from "../filter/fields.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { allowed, byCaller } from "../rules/index.ts";
import { realtimeRoutes } from "./route.ts";
import { type Event, openStream, type StreamRequest, type TestStream } from "./testing/streams.ts";

const own = { ...fields, ...ownershipFields };
const isStaff = byCaller(({ user }) => user?.roles.includes("reader") === true);

/** Everybody reads what is open; staff reads all. */
const notes = collection("notes", {
  fields: own,
  realtime: true,
  softDelete: { retention: 60 * second },
  rules: {
    create: allowed,
    read: {
      possible: () => true,
      filter: (context) => (isStaff.check(context) ? allowed.filter(context) : eq(own.slug, "open")),
      check: (context, document: { readonly slug?: unknown }) =>
        isStaff.check(context) || document.slug === "open",
    },
    update: allowed,
    delete: allowed,
    restore: allowed,
    purge: allowed,
  },
  fieldRules: [{ path: ["owner"], read: isStaff }],
});
const quiet = collection("quiet", { rules: { read: allowed, create: allowed } });

let shop: Shop;
const streams: TestStream[] = [];

beforeAll(async () => {
  shop = await startShop("enabled", [notes, quiet], { routes: [realtimeRoutes("shop")] });
});
afterAll(async () => {
  for (const stream of streams) stream.close();
  await shop.stop();
});

/** Opens one, a second after the one before. */
async function follow(where: JsonObject, options: StreamRequest = {}): Promise<TestStream> {
  shop.clock.advance(second);
  const stream = await openStream(
    `${shop.url}/v1/shop/_realtime`,
    [{ id: "s", db: "main", collection: "notes", ...where }],
    options,
  );
  streams.push(stream);
  return stream;
}

const short = ({ event, data }: Event) => [
  event,
  data["doc"] ?? data["id"] ?? data["reason"] ?? data["subscriptions"],
];

function versionOf({ doc }: JsonObject) {
  const meta = isJsonObject(doc) ? doc["_meta"] : undefined;
  return isJsonObject(meta) ? meta["version"] : undefined;
}

async function create(body: JsonObject): Promise<string> {
  const { body: made } = await shop.send("POST", "notes", { body: { title: "x", ...body } });
  return String(made["id"]);
}

describe("events", () => {
  test("begin with ready, which has a resume token", async () => {
    const stream = await follow({});
    const first = await stream.next();
    expect(first).toEqual({ event: "ready", data: { subscriptions: ["s"] }, id: expect.any(String) });
    stream.close();
  });

  test("a document is shown as a GET by this caller returns it, with its token on the last event of the change", async () => {
    const stream = await follow({});
    await stream.next();
    const id = await create({ slug: "open", owner: "secret" });
    const event = await stream.next();
    const { body } = await shop.send("GET", `notes/${id}`);
    expect(event).toEqual({ event: "created", data: { sub: "s", doc: body }, id: expect.any(String) });
    expect(body).not.toHaveProperty("owner");
    stream.close();
  });

  test("updated, removed by an update that hides it, created by one that shows it again, removed by a deletion", async () => {
    const stream = await follow({ where: { qty: { $gte: 1 } } });
    await stream.next();
    const id = await create({ slug: "open", qty: 1 });
    const { token } = await shop.person("staff@example.com", "reader");
    const patch = (body: JsonObject) => shop.send("PATCH", `notes/${id}`, { body, token });
    await patch({ qty: 2 });
    await patch({ slug: "closed" });
    await patch({ qty: 3 });
    await patch({ slug: "open" });
    await patch({ qty: 0 });
    await patch({ qty: 5 });
    await shop.send("DELETE", `notes/${id}`, { token });
    const events = [];
    for (let at = 0; at < 7; at += 1) events.push(await stream.next());
    expect(events.map(({ event, data }) => [event, data["version"] ?? versionOf(data)])).toEqual([
      ["created", 1],
      ["updated", 2],
      ["removed", 3],
      ["created", 5],
      ["removed", 6],
      ["created", 7],
      ["removed", 8],
    ]);
    stream.close();
  });

  test("a stream that follows one document hears of no other", async () => {
    const id = await create({ slug: "open" });
    const stream = await follow({ doc: id });
    await stream.next();
    await create({ slug: "open" });
    await shop.send("PATCH", `notes/${id}`, { body: { qty: 7 } });
    expect(short(await stream.next())).toEqual(["updated", expect.objectContaining({ id, qty: 7 })]);
    stream.close();
  });
});

describe("resume", () => {
  test("goes on after the token, and misses nothing", async () => {
    const stream = await follow({});
    await stream.next();
    const first = await create({ slug: "open" });
    await stream.next();
    stream.close();
    const second = await create({ slug: "open" });
    const again = await follow({}, { resumeFrom: stream.last });
    await again.next();
    expect(short(await again.next())).toEqual(["created", expect.objectContaining({ id: second })]);
    expect(first).not.toBe(second);
    again.close();
  });

  test("of a subscription that asks for something else begins now", async () => {
    const stream = await follow({});
    await stream.next();
    stream.close();
    await create({ slug: "open" });
    const again = await follow({ where: { slug: "open" } }, { resumeFrom: stream.last });
    await again.next();
    const id = await create({ slug: "open" });
    expect(short(await again.next())).toEqual(["created", expect.objectContaining({ id })]);
    again.close();
  });
});

describe("access", () => {
  test("another role resets the subscription, and what follows is by the new one", async () => {
    const { token, id } = await shop.person("a@example.com");
    const stream = await follow({}, { token });
    await stream.next();
    await shop.setRoles(id, "reader");
    expect(await stream.next()).toEqual({
      event: "reset",
      data: { subs: ["s"], reason: "access_changed" },
      id: expect.any(String),
    });
    const hidden = await create({ slug: "closed" });
    expect(short(await stream.next())).toEqual(["created", expect.objectContaining({ id: hidden })]);
    stream.close();
  });

  test("what no rule reads of the caller resets nothing, though fields are hidden from them", async () => {
    const { token, id } = await shop.person("c@example.com");
    const stream = await follow({}, { token });
    await stream.next();
    await shop.setRoles(id, "librarian");
    await shop.send("PATCH", "../_auth/me", { token, body: { locale: "de" } });
    const made = await create({ slug: "open", owner: "secret" });
    expect(short(await stream.next())).toEqual(["created", expect.objectContaining({ id: made })]);
    stream.close();
  });

  test("a subscription by a field that becomes hidden is reset, and tells nothing until it is seen again", async () => {
    const { token, id } = await shop.person("d@example.com");
    await shop.setRoles(id, "reader");
    const stream = await follow({ where: { owner: "secret" } }, { token });
    await stream.next();
    await shop.setRoles(id, "librarian");
    expect(short(await stream.next())).toEqual(["reset", "access_changed"]);
    await create({ slug: "open", owner: "secret" });
    await shop.setRoles(id, "reader");
    expect(short(await stream.next())).toEqual(["reset", "access_changed"]);
    const made = await create({ slug: "open", owner: "secret" });
    expect(short(await stream.next())).toEqual(["created", expect.objectContaining({ id: made })]);
    stream.close();
  });

  test("a session that its owner ends says so, and ends", async () => {
    const { token } = await shop.person("b@example.com");
    const stream = await follow({}, { token });
    await stream.next();
    await shop.send("POST", "../_auth/logout", { token });
    expect(short(await stream.next())).toEqual(["session_ended", "signed_out"]);
    await stream.ended();
  });
});
