import { describe, expect, test } from "vitest";
import { HistoryExpired } from "../store/contract/errors.ts";
import { written } from "../store/testing/suite/fixtures.ts";
import { Budget } from "./budget.ts";
import { follow, inserted, told, type Watched } from "./testing/followed.ts";
import { everybody, Hubs, ids, joined, named } from "./testing/hubs.ts";

const hubs = Hubs.eachTest();

describe("the hub: gaps, and what followers may hold", () => {
  test("a position that history does not reach back to is a gap, after which it goes on", async () => {
    const hub = hubs.open();
    const follower = await follow(hub, { interests: everybody, from: "x" });
    expect(await follower.next()).toMatchObject({ kind: "gap", why: "expired", from: "x" });
    await joined(follower);
    await inserted(hubs.store, ["a"]);
    expect(await told(follower, 1)).toEqual(["+a"]);
  });

  test("more than somebody is to be given of the past is a gap", async () => {
    const hub = hubs.open();
    const from = await hubs.store.feed.head();
    await inserted(hubs.store, ids(0, 20));
    // Another one, so that it is in memory.
    await joined(await follow(hub, { interests: everybody, from }));
    const follower = await follow(hub, { interests: everybody, from, replay: 10 });
    let gap = await follower.next();
    while (gap?.kind === "commit") gap = await follower.next();
    expect(gap).toMatchObject({ kind: "gap", why: "far" });
    await joined(follower);
    await inserted(hubs.store, ["a"]);
    expect((await told(follower, 1)).at(-1)).toBe("+a");
  });

  test("who is too slow is told a gap and holds nothing; nobody waits for it", async () => {
    const hub = hubs.open();
    const from = await hubs.store.feed.head();
    const slow = await follow(hub, { interests: everybody, bytes: 20_000 });
    const quick = await follow(hub, { interests: everybody });
    await joined(slow);
    const taken: string[] = [];
    for (const id of ids(0, 20)) {
      await inserted(hubs.store, [id], 2_000);
      taken.push(...(await told(quick, 1)));
      expect(slow.bytes).toBeLessThanOrEqual(20_000);
    }
    expect(taken).toEqual(ids(0, 20).map((id) => `+${id}`));
    const { position } = slow;
    const gap = await slow.next();
    expect(gap).toMatchObject({ kind: "gap", why: "slow", from: position });
    // What is told after the gap is what came after it.
    const known = gap?.kind === "gap" ? await hubs.store.feed.read(gap.to, 100) : undefined;
    const rest = known?.changes.map(({ id }) => `+${id}`) ?? [];
    expect(await told(slow, rest.length)).toEqual(rest);
    await inserted(hubs.store, ["last"]);
    expect(await told(slow, 1)).toEqual(["+last"]);
    // And from where it was everything is there still.
    const again = await follow(hub, { interests: everybody, from, bytes: 20_000 });
    expect(await told(again, 21)).toEqual([...taken, "+last"]);
  });

  test("a change larger than all that a follower may hold is delivered where there is nothing else", async () => {
    const hub = hubs.open();
    const follower = await follow(hub, { interests: everybody, bytes: 1_000 });
    await joined(follower);
    await inserted(hubs.store, ["large"], 50_000);
    expect(await told(follower, 1)).toEqual(["+large"]);
    expect(follower.bytes).toBe(0);
  });

  test("of a commit that was given up in part nothing is told but the gap", async () => {
    const hub = hubs.open();
    const follower = await follow(hub, { interests: everybody, bytes: 10_000 });
    await joined(follower);
    await hubs.store.transaction(async (transaction) => {
      const own = transaction.collection("app.people");
      for (const id of ids(0, 9)) await own.insert(written(id, { name: "x".repeat(1_000) }));
    });
    await inserted(hubs.store, ["after"]);
    expect(await told(follower, 1)).toEqual(["slow", "+after"]);
  });

  test("a tap is told where history was lost, and of what is committed after that", async () => {
    let isLost = false;
    const losing: Watched = {
      ...hubs.feed,
      read: (position, limit, bytes) => {
        if (!isLost) return hubs.feed.read(position, limit, bytes);
        isLost = false;
        return Promise.reject(new HistoryExpired());
      },
    };
    const hub = hubs.open({ feed: losing });
    const heard: string[] = [];
    await hub.tap({ take: ({ id }) => heard.push(id), lost: () => heard.push("lost") });
    isLost = true;
    await inserted(hubs.store, ["a"]);
    while (!heard.includes("lost")) await hub.history.progress();
    await inserted(hubs.store, ["b"]);
    while (!heard.includes("b")) await hub.history.progress();
    expect(heard.filter((id) => id !== "a")).toEqual(["lost", "b"]);
  });

  test("a follower's events are weighed by what they are to it, and counted", async () => {
    const hub = hubs.open();
    const counted = await follow(hub, { interests: everybody, events: 5 });
    const both = await follow(hub, { interests: [...everybody, ...named("x".repeat(2_000))] });
    await joined(counted);
    await joined(both);
    await inserted(hubs.store, ["a"], 2_000);
    while (both.bytes === 0) await hub.history.progress();
    const bytes = Buffer.byteLength(written("a", { name: "x".repeat(2_000) }).text);
    expect([counted.bytes, both.bytes]).toEqual([bytes + 100, 2 * (bytes + 100)]);
    await both.next();
    expect(both.bytes).toBe(0);
    await hubs.store.collection("app.people").remove("a", 1);
    await inserted(hubs.store, ids(0, 3));
    expect(await told(both, 4)).toEqual(["-a", "+d0", "+d1", "+d2"]);
    expect(counted.bytes).toBeGreaterThan(0);
    await inserted(hubs.store, ["over"]);
    expect(await told(both, 1)).toEqual(["+over"]);
    expect(counted.bytes).toBe(0);
    expect(await counted.next()).toMatchObject({ kind: "gap", why: "slow" });
  });

  test("where all followers of an instance hold too much, the largest loses its queue and is told a gap", async () => {
    const budget = new Budget(20_000);
    const [hub, other] = [hubs.open(), hubs.open()];
    const small = await follow(hub, { budget, interests: named("x".repeat(10)) });
    const large = await follow(other, { budget, interests: everybody });
    await joined(small);
    await joined(large);
    await inserted(hubs.store, ["small"]);
    await inserted(hubs.store, ids(0, 9), 1_900);
    while (large.bytes < 9 * 1_900) await other.history.progress();
    while (small.bytes === 0) await hub.history.progress();
    expect(budget.held).toBe(small.bytes + large.bytes);
    await inserted(hubs.store, ["over"], 1_900);
    while (large.bytes > 0) await other.history.progress();
    expect(budget.held).toBe(small.bytes);
    expect(await told(small, 1)).toEqual(["+small"]);
    await inserted(hubs.store, ["last"]);
    const rest = await told(large, 1);
    expect([rest[0], rest.at(-1)]).toEqual(["slow", "+last"]);
    for (const one of [small, large]) one.close();
    expect(budget.held).toBe(0);
  });

  test("where history was lost while all were there, all are told", async () => {
    let isLost = false;
    const losing: Watched = {
      ...hubs.feed,
      read: (position, limit, bytes) => {
        if (!isLost) return hubs.feed.read(position, limit, bytes);
        isLost = false;
        return Promise.reject(new HistoryExpired());
      },
    };
    const hub = hubs.open({ feed: losing });
    const followers = await Promise.all([1, 2].map(() => follow(hub, { interests: everybody })));
    for (const follower of followers) await joined(follower);
    isLost = true;
    await inserted(hubs.store, ["a"]);
    for (const follower of followers)
      expect(await follower.next()).toMatchObject({ kind: "gap", why: "expired" });
    await inserted(hubs.store, ["b"]);
    for (const follower of followers) expect((await told(follower, 1)).at(-1)).toBe("+b");
  });
});
