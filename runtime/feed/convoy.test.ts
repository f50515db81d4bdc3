import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eq } from "../filter/algebra.ts";
import { StoreUnavailable } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import { isEmbedded } from "../store/testing/stores.ts";
import { fields, shape, written } from "../store/testing/suite/fixtures.ts";
import { runs } from "../testing/random.ts";
import { Budget } from "./budget.ts";
import type { FeedChange } from "./change.ts";
import type { Follower } from "./follower.ts";
import { Hub, type HubOptions } from "./hub.ts";
import {
  type Followed,
  follow,
  followedStore,
  inserted,
  people,
  told,
  type Watched,
  watched,
} from "./testing/followed.ts";

let store: Store;
let feed: Watched;
/** Whoever follows in several lives begins no other one. */
let hasFailed: boolean;
const hubs: Hub[] = [];
beforeEach(async () => {
  store = await followedStore(shape("app.accounts", { feed: "ids" }));
  feed = watched(store.feed);
  hasFailed = false;
});
afterEach(async () => {
  hasFailed = true;
  for (const hub of hubs.splice(0)) await hub.close();
  await store.close();
});

function open(options: Partial<HubOptions> = {}): Hub {
  const gather = () => new Promise(setImmediate);
  const hub = new Hub({ feed, pause: () => Promise.resolve(), gather, ...options });
  hubs.push(hub);
  return hub;
}

const everybody = [["people", people]] as const;
const named = (name: string) => [["named", { ...people, filter: eq(fields.name, name) }]] as const;
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `d${from + n}`);
const signs = (from: number, to: number) => ids(from, to).map((id) => `+${id}`);
const joined = async (follower: Follower) => {
  while (!follower.isLive) await new Promise(setImmediate);
};

/** Positions after each of so many changes, and before the first. */
async function positions(from: string, count: number): Promise<readonly string[]> {
  const found = [from];
  while (found.length <= count) {
    const { changes } = await store.feed.read(found.at(-1) ?? from, 1_000);
    found.push(...changes.map(({ position }) => position));
    // Where the store is shared they come a moment later.
    await new Promise(setImmediate);
  }
  return found;
}

/** A generator of numbers below another, by a seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("those who come back together", () => {
  test("read the history once, from the furthest back of them, however many they are and wherever they were", async () => {
    const from = await store.feed.head();
    await inserted(store, ids(0, 60));
    const places = await positions(from, 60);
    const hub = open({ ring: { items: 5, bytes: 1_000_000 } });
    // What the reader itself reads begins behind all of it.
    await joined(await follow(hub, { interests: everybody }));
    feed.reads.length = 0;
    const back = await Promise.all(
      Array.from({ length: 300 }, (_, n) => follow(hub, { interests: everybody, from: places[n % 60] })),
    );
    const said = await Promise.all(back.map((follower, n) => told(follower, 60 - (n % 60))));
    for (const [n, own] of said.entries()) expect(own).toEqual(signs(n % 60, 60));
    const past = feed.reads.filter((position) => position !== places[60]);
    expect(past.length).toBeLessThanOrEqual(3);
  });

  test("who comes after others, and from no further back, has what was read for them", async () => {
    const from = await store.feed.head();
    await inserted(store, ids(0, 60));
    const places = await positions(from, 60);
    const budget = new Budget(2 ** 20);
    const hub = open({ ring: { items: 5, bytes: 1_000_000 }, budget });
    const live = await follow(hub, { interests: everybody });
    await joined(live);
    feed.reads.length = 0;
    const changes = new Set<unknown>();
    for (const at of [0, 0, 10, 59, 1]) {
      const back = await follow(hub, { interests: everybody, from: places[at] });
      for (let n = at; n < 60; n += 1) {
        const event = await back.next();
        if (event?.kind !== "commit") throw new Error("a commit");
        for (const { change } of event.deliveries) changes.add(change);
      }
      await joined(back);
      back.close();
    }
    // Once from the beginning, and whatever is after it.
    expect(feed.reads.filter((position) => position === from)).toHaveLength(1);
    for (const at of [10, 1]) expect(feed.reads).not.toContain(places[at]);
    expect(changes.size).toBeLessThanOrEqual(65);
    expect(budget.held).toBeGreaterThan(0);
    live.close();
    expect(budget.held).toBe(0);
  });

  test("what is kept for who comes later gives way to what others hold, and is read again", async () => {
    const from = await store.feed.head();
    await inserted(store, ids(0, 40), 1_000);
    const budget = new Budget(2_000);
    const hub = open({ ring: { items: 5, bytes: 1_000_000 }, budget });
    await joined(await follow(hub, { interests: everybody }));
    for (let life = 0; life < 3; life += 1) {
      const back = await follow(hub, { interests: everybody, from });
      expect(await told(back, 40)).toEqual(signs(0, 40));
      back.close();
    }
    expect(feed.reads.filter((position) => position === from).length).toBeGreaterThanOrEqual(3);
    expect(budget.held).toBeLessThanOrEqual(2_000);
  });

  test("each change is one for all of them, and what equal interests ask of it is asked once", async () => {
    const from = await store.feed.head();
    await inserted(store, ["a"]);
    const hub = open();
    let asked = 0;
    const interest = {
      ...people,
      get visibility() {
        asked += 1;
        return "all" as const;
      },
    };
    const back = await Promise.all(
      Array.from({ length: 50 }, () => follow(hub, { interests: [["people", interest]], from })),
    );
    asked = 0;
    const seen = await Promise.all(back.map((follower) => follower.next()));
    const changes = seen.map((event) => (event?.kind === "commit" ? event.deliveries[0]?.change : undefined));
    expect(new Set(changes).size).toBe(1);
    expect(asked).toBeLessThan(10);
  });

  test("who catches up takes together what there is for it, not each change by itself", async () => {
    const from = await store.feed.head();
    await inserted(store, ids(0, 40));
    await positions(from, 40);
    let woken = 0;
    const hub = open();
    const follower = await hub.follow({ interests: everybody, from, wake: () => (woken += 1) });
    while (!follower.isLive) await new Promise(setImmediate);
    expect(woken).toBeLessThan(10);
    const taken: string[] = [];
    for (let event = follower.poll(); event?.kind === "commit"; event = follower.poll())
      taken.push(...event.deliveries.map(({ change }) => change.id));
    expect(taken).toEqual(ids(0, 40));
    await inserted(store, ["last"]);
    while (follower.queue.isEmpty) await new Promise(setImmediate);
    expect(follower.poll()).toMatchObject({ kind: "commit", deliveries: [{ change: { id: "last" } }] });
  });

  test("who takes nothing holds up nobody, and goes on where it was when it has taken", async () => {
    const from = await store.feed.head();
    await inserted(store, ids(0, 50), 1_000);
    const hub = open();
    const slow = await follow(hub, { interests: everybody, from, bytes: 5_000 });
    const quick = await follow(hub, { interests: everybody, from });
    expect(await told(quick, 50)).toEqual(signs(0, 50));
    expect(slow.isLive).toBe(false);
    expect(slow.bytes).toBeLessThanOrEqual(5_000);
    expect(await told(slow, 50)).toEqual(signs(0, 50));
    await joined(slow);
    await inserted(store, ["last"]);
    expect(await told(slow, 1)).toEqual(["+last"]);
  });

  test("who comes to live changes waits for none of those who catch up", async () => {
    const from = await store.feed.head();
    await inserted(store, ids(0, 20));
    let isHeld = true;
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const hub = open({
      ring: { items: 3, bytes: 1_000_000 },
      feed: {
        ...feed,
        read: async (position, limit, bytes) => {
          if (position === from && isHeld) await released;
          return feed.read(position, limit, bytes);
        },
      },
    });
    const live = await follow(hub, { interests: everybody });
    await joined(live);
    const back = await follow(hub, { interests: everybody, from });
    await inserted(store, ["now"]);
    expect(await told(live, 1)).toEqual(["+now"]);
    expect(back.isLive).toBe(false);
    isHeld = false;
    release();
    expect(await told(back, 21)).toEqual([...signs(0, 20), "+now"]);
  });

  test("a position that there can never have been, and one that is ahead of all there is, are gaps", async () => {
    const hub = open();
    const from = await store.feed.head();
    await inserted(store, ids(0, 5));
    const foreign = ["x", "999999999999"];
    const back = await Promise.all(
      foreign.map((position) => follow(hub, { interests: everybody, from: position })),
    );
    const other = await follow(hub, { interests: everybody, from });
    for (const follower of back) expect(await follower.next()).toMatchObject({ kind: "gap", why: "expired" });
    expect(await told(other, 5)).toEqual(signs(0, 5));
    for (const follower of back) await joined(follower);
    await inserted(store, ["last"]);
    for (const follower of [...back, other]) expect(await told(follower, 1)).toEqual(["+last"]);
  });

  test("as many changes of the past as one may be given are no gap, one more is", async () => {
    const from = await store.feed.head();
    await inserted(store, ids(0, 20));
    const hub = open();
    const [enough, short] = [20, 19].map((replay) => follow(hub, { interests: everybody, from, replay }));
    expect(await told(await (enough as Promise<Followed>), 20)).toEqual(signs(0, 20));
    const gap = await (await (short as Promise<Followed>)).next();
    expect(gap).toMatchObject({ kind: "gap", why: "far", from });
  });

  test("one that ends while it catches up leaves nothing behind", async () => {
    const from = await store.feed.head();
    await inserted(store, ids(0, 50));
    const hub = open({ ring: { items: 5, bytes: 1_000_000 } });
    const back = await Promise.all(ids(0, 20).map(() => follow(hub, { interests: everybody, from })));
    await new Promise(setImmediate);
    for (const follower of back) follower.close();
    expect([hub.interests, hub.history.isReading]).toEqual([0, false]);
    const again = await follow(hub, { interests: everybody, from });
    expect(await told(again, 50)).toEqual(signs(0, 50));
  });

  test("nobody is offered a change before those who tap have heard of it", async () => {
    const from = await store.feed.head();
    await inserted(store, ids(0, 30));
    let isBehind = false;
    const hub = open({
      ring: { items: 5, bytes: 1_000_000 },
      feed: {
        ...feed,
        read: async (position, limit, bytes) => {
          // The reader is slower than those who catch up.
          if (isBehind && limit > 1) for (let n = 0; n < 20; n++) await new Promise(setImmediate);
          return feed.read(position, limit, bytes);
        },
      },
    });
    const heard = new Set<string>();
    await hub.tap({ take: ({ id }: FeedChange) => heard.add(id), lost: () => undefined });
    isBehind = true;
    const writing = inserted(store, ids(30, 90));
    for (const start of [from, from, from]) {
      const follower = await follow(hub, { interests: everybody, from: start });
      for (let left = 40; left > 0; ) {
        const event = await follower.next();
        if (event?.kind !== "commit") throw new Error("this is a commit");
        left -= event.deliveries.length;
        for (const { change } of event.deliveries)
          if (Number(change.id.slice(1)) >= 30) expect(heard).toContain(change.id);
      }
      follower.close();
    }
    await writing;
  });

  test("who was beyond all that is told hears of what comes, and nothing is read for it meanwhile", async () => {
    const from = await store.feed.head();
    const beyond = `${store.feed.order(from)}-later`;
    const asked: string[] = [];
    const hub = open({
      feed: {
        ...feed,
        // A server may say that it has looked further than any change.
        order: (position) => (position === beyond ? beyond : feed.order(position)),
        read: async (position, limit, bytes) => {
          asked.push(position);
          return position === beyond && (await store.feed.read(from, limit, bytes)).changes.length === 0
            ? { changes: [], position: beyond }
            : feed.read(position === beyond ? from : position, limit, bytes);
        },
      },
    });
    const back = await follow(hub, { interests: everybody, from: beyond });
    while (!asked.includes(beyond)) await new Promise(setImmediate);
    // Whatever the first look set off is over.
    for (let n = 0; n < 50; n++) await new Promise(setImmediate);
    const { length } = asked;
    for (let n = 0; n < 500; n++) await new Promise(setImmediate);
    expect(asked).toHaveLength(length);
    await inserted(store, ["now"]);
    expect(await told(back, 1)).toEqual(["+now"]);
    await inserted(store, ["then"]);
    expect(await told(back, 1)).toEqual(["+then"]);
  });

  test.each(Array.from({ length: runs(30) }, (_, n) => n + 1))(
    "random: nothing is lost, nothing doubled, all in order, whatever they take and whenever they come (seed %i)",
    async (seed) => {
      const below = random(seed);
      let readings = 0;
      const failing: Watched = {
        ...feed,
        read: (position, limit, bytes) => {
          readings += 1;
          return readings % 11 === 0
            ? Promise.reject(new StoreUnavailable("a test"))
            : feed.read(position, limit, bytes);
        },
      };
      // Of changes that are near each other a server may not know the order.
      const coarse = (position: string) => feed.order(position)?.slice(0, -1);
      const order = seed % 3 === 0 && isEmbedded ? coarse : feed.order;
      const hub = open({ feed: { ...failing, order }, ring: { items: 3 + below(30), bytes: 1_000_000 } });
      const from = await store.feed.head();
      const total = isEmbedded ? 120 : 40;
      const names = ["Ada", "Bob", "Eve"];
      const nameOf: string[] = [];
      const writing = (async () => {
        while (nameOf.length < total) {
          const count = Math.min(1 + below(4), total - nameOf.length);
          const batch = Array.from({ length: count }, () => names[below(3)] ?? "Ada");
          await store.transaction(async (transaction) => {
            for (const [n, name] of batch.entries())
              await transaction.collection("app.people").insert(written(`d${nameOf.length + n}`, { name }));
          });
          nameOf.push(...batch);
          for (let turns = below(4); turns > 0; turns--) await new Promise(setImmediate);
        }
      })();
      /** Follows in several lives, each from where the one before was. */
      const one = async (name: string | undefined) => {
        const seen: string[] = [];
        let position = from;
        for (let wait = below(30); wait > 0; wait--) await new Promise(setImmediate);
        while (!hasFailed) {
          let isSlow = false;
          const interests = name === undefined ? everybody : named(name);
          const follower = await follow(hub, {
            interests,
            from: position,
            bytes: 300 + below(3_000),
            events: 2 + below(20),
          });
          for (let events = 1 + below(20); events > 0; events--) {
            let event = follower.poll();
            for (let turns = 0; event === undefined && turns < 200; turns++) {
              // A life is longer than it takes to read something.
              await (isEmbedded ? new Promise(setImmediate) : sleep(1));
              event = follower.poll();
            }
            if (event === undefined) break;
            // Who lives and is slow is told of it, and comes back to where it was.
            if (event.kind === "gap") {
              expect(event.why).toBe("slow");
              expect(event.from).toBe(position);
              isSlow = true;
              break;
            }
            seen.push(...event.deliveries.map(({ change }) => change.id));
            position = event.position;
            if (below(3) === 0) await new Promise(setImmediate);
          }
          if (!isSlow && below(2) === 0 && follower.queue.isEmpty) position = follower.position;
          follower.close();
          if (nameOf.length === total) {
            const expected = ids(0, total).filter((_, n) => name === undefined || nameOf[n] === name);
            expect(seen).toEqual(expected.slice(0, seen.length));
            if (seen.length === expected.length) return;
          }
        }
      };
      const all = [undefined, undefined, ...names, ...names].map(one);
      const failed = () => {
        hasFailed = true;
      };
      for (const each of all) each.catch(failed);
      await Promise.all([writing, ...all]);
    },
  );
});
