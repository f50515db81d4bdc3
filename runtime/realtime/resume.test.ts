import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collection, type Shop, second, startShop } from "../documents/testing/shop.ts";
import type { JsonObject } from "../json.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import { allowed, byCaller } from "../rules/index.ts";
import { testPlace } from "../store/testing/stores.ts";
import { realtimeRoutes } from "./route.ts";
import { type Event, openStream, request, type StreamRequest, type TestStream } from "./testing/streams.ts";

const isStaff = byCaller(({ user }) => user?.roles.includes("reader") === true);
const writes = { create: allowed, update: allowed, delete: allowed };

const open = collection("open", { realtime: true, rules: { ...writes, read: allowed } });
const staff = collection("staff", {
  realtime: true,
  rules: { ...writes, read: { ...isStaff, possible: () => true } },
});

let shop: Shop;
const streams: TestStream[] = [];

beforeAll(async () => {
  shop = await startShop("enabled", [open, staff], { routes: [realtimeRoutes("shop")] });
});
afterAll(async () => {
  for (const stream of streams) stream.close();
  await shop.stop();
});

const both = [
  { id: "o", db: "main", collection: "open" },
  { id: "s", db: "main", collection: "staff" },
];

async function follow(
  subscriptions: readonly JsonObject[],
  options: StreamRequest = {},
): Promise<TestStream> {
  shop.clock.advance(second);
  const stream = await openStream(`${shop.url}/v1/shop/_realtime`, [...subscriptions], options);
  streams.push(stream);
  return stream;
}

/** The token of a stream that was opened and closed. */
async function tokenOf(subscriptions: readonly JsonObject[], options: StreamRequest = {}): Promise<string> {
  const stream = await follow(subscriptions, options);
  const { id = "" } = await stream.next();
  stream.close();
  return id;
}

const told = ({ event, data }: Event) => ({ event, ...data });

describe("resume (Realtime stream events 3, 5)", () => {
  test("with another access resets the subscription that it concerns, and goes on with the others", async () => {
    const { id, token } = await shop.person("a@example.com");
    const resumeFrom = await tokenOf(both, { token });
    await shop.setRoles(id, "reader");
    await shop.send("POST", "open", { body: { title: "meanwhile" } });
    await shop.send("POST", "staff", { body: { title: "past" } });
    const stream = await follow(both, { token, resumeFrom });
    expect(told(await stream.next())).toEqual({ event: "ready", subscriptions: ["o", "s"] });
    expect(told(await stream.next())).toEqual({ event: "reset", subs: ["s"], reason: "history_expired" });
    expect(told(await stream.next())).toMatchObject({ sub: "o", doc: { title: "meanwhile" } });
    await shop.send("POST", "staff", { body: { title: "new" } });
    expect(told(await stream.next())).toMatchObject({ sub: "s", doc: { title: "new" } });
    stream.close();
  });

  test("with a token that is over a day old resets every subscription", async () => {
    const resumeFrom = await tokenOf([both[0] ?? {}]);
    shop.clock.advance(24 * 3_600_000 + second);
    const stream = await follow([both[0] ?? {}], { resumeFrom });
    await stream.next();
    expect(told(await stream.next())).toEqual({ event: "reset", subs: ["o"], reason: "history_expired" });
    stream.close();
  });

  test("by the header Last-Event-ID; the parameter wins", async () => {
    const resumeFrom = await tokenOf([both[0] ?? {}]);
    await shop.send("POST", "open", { body: { title: "by header" } });
    const stream = await follow([both[0] ?? {}], { headers: { "last-event-id": resumeFrom } });
    await stream.next();
    expect(told(await stream.next())).toMatchObject({ event: "created", doc: { title: "by header" } });
    stream.close();
    shop.clock.advance(second);
    const refused = await request(`${shop.url}/v1/shop/_realtime`, [both[0] ?? {}], {
      resumeFrom: "forged",
      headers: { "last-event-id": resumeFrom },
    });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { code: "invalid_resume_token" } },
    ]);
  });

  test("with a token of another caller is refused", async () => {
    const { token } = await shop.person("b@example.com");
    const resumeFrom = await tokenOf([both[0] ?? {}]);
    shop.clock.advance(second);
    const refused = await request(`${shop.url}/v1/shop/_realtime`, [both[0] ?? {}], { token, resumeFrom });
    expect(await refused.json()).toMatchObject({ error: { code: "invalid_resume_token" } });
  });
});

describe("after another configuration was deployed", () => {
  test("config_changed says that a subscription is gone; nothing more of it is told", async () => {
    const place = testPlace();
    const started = (rule: CollectionDefinition) =>
      startShop("enabled", [open, rule], {
        settings: { store: place.location },
        routes: [realtimeRoutes("shop")],
      });
    const url = (server: Shop) => `${server.url}/v1/shop/_realtime`;
    const before = await started(staff);
    const { token } = await before.person("c@example.com", "reader");
    const first = await openStream(url(before), both, { token });
    const { id: resumeFrom } = await first.next();
    await before.stop();

    const after = await started({ ...staff, rules: { ...writes, read: allowed } });
    const stream = await openStream(url(after), both, { token, resumeFrom });
    expect(told(await stream.next())).toEqual({ event: "ready", subscriptions: ["o", "s"] });
    expect(told(await stream.next())).toEqual({ event: "reset", subs: ["s"], reason: "config_changed" });
    await after.send("POST", "staff", { body: { title: "of the one that is gone" } });
    await after.send("POST", "open", { body: { title: "of the other" } });
    expect(told(await stream.next())).toMatchObject({ sub: "o", doc: { title: "of the other" } });
    await after.stop();

    const { realtime: _, ...lost } = staff;
    const without = await started(lost);
    const refused = await request(url(without), both, { token, resumeFrom });
    expect(await refused.json()).toMatchObject({
      error: { code: "realtime_not_enabled", details: [{ path: "subscriptions.1.collection" }] },
    });
    await without.stop();
    await place.discard();
  });
});
