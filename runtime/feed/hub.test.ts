import { describe, expect, test } from "vitest";
import { eq } from "../filter/algebra.ts";
import { StoreUnavailable } from "../store/contract/errors.ts";
import { failureOf, fields, written } from "../store/testing/suite/fixtures.ts";
import type { Follower } from "./follower.ts";
import { type Followed, follow, inserted, people, told, type Watched } from "./testing/followed.ts";
import { everybody, Hubs, ids, joined, named } from "./testing/hubs.ts";

const hubs = Hubs.eachTest();

describe("the hub", () => {
  test("reads the feed while somebody follows, once for all, and not otherwise", async () => {
    const hub = hubs.open();
    await inserted(hubs.store, ["before"]);
    expect([hubs.feed.listeners, hubs.feed.reads.length]).toEqual([0, 0]);
    const followers = await Promise.all(
      Array.from({ length: 20 }, () => follow(hub, { interests: everybody })),
    );
    expect(hub.interests).toBe(1);
    await inserted(hubs.store, ["a"]);
    for (const follower of followers) expect(await told(follower, 1)).toEqual(["+a"]);
    expect(hubs.feed.listeners).toBe(1);
    for (const follower of followers) follower.close();
    expect(hub.history.isReading).toBe(false);
    while (hubs.feed.listeners > 0) await new Promise(setImmediate);
    const { length } = hubs.feed.reads;
    await inserted(hubs.store, ["b"]);
    expect(hubs.feed.reads).toHaveLength(length);
    expect([hub.interests, hub.history.ring.bytes]).toEqual([0, 0]);
    const again = await follow(hub, { interests: everybody });
    await inserted(hubs.store, ["c"]);
    expect(await told(again, 1)).toEqual(["+c"]);
  });

  test("says how far behind its telling is", async () => {
    const hub = hubs.open();
    const seen: (typeof hub.history.untold)[] = [];
    const untap = await hub.tap({ take: () => seen.push(hub.history.untold), lost: () => undefined });
    const follower = await follow(hub, { interests: everybody });
    expect(hub.history.untold).toEqual({ changes: 0, since: undefined });
    await hubs.store.transaction((transaction) =>
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

  test("whoever taps again before they have left the first time is told on, once a change in the end", async () => {
    const hub = hubs.open();
    const heard: string[] = [];
    const listener = { take: ({ id }: { readonly id: string }) => heard.push(id), lost: () => undefined };
    const [first, again] = await Promise.all([hub.tap(listener), hub.tap(listener)]);
    first();
    await inserted(hubs.store, ["a"]);
    while (heard.length === 0) await hub.history.progress();
    again();
    expect(heard).toEqual(["a"]);
  });

  test("a change is one for all, parsed once, and tells each what it is to them", async () => {
    const hub = hubs.open();
    const one = await follow(hub, { interests: [...everybody, ...named("Ada")] });
    const other = await follow(hub, { interests: named("Ada") });
    const collection = hubs.store.collection("app.people");
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
    const hub = hubs.open();
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
    const from = await hubs.store.feed.head();
    const late: Promise<Followed>[] = [];
    const first = await hub.follow({
      interests: everybody,
      wake: () => late.push(follow(hub, { interests: everybody, from })),
    });
    await joined(first);
    turns.splice(0, turns.length, 0);
    count();
    await inserted(hubs.store, ["a", "b"]);
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
    const hub = hubs.open();
    const all = await follow(hub, { interests: everybody });
    const some = await follow(hub, { interests: named("Ada") });
    await hubs.store.transaction(async (transaction) => {
      const own = transaction.collection("app.people");
      await own.insert(written("a", { name: "Ada" }));
      await own.insert(written("b", { name: "Bob" }));
      await own.insert(written("c", { name: "Ada" }));
      await transaction.collection("app.places").insert(written("p", {}));
    });
    await inserted(hubs.store, ["d"]);
    expect(await told(all, 4)).toEqual(["+a +b +c", "+d"]);
    expect(await told(some, 2)).toEqual(["+a +c"]);
  });

  test("who comes back soon is served from memory, and goes on without a gap or a change twice", async () => {
    const hub = hubs.open();
    const first = await follow(hub, { interests: everybody });
    await inserted(hubs.store, ids(0, 30));
    const positions: string[] = [];
    for (let n = 0; n < 30; n++) {
      const event = await first.next();
      if (event?.kind === "commit") positions.push(event.position);
    }
    await hub.history.metAll();
    const reads = hubs.feed.reads.length;
    const back = await Promise.all(positions.map((from) => follow(hub, { interests: everybody, from })));
    const rest = await Promise.all(back.map((follower, n) => (n === 29 ? [] : told(follower, 29 - n))));
    expect(rest.map((said) => said.length)).toEqual(positions.map((_, n) => 29 - n));
    expect(hubs.feed.reads).toHaveLength(reads);
    expect(rest[10]).toEqual(ids(11, 30).map((id) => `+${id}`));
    await inserted(hubs.store, ["last"]);
    for (const follower of back) expect(await told(follower, 1)).toEqual(["+last"]);
  });

  test("who comes back later is served from the hubs.store, while others write, and joins in order", async () => {
    const hub = hubs.open({ ring: { items: 5, bytes: 1_000_000 } });
    const from = await hubs.store.feed.head();
    const steady = await follow(hub, { interests: everybody });
    await inserted(hubs.store, ids(0, 40));
    const writing = inserted(hubs.store, ids(40, 80));
    const late = await Promise.all(
      Array.from({ length: 5 }, () => follow(hub, { interests: everybody, from })),
    );
    await writing;
    const expected = ids(0, 80).map((id) => `+${id}`);
    expect(await told(steady, 80)).toEqual(expected);
    for (const follower of late) expect(await told(follower, 80)).toEqual(expected);
    for (const follower of late) await joined(follower);
    await inserted(hubs.store, ["last"]);
    for (const follower of late) expect(await told(follower, 1)).toEqual(["+last"]);
  });

  test("a quiet follower's position moves on with those of others", async () => {
    const hub = hubs.open();
    const quiet = await follow(hub, { interests: named("nobody") });
    const busy = await follow(hub, { interests: everybody });
    await joined(quiet);
    const before = quiet.position;
    await inserted(hubs.store, ["a", "b"]);
    await told(busy, 2);
    while (quiet.position === before) await hub.history.progress();
    expect((await hubs.store.feed.read(quiet.position, 9)).changes).toEqual([]);
    expect(quiet.position).toBe(busy.position);
  });

  test("what a follower wants may change while it follows", async () => {
    const hub = hubs.open();
    const follower = await follow(hub, { interests: named("Ada") });
    await joined(follower);
    follower.set("named", { ...people, filter: eq(fields.name, "Bob") });
    const collection = hubs.store.collection("app.people");
    await collection.insert(written("a", { name: "Ada" }));
    await collection.insert(written("b", { name: "Bob" }));
    expect(await told(follower, 1)).toEqual(["+b"]);
    follower.delete("named");
    expect(hub.interests).toBe(0);
  });

  test("a closed follower's next is nothing, and closing twice harms nobody", async () => {
    const hub = hubs.open();
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
      ...hubs.feed,
      read: (position, limit, bytes) => {
        readings += 1;
        return readings % 3 === 0
          ? Promise.reject(new StoreUnavailable("a test"))
          : hubs.feed.read(position, limit, bytes);
      },
    };
    const hub = hubs.open({ feed: failing, warn: (error) => warned.push(error) });
    const follower = await follow(hub, { interests: everybody });
    await joined(follower);
    for (const id of ids(0, 20)) {
      await inserted(hubs.store, [id]);
      expect(await told(follower, 1)).toEqual([`+${id}`]);
    }
    expect(warned[0]).toBeInstanceOf(StoreUnavailable);
  });

  test("a tap hears of every change first, also of those that are recorded by ids, from when it is there", async () => {
    const hub = hubs.open();
    const heard: string[] = [];
    const offered: string[] = [];
    await inserted(hubs.store, ["before"]);
    const untap = await hub.tap({ take: ({ id }) => heard.push(id), lost: () => heard.push("lost") });
    const follower = await follow(hub, {
      interests: everybody,
      from: await hubs.store.feed.head(),
    });
    await joined(follower);
    await hubs.store.collection("app.accounts").insert(written("account", {}));
    await inserted(hubs.store, ["a", "b"]);
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
    await inserted(hubs.store, ["after"]);
    expect(heard).toEqual(["account", "a", "b"]);
  });

  test("a tap of a hub that closes before it can be read is refused", async () => {
    const hub = hubs.open({
      feed: { ...hubs.feed, head: () => Promise.reject(new StoreUnavailable("a test")) },
    });
    const tapped = failureOf(hub.tap({ take: () => undefined, lost: () => undefined }));
    await hub.history.progress();
    await hub.close();
    expect(await tapped).toBeInstanceOf(Error);
  });
});
