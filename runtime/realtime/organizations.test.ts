import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../auth/testing/accounts.ts";
import { notes, startTenants, type Tenants, tickets } from "../documents/testing/organizations.ts";
import { testSettings } from "../instance/testing/servers.ts";
import type { JsonObject } from "../json.ts";
import { until } from "../testing/until.ts";
import { type Event, openStream, type TestStream } from "./testing/streams.ts";

const followed = { ...tickets, realtime: true as const };
const { realtime } = testSettings;

let shop: Tenants;
const streams: TestStream[] = [];

beforeAll(async () => {
  shop = await startTenants([followed, notes], {
    settings: { realtime: { ...realtime, limits: { ...realtime.limits, streamsPerSecond: 100 } } },
  });
});
afterAll(async () => {
  for (const stream of streams) stream.close();
  await shop.stop();
});

async function follow(who: Person | string, wanted: JsonObject = {}): Promise<TestStream> {
  const token = typeof who === "string" ? who : who.token;
  const stream = await openStream(
    `${shop.url}/v1/shop/_realtime`,
    [{ id: "s", db: "main", collection: "tickets", ...wanted }],
    { token },
  );
  streams.push(stream);
  await stream.next();
  return stream;
}

function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), passed };
}

const changed = { event: "reset", data: { subs: ["s"], reason: "access_changed" }, id: expect.any(String) };
const created = (id: string): Partial<Event> => ({
  event: "created",
  data: { sub: "s", doc: expect.objectContaining({ id }) },
});

describe("organizations (Realtime stream events 6)", () => {
  test("deleting one resets who could see documents of it, once; bringing it back does it again; others hear nothing", async () => {
    await shop.made(`tickets?org=${shop.acme.id}`);
    const old = await shop.made(`tickets?org=${shop.acme.id}`);
    const [ann, bob, robot, cid] = await Promise.all(
      [shop.ann, shop.bob, shop.robot, shop.cid].map((who) => follow(who)),
    );
    const all = [ann, bob, robot];
    await shop.withhold(shop.acme);
    for (const stream of all) expect(await stream?.next()).toEqual(changed);
    // What the cleaning up does is nobody's business.
    await shop.stored(followed).remove(old);
    await shop.release(shop.acme);
    for (const stream of all) expect(await stream?.next()).toEqual(changed);
    const back = await shop.made(`tickets?org=${shop.acme.id}`);
    for (const stream of all) expect(await stream?.next()).toMatchObject(created(back));
    const other = await shop.made(`tickets?org=${shop.bolt.id}`);
    for (const stream of [bob, robot, cid]) expect(await stream?.next()).toMatchObject(created(other));
    for (const stream of [...all, cid]) stream?.close();
  });

  test("who could see documents of it, but has none, learns nothing of its end", async () => {
    const stream = await follow(shop.robot, { doc: await shop.made(`tickets?org=${shop.bolt.id}`) });
    await shop.withhold(shop.acme);
    await shop.release(shop.acme);
    await shop.withhold(shop.bolt);
    expect(await stream.next()).toEqual(changed);
    await shop.release(shop.bolt);
    expect(await stream.next()).toEqual(changed);
    stream.close();
  });

  test("documents that were erased before the end of their organization is heard of are told of as removed", async () => {
    const crow = await shop.createOrg(shop.eve, { name: "Crow" });
    const old = await shop.made(`tickets?org=${crow.id}`);
    const stream = await follow(shop.robot, { doc: old });
    // The feed is read late, a change at a time, and at first not as far as the removal.
    const { feed } = shop.store("shop");
    const read = feed.read.bind(feed);
    const [erased, asked] = [gate(), gate()];
    feed.read = async (position, _, bytes) => {
      await erased.passed;
      const page = await read(position, 1, bytes);
      if (page.changes.some(({ id }) => id === old)) await asked.passed;
      return page;
    };
    try {
      await shop.withhold(crow);
      await shop.stored(followed).remove(old);
      erased.open();
      for (let n = 0; n < 10; n += 1) await shop.as(shop.robot)("GET", "tickets");
      asked.open();
      expect(await stream.next()).toMatchObject({ event: "removed", data: { id: old } });
    } finally {
      feed.read = read;
      stream.close();
    }
  });

  test("who becomes a member is reset, and sees what comes after", async () => {
    const stream = await follow(shop.eve);
    await shop.made(`tickets?org=${shop.bolt.id}`);
    await shop.join(shop.bolt, shop.eve);
    expect(await stream.next()).toEqual(changed);
    const id = await shop.made(`tickets?org=${shop.bolt.id}`);
    expect(await stream.next()).toMatchObject(created(id));
    stream.close();
  });

  test("many changes of memberships at once reset a stream at most four times a second", async () => {
    const id = await shop.made(`tickets?org=${shop.acme.id}`);
    const stream = await follow(shop.bob);
    const began = performance.now();
    for (let n = 0; n < 24; n += 1) {
      const org = await shop.createOrg(shop.ann, { name: `Crew ${n}` });
      await shop.join(org, shop.bob);
    }
    // What was written before a reset is in the list that is loaded then, and is told no more.
    let isOver = false;
    const events = stream.until(({ event }) => event === "updated").finally(() => (isOver = true));
    await until(async () => {
      await shop.send("PATCH", `tickets/${id}`, { token: shop.ann.token, body: { title: "b" } });
      if (!isOver) throw new Error("no update is told");
    });
    const told = await events;
    const quarters = Math.ceil((performance.now() - began) / 250);
    expect(told.slice(0, -1)).toEqual(told.slice(0, -1).map(() => changed));
    expect(told.length - 1).toBeGreaterThan(0);
    expect(told.length - 1).toBeLessThanOrEqual(1 + quarters);
    stream.close();
  });

  test("another role that the read rule does not ask for resets nobody", async () => {
    const stream = await follow(shop.bob);
    await shop.join(shop.acme, shop.bob, { roles: ["owner"] });
    const id = await shop.made(`tickets?org=${shop.acme.id}`);
    expect(await stream.next()).toMatchObject(created(id));
    stream.close();
  });
});
