import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eq } from "../filter/algebra.ts";
import { HistoryExpired, StoreUnavailable } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import { failureOf, fields, shape, written } from "../store/testing/suite/fixtures.ts";
import { Budget } from "./budget.ts";
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
const hubs: Hub[] = [];
beforeEach(async () => {
  store = await followedStore(shape("app.accounts", { feed: "ids" }));
  feed = watched(store.feed);
});
afterEach(async () => {
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
const joined = async (follower: Follower) => {
  while (!follower.isLive) await new Promise(setImmediate);
};

describe("the hub", () => {
  test("reads the feed while somebody follows, once for all, and not otherwise", async () => {
    const hub = open();
    await inserted(store, ["before"]);
    expect([feed.listeners, feed.reads.length]).toEqual([0, 0]);
    const followers = await Promise.all(
      Array.from({ length: 20 }, () => follow(hub, { interests: everybody })),
    );
    expect(hub.interests).toBe(1);
    await inserted(store, ["a"]);
    for (const follower of followers) expect(await told(follower, 1)).toEqual(["+a"]);
    expect(feed.listeners).toBe(1);
    for (const follower of followers) follower.close();
    expect(hub.history.isReading).toBe(false);
    while (feed.listeners > 0) await new Promise(setImmediate);
    const { length } = feed.reads;
    await inserted(store, ["b"]);
    expect(feed.reads).toHaveLength(length);
    expect([hub.interests, hub.history.ring.bytes]).toEqual([0, 0]);
    const again = await follow(hub, { interests: everybody });
    await inserted(store, ["c"]);
    expect(await told(again, 1)).toEqual(["+c"]);
  });

  test("says how far behind its telling is", async () => {
    const hub = open();
    const seen: (typeof hub.history.untold)[] = [];
    const untap = await hub.tap({ take: () => seen.push(hub.history.untold), lost: () => undefined });
    const follower = await follow(hub, { interests: everybody });
    expect(hub.history.untold).toEqual({ changes: 0, since: undefined });
    await store.transaction((transaction) =>
      transaction.collection("app.people").insertAll(["a", "b", "c"].map((id) => written(id, {}))),
    );
    const [commit] = await Promise.all([follower.next()]);
    if (commit?.kind !== "commit") throw new Error("a commit");
    const times = commit.deliveries.map(({ change }) => change.at);
    expect(Math.min(...times)).toBeGreaterThan(0);
    expect(seen).toEqual(times.map((since, at) => ({ changes: times.length - at, since })));
    while (hub.history.untold.changes > 0) await new Promise(setImmediate);
    expect(hub.history.untold.since).toBeUndefined();
    untap();
  });

  test("a change is one for all, parsed once, and tells each what it is to them", async () => {
    const hub = open();
    const one = await follow(hub, { interests: [...everybody, ...named("Ada")] });
    const other = await follow(hub, { interests: named("Ada") });
    const collection = store.collection("app.people");
    await collection.insert(written("a", { name: "Bob" }));
    await collection.replace(1, written("a", { name: "Ada" }, { version: 2 }));
    const [inserting, replacing] = [await one.next(), await one.next()];
    const seen = await other.next();
    if (inserting?.kind !== "commit" || replacing?.kind !== "commit" || seen?.kind !== "commit")
      throw new Error("these are commits");
    expect(inserting.deliveries[0]?.concerns).toEqual([{ key: "people", before: false, after: true }]);
    expect(replacing.deliveries[0]?.concerns).toEqual([
      { key: "people", before: true, after: true },
      { key: "named", before: false, after: true },
    ]);
    expect(seen.deliveries[0]?.change).toBe(replacing.deliveries[0]?.change);
    const image = seen.deliveries[0]?.change.after;
    expect(image?.document).toBe(image?.document);
    expect(image?.document["name"]).toBe("Ada");
  });

  test("many are told in many turns of the event loop, each in order and once; who comes meanwhile misses nothing", async () => {
    const hub = open();
    const turns: number[] = [0];
    let isOver = false;
    const count = () => {
      turns.push(0);
      if (!isOver) setImmediate(count);
    };
    const woken = () => turns.push((turns.pop() ?? 0) + 1);
    const followers = await Promise.all(
      Array.from({ length: 1_000 }, () => hub.follow({ interests: everybody, wake: woken })),
    );
    for (const follower of followers) await joined(follower);
    const from = await store.feed.head();
    const late: Promise<Followed>[] = [];
    const first = await hub.follow({
      interests: everybody,
      wake: () => late.push(follow(hub, { interests: everybody, from })),
    });
    await joined(first);
    turns.splice(0, turns.length, 0);
    count();
    await inserted(store, ["a", "b"]);
    const seen = (follower: Follower): string => {
      let all = "";
      for (let event = follower.poll(); event !== undefined; event = follower.poll())
        all += event.kind === "gap" ? event.why : event.deliveries.map(({ change }) => change.id).join();
      return all;
    };
    const said = followers.map(() => "");
    while (said.some((each) => each.length < 2)) {
      await new Promise(setImmediate);
      for (const [at, follower] of followers.entries()) said[at] += seen(follower);
    }
    isOver = true;
    expect(new Set(said)).toEqual(new Set(["ab"]));
    expect(Math.max(...turns)).toBeLessThanOrEqual(250);
    expect(late.length).toBeGreaterThan(0);
    for (const each of late) expect(await told(await each, 2)).toEqual(["+a", "+b"]);
  });

  test("a batch is one commit, of which each gets what concerns it", async () => {
    const hub = open();
    const all = await follow(hub, { interests: everybody });
    const some = await follow(hub, { interests: named("Ada") });
    await store.transaction(async (transaction) => {
      const own = transaction.collection("app.people");
      await own.insert(written("a", { name: "Ada" }));
      await own.insert(written("b", { name: "Bob" }));
      await own.insert(written("c", { name: "Ada" }));
      await transaction.collection("app.places").insert(written("p", {}));
    });
    await inserted(store, ["d"]);
    expect(await told(all, 4)).toEqual(["+a +b +c", "+d"]);
    expect(await told(some, 2)).toEqual(["+a +c"]);
  });

  test("who comes back soon is served from memory, and goes on without a gap or a change twice", async () => {
    const hub = open();
    const first = await follow(hub, { interests: everybody });
    await inserted(store, ids(0, 30));
    const positions: string[] = [];
    for (let n = 0; n < 30; n++) {
      const event = await first.next();
      if (event?.kind === "commit") positions.push(event.position);
    }
    await hub.history.metAll();
    const reads = feed.reads.length;
    const back = await Promise.all(positions.map((from) => follow(hub, { interests: everybody, from })));
    const rest = await Promise.all(back.map((follower, n) => (n === 29 ? [] : told(follower, 29 - n))));
    expect(rest.map((said) => said.length)).toEqual(positions.map((_, n) => 29 - n));
    expect(feed.reads).toHaveLength(reads);
    expect(rest[10]).toEqual(ids(11, 30).map((id) => `+${id}`));
    await inserted(store, ["last"]);
    for (const follower of back) expect(await told(follower, 1)).toEqual(["+last"]);
  });

  test("who comes back later is served from the store, while others write, and joins in order", async () => {
    const hub = open({ ring: { items: 5, bytes: 1_000_000 } });
    const from = await store.feed.head();
    const steady = await follow(hub, { interests: everybody });
    await inserted(store, ids(0, 40));
    const writing = inserted(store, ids(40, 80));
    const late = await Promise.all(
      Array.from({ length: 5 }, () => follow(hub, { interests: everybody, from })),
    );
    await writing;
    const expected = ids(0, 80).map((id) => `+${id}`);
    expect(await told(steady, 80)).toEqual(expected);
    for (const follower of late) expect(await told(follower, 80)).toEqual(expected);
    for (const follower of late) await joined(follower);
    await inserted(store, ["last"]);
    for (const follower of late) expect(await told(follower, 1)).toEqual(["+last"]);
  });

  test("a position that history does not reach back to is a gap, after which it goes on", async () => {
    const hub = open();
    const follower = await follow(hub, { interests: everybody, from: "x" });
    expect(await follower.next()).toMatchObject({ kind: "gap", why: "expired", from: "x" });
    await joined(follower);
    await inserted(store, ["a"]);
    expect(await told(follower, 1)).toEqual(["+a"]);
  });

  test("more than somebody is to be given of the past is a gap", async () => {
    const hub = open();
    const from = await store.feed.head();
    await inserted(store, ids(0, 20));
    // Another one, so that it is in memory.
    await joined(await follow(hub, { interests: everybody, from }));
    const follower = await follow(hub, { interests: everybody, from, replay: 10 });
    let gap = await follower.next();
    while (gap?.kind === "commit") gap = await follower.next();
    expect(gap).toMatchObject({ kind: "gap", why: "far" });
    await joined(follower);
    await inserted(store, ["a"]);
    expect((await told(follower, 1)).at(-1)).toBe("+a");
  });

  test("who is too slow is told a gap and holds nothing; nobody waits for it", async () => {
    const hub = open();
    const from = await store.feed.head();
    const slow = await follow(hub, { interests: everybody, bytes: 20_000 });
    const quick = await follow(hub, { interests: everybody });
    await joined(slow);
    const taken: string[] = [];
    for (const id of ids(0, 20)) {
      await inserted(store, [id], 2_000);
      taken.push(...(await told(quick, 1)));
      expect(slow.bytes).toBeLessThanOrEqual(20_000);
    }
    expect(taken).toEqual(ids(0, 20).map((id) => `+${id}`));
    const { position } = slow;
    const gap = await slow.next();
    expect(gap).toMatchObject({ kind: "gap", why: "slow", from: position });
    // What is told after the gap is what came after it.
    const known = gap?.kind === "gap" ? await store.feed.read(gap.to, 100) : undefined;
    const rest = known?.changes.map(({ id }) => `+${id}`) ?? [];
    expect(await told(slow, rest.length)).toEqual(rest);
    await inserted(store, ["last"]);
    expect(await told(slow, 1)).toEqual(["+last"]);
    // And from where it was everything is there still.
    const again = await follow(hub, { interests: everybody, from, bytes: 20_000 });
    expect(await told(again, 21)).toEqual([...taken, "+last"]);
  });

  test("a change larger than all that a follower may hold is delivered where there is nothing else", async () => {
    const hub = open();
    const follower = await follow(hub, { interests: everybody, bytes: 1_000 });
    await joined(follower);
    await inserted(store, ["large"], 50_000);
    expect(await told(follower, 1)).toEqual(["+large"]);
    expect(follower.bytes).toBe(0);
  });

  test("of a commit that was given up in part nothing is told but the gap", async () => {
    const hub = open();
    const follower = await follow(hub, { interests: everybody, bytes: 10_000 });
    await joined(follower);
    await store.transaction(async (transaction) => {
      const own = transaction.collection("app.people");
      for (const id of ids(0, 9)) await own.insert(written(id, { name: "x".repeat(1_000) }));
    });
    await inserted(store, ["after"]);
    expect(await told(follower, 1)).toEqual(["slow", "+after"]);
  });

  test("a quiet follower's position moves on with those of others", async () => {
    const hub = open();
    const quiet = await follow(hub, { interests: named("nobody") });
    const busy = await follow(hub, { interests: everybody });
    await joined(quiet);
    const before = quiet.position;
    await inserted(store, ["a", "b"]);
    await told(busy, 2);
    while (quiet.position === before) await hub.history.progress();
    expect((await store.feed.read(quiet.position, 9)).changes).toEqual([]);
    expect(quiet.position).toBe(busy.position);
  });

  test("what a follower wants may change while it follows", async () => {
    const hub = open();
    const follower = await follow(hub, { interests: named("Ada") });
    await joined(follower);
    follower.set("named", { ...people, filter: eq(fields.name, "Bob") });
    const collection = store.collection("app.people");
    await collection.insert(written("a", { name: "Ada" }));
    await collection.insert(written("b", { name: "Bob" }));
    expect(await told(follower, 1)).toEqual(["+b"]);
    follower.delete("named");
    expect(hub.interests).toBe(0);
  });

  test("a closed follower's next is nothing, and closing twice harms nobody", async () => {
    const hub = open();
    const follower = await follow(hub, { interests: everybody });
    const next = follower.next();
    follower.close();
    follower.close();
    expect(await next).toBeUndefined();
    expect(hub.history.isReading).toBe(false);
  });

  test("whatever goes wrong with reading is tried again, and nothing is lost or told twice", async () => {
    let readings = 0;
    const warned: unknown[] = [];
    const failing: Watched = {
      ...feed,
      read: (position, limit, bytes) => {
        readings += 1;
        return readings % 3 === 0
          ? Promise.reject(new StoreUnavailable("a test"))
          : feed.read(position, limit, bytes);
      },
    };
    const hub = open({ feed: failing, warn: (error) => warned.push(error) });
    const follower = await follow(hub, { interests: everybody });
    await joined(follower);
    for (const id of ids(0, 20)) {
      await inserted(store, [id]);
      expect(await told(follower, 1)).toEqual([`+${id}`]);
    }
    expect(warned[0]).toBeInstanceOf(StoreUnavailable);
  });

  test("a tap hears of every change first, also of those that are recorded by ids, from when it is there", async () => {
    const hub = open();
    const heard: string[] = [];
    const offered: string[] = [];
    await inserted(store, ["before"]);
    const untap = await hub.tap({ take: ({ id }) => heard.push(id), lost: () => heard.push("lost") });
    const follower = await follow(hub, {
      interests: everybody,
      from: await store.feed.head(),
    });
    await joined(follower);
    await store.collection("app.accounts").insert(written("account", {}));
    await inserted(store, ["a", "b"]);
    for (let event = await follower.next(); event?.kind === "commit"; event = await follower.next()) {
      offered.push(...event.deliveries.map(({ change }) => change.id));
      expect(heard.slice(0, -1)).toEqual(expect.arrayContaining(offered.slice(0, -1)));
      expect(heard).toContain(offered.at(-1));
      if (offered.length === 2) break;
    }
    expect(heard).toEqual(["account", "a", "b"]);
    follower.close();
    expect(hub.history.isReading).toBe(true);
    untap();
    untap();
    expect(hub.history.isReading).toBe(false);
    await inserted(store, ["after"]);
    expect(heard).toEqual(["account", "a", "b"]);
  });

  test("a tap is told where history was lost, and of what is committed after that", async () => {
    let isLost = false;
    const losing: Watched = {
      ...feed,
      read: (position, limit, bytes) => {
        if (!isLost) return feed.read(position, limit, bytes);
        isLost = false;
        return Promise.reject(new HistoryExpired());
      },
    };
    const hub = open({ feed: losing });
    const heard: string[] = [];
    await hub.tap({ take: ({ id }) => heard.push(id), lost: () => heard.push("lost") });
    isLost = true;
    await inserted(store, ["a"]);
    while (!heard.includes("lost")) await hub.history.progress();
    await inserted(store, ["b"]);
    while (!heard.includes("b")) await hub.history.progress();
    expect(heard.filter((id) => id !== "a")).toEqual(["lost", "b"]);
  });

  test("a tap of a hub that closes before it can be read is refused", async () => {
    const hub = open({ feed: { ...feed, head: () => Promise.reject(new StoreUnavailable("a test")) } });
    const tapped = failureOf(hub.tap({ take: () => undefined, lost: () => undefined }));
    await hub.history.progress();
    await hub.close();
    expect(await tapped).toBeInstanceOf(Error);
  });

  test("a follower's events are weighed by what they are to it, and counted", async () => {
    const hub = open();
    const counted = await follow(hub, { interests: everybody, events: 5 });
    const both = await follow(hub, { interests: [...everybody, ...named("x".repeat(2_000))] });
    await joined(counted);
    await joined(both);
    await inserted(store, ["a"], 2_000);
    while (both.bytes === 0) await hub.history.progress();
    const bytes = Buffer.byteLength(written("a", { name: "x".repeat(2_000) }).text);
    expect([counted.bytes, both.bytes]).toEqual([bytes + 100, 2 * (bytes + 100)]);
    await both.next();
    expect(both.bytes).toBe(0);
    await store.collection("app.people").remove("a", 1);
    await inserted(store, ids(0, 3));
    expect(await told(both, 4)).toEqual(["-a", "+d0", "+d1", "+d2"]);
    expect(counted.bytes).toBeGreaterThan(0);
    await inserted(store, ["over"]);
    expect(await told(both, 1)).toEqual(["+over"]);
    expect(counted.bytes).toBe(0);
    expect(await counted.next()).toMatchObject({ kind: "gap", why: "slow" });
  });

  test("where all followers of an instance hold too much, the largest loses its queue and is told a gap", async () => {
    const budget = new Budget(20_000);
    const [hub, other] = [open(), open()];
    const small = await follow(hub, { budget, interests: named("x".repeat(10)) });
    const large = await follow(other, { budget, interests: everybody });
    await joined(small);
    await joined(large);
    await inserted(store, ["small"]);
    await inserted(store, ids(0, 9), 1_900);
    while (large.bytes < 9 * 1_900) await other.history.progress();
    while (small.bytes === 0) await hub.history.progress();
    expect(budget.held).toBe(small.bytes + large.bytes);
    await inserted(store, ["over"], 1_900);
    while (large.bytes > 0) await other.history.progress();
    expect(budget.held).toBe(small.bytes);
    expect(await told(small, 1)).toEqual(["+small"]);
    await inserted(store, ["last"]);
    const rest = await told(large, 1);
    expect([rest[0], rest.at(-1)]).toEqual(["slow", "+last"]);
    for (const one of [small, large]) one.close();
    expect(budget.held).toBe(0);
  });

  test("where history was lost while all were there, all are told", async () => {
    let isLost = false;
    const losing: Watched = {
      ...feed,
      read: (position, limit, bytes) => {
        if (!isLost) return feed.read(position, limit, bytes);
        isLost = false;
        return Promise.reject(new HistoryExpired());
      },
    };
    const hub = open({ feed: losing });
    const followers = await Promise.all([1, 2].map(() => follow(hub, { interests: everybody })));
    for (const follower of followers) await joined(follower);
    isLost = true;
    await inserted(store, ["a"]);
    for (const follower of followers)
      expect(await follower.next()).toMatchObject({ kind: "gap", why: "expired" });
    await inserted(store, ["b"]);
    for (const follower of followers) expect((await told(follower, 1)).at(-1)).toBe("+b");
  });
});
