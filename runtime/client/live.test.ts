import { describe, expect, it, vi } from "vitest";
import type { LiveChange } from "./held.ts";
import type { Live, LiveState } from "./live.ts";
import type { SubscriptionEnd } from "./subscriptions.ts";
import { settled } from "./testing/realtime/fake-clock.ts";
import { type Followed, followed } from "./testing/realtime/following.ts";
import type { Order } from "./testing/realtime/scripted-server.ts";

/** What a listener was told, in its order. */
class Told {
  readonly documents: (readonly Order[])[] = [];
  readonly changes: LiveChange<Order>[] = [];
  readonly states: LiveState[] = [];
  readonly ends: SubscriptionEnd[] = [];

  change(documents: readonly Order[], change: LiveChange<Order>): void {
    this.documents.push(documents);
    this.changes.push(change);
  }

  state(state: LiveState): void {
    this.states.push(state);
  }

  ended(end: SubscriptionEnd): void {
    this.ends.push(end);
  }
}

const idsOf = (documents: readonly { id: string }[] = []) => documents.map(({ id }) => id);

/** Until streams are open and lists are loaded. */
async function opened({ clock }: Pick<Followed, "clock">): Promise<void> {
  await clock.pass(2_000);
}

describe("a live query", () => {
  it("is what a list answers, in its order, and follows what is written", async () => {
    const { server, clock, orders } = followed();
    for (const [id, rank] of [
      ["a", 2],
      ["b", null],
      ["c", 1],
      ["d", 3],
    ] as const)
      server.write(id, { rank });
    server.write("e", { status: "done" });
    const told = new Told();
    const live = orders.live({ where: { status: "open" }, order_by: ["-rank"] }, told);
    expect([live.state, live.documents]).toEqual(["connecting", []]);
    await opened({ clock });
    expect(live.state).toBe("live");
    expect(idsOf(told.documents[0])).toEqual(["d", "a", "c", "b"]);

    const before = live.documents;
    server.write("c", { rank: 9 });
    server.write("f", { rank: 2 });
    server.write("a", { status: "done" });
    server.remove("d");
    await settled();
    expect(idsOf(live.documents)).toEqual(["c", "f", "b"]);
    expect(live.documents).not.toBe(before);
    expect(Object.isFrozen(live.documents)).toBe(true);
    expect(live.documents[2]).toBe(before[3]);
    expect(told.changes.flatMap(({ added }) => idsOf(added))).toEqual(["d", "a", "c", "b", "f"]);
    expect(told.changes.flatMap(({ updated }) => idsOf(updated))).toEqual(["c"]);
    expect(told.changes.flatMap(({ removed }) => idsOf(removed))).toEqual(["a", "d"]);
    expect(told.states).toEqual(["live"]);
    live.close();
  });

  it("shows what is told anew of the version that it has, as of images whose versions get ready", async () => {
    const { server, clock, orders } = followed();
    server.write("a", {});
    const live = orders.live({});
    await opened({ clock });
    server.retell("a", 1);
    await settled();
    expect(live.documents).toMatchObject([{ id: "a", note: 1, _meta: { version: 1 } }]);
    live.close();
  });

  it("of an id follows one document, there or not", async () => {
    const { server, clock, orders } = followed();
    const live = orders.live("a");
    await opened({ clock });
    expect([live.state, live.documents]).toEqual(["live", []]);
    server.write("b", {});
    server.write("a", { rank: 1 });
    await settled();
    expect(live.documents).toEqual([server.documents.get("a")]);
    server.remove("a");
    await settled();
    expect(live.documents).toEqual([]);
    live.close();
    for (const id of ["", ".", ".."]) expect(() => orders.live(id)).toThrow(RangeError);
  });

  it("shows no more than its limit, says whether there is more, and fills up what leaves", async () => {
    const { server, clock, orders } = followed();
    for (let at = 10; at < 60; at++) server.write(`d${at}`, { rank: at });
    const live = orders.live({ order_by: ["rank"], limit: 2 });
    await opened({ clock });
    expect([idsOf(live.documents), live.has_more]).toEqual([["d10", "d11"], true]);
    server.write("new", { rank: 1 });
    server.write("far", { rank: 1_000 });
    await settled();
    expect(idsOf(live.documents)).toEqual(["new", "d10"]);
    const { reads } = server;
    server.remove("new");
    server.remove("d10");
    await settled();
    expect(idsOf(live.documents)).toEqual(["d11", "d12"]);
    expect(server.reads, "of what was read beyond the limit").toBe(reads);
    for (let at = 11; at < 50; at++) server.remove(`d${at}`);
    await settled();
    expect(idsOf(live.documents)).toEqual(["d50", "d51"]);
    for (let at = 52; at < 60; at++) server.remove(`d${at}`);
    server.remove("far");
    await settled();
    expect([idsOf(live.documents), live.has_more]).toEqual([["d50", "d51"], false]);
    live.close();
    for (const limit of [0, 1.5, 10_001, Number.NaN])
      expect(() => orders.live({ limit })).toThrow(RangeError);
  });

  it("ignores what is no newer than what was read, whatever came meanwhile", async () => {
    const { server, clock, orders } = followed();
    server.write("a", { rank: 1 });
    server.write("b", { rank: 1 });
    server.isHeld = true;
    const told = new Told();
    const live = orders.live({ order_by: ["rank"] }, told);
    await opened({ clock });
    server.isHeld = false;
    // Between the reading and its arrival, and before the reading as well: it begins anew.
    server.write("a", { rank: 5 });
    server.remove("b");
    server.write("c", { rank: 2 });
    await settled();
    expect(told.documents).toEqual([]);
    server.release();
    await settled();
    expect(told.documents).toHaveLength(1);
    expect(live.documents).toEqual([server.documents.get("c"), server.documents.get("a")]);
    live.close();
  });

  it("never goes back: events of before the reading change nothing", async () => {
    const { server, clock, orders } = followed();
    server.isSlow = true;
    server.write("a", {});
    server.write("b", {});
    const told = new Told();
    const live = orders.live({}, told);
    await opened({ clock });
    const [stream] = server.streams;
    const ready = stream?.waiting ?? 0;
    server.write("a", { rank: 1 });
    server.remove("b");
    server.write("b", { rank: 2 });
    server.write("b", { rank: 3 });
    server.write("a", { rank: 4 });
    stream?.deliver(ready);
    await settled();
    const [shown] = told.documents;
    expect(shown?.map(({ id, _meta }) => [id, _meta.version])).toEqual([
      ["a", 3],
      ["b", 2],
    ]);
    // Of `a`: 2 and 3.
    for (const size of [150, 1_000]) {
      stream?.deliver(size);
      await settled();
      expect(live.documents.find(({ id }) => id === "a")).toBe(shown?.[0]);
    }
    expect(live.documents).toEqual(shown);
    live.close();
  });

  it("is loaded anew after a reset, alone; what is as it was stays the same object", async () => {
    const { server, clock, orders } = followed();
    server.write("a", {});
    server.write("b", { status: "done" });
    const told = new Told();
    const live = orders.live({ where: { status: "open" } }, told);
    const other = orders.live({ where: { status: "done" } });
    await opened({ clock });
    const [kept] = live.documents;
    const { reads } = server;
    const [stream] = server.streams;
    stream?.tell("reset", { subs: [stream.asked[0]?.id], reason: "slow_consumer" });
    await settled();
    expect(server.reads).toBe(reads + 1);
    expect(told.states).toEqual(["live", "behind", "live"]);
    expect(told.changes).toHaveLength(1);
    expect(live.documents[0]).toBe(kept);
    live.close();
    other.close();
  });

  it("shows other members of a document whose version is the same, after access changed", async () => {
    const { server, clock, orders } = followed();
    server.write("a", { rank: 1 });
    const told = new Told();
    const live = orders.live({}, told);
    await opened({ clock });
    const shown = server.documents.get("a");
    if (shown === undefined) throw new Error("it is there");
    const { rank, ...hidden } = shown;
    server.documents.set("a", hidden);
    server.reset("access_changed");
    await settled();
    expect(live.documents).toEqual([hidden]);
    expect(told.changes.at(-1)?.updated).toEqual([hidden]);
    live.close();
  });

  it("is emptied and over where nothing may be read any more; others go on", async () => {
    const { server, clock, orders } = followed();
    server.write("a", {});
    const told = new Told();
    orders.live({}, told);
    await opened({ clock });
    server.refuse = (kind) => (kind === "read" ? { status: 403, code: "forbidden" } : undefined);
    server.reset("access_changed");
    await settled();
    expect(told.documents.at(-1)).toEqual([]);
    expect(told.ends).toMatchObject([{ reason: "refused", error: { code: "forbidden" } }]);
    expect([server.streams, clock.pending]).toEqual([[], 0]);
  });

  it("tries to load again what could not be loaded, and keeps what came meanwhile", async () => {
    const { server, clock, orders } = followed();
    server.write("a", {});
    let refusals = 3;
    server.refuse = (kind) =>
      kind === "read" && refusals-- > 0 ? { status: 503, code: "unavailable" } : undefined;
    const live = orders.live({});
    await clock.pass(100);
    expect(live.state).toBe("connecting");
    server.write("b", {});
    await clock.pass(60_000);
    expect([live.state, idsOf(live.documents)]).toEqual(["live", ["a", "b"]]);
    live.close();
  });

  it("is made again where the configuration changed", async () => {
    const { server, clock, orders } = followed();
    server.write("a", {});
    const live = orders.live({});
    await opened({ clock });
    const [before] = server.openings;
    server.reset("config_changed");
    server.write("b", {});
    await opened({ clock });
    expect(idsOf(live.documents)).toEqual(["a", "b"]);
    expect(server.openings).toHaveLength(2);
    expect(server.openings[1]?.asked[0]?.id).not.toBe(before?.asked[0]?.id);
    server.write("c", {});
    await settled();
    expect(idsOf(live.documents)).toEqual(["a", "b", "c"]);
    live.close();
  });
});

describe("listeners", () => {
  it("that throw, at once or later, break nothing", async () => {
    const complaints = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { server, clock, orders } = followed();
    const mistake = new Error("mine");
    const one = orders.live({}, () => {
      throw mistake;
    });
    const other = orders.live({}, async () => {
      throw mistake;
    });
    await opened({ clock });
    server.write("a", {});
    await settled();
    expect([idsOf(one.documents), idsOf(other.documents)]).toEqual([["a"], ["a"]]);
    expect(complaints.mock.calls).toEqual([[mistake], [mistake], [mistake], [mistake]]);
    complaints.mockRestore();
    one.close();
    other.close();
  });

  it("hear nothing after `close`, also when they call it", async () => {
    const { server, clock, orders } = followed();
    const live: Live<Order> = orders.live({}, (documents) => {
      told.push(documents.length);
      live.close();
    });
    const told: number[] = [];
    await opened({ clock });
    server.write("a", {});
    await opened({ clock });
    expect(told).toEqual([0]);
    expect([live.state, server.streams, clock.pending]).toEqual(["ended", [], 0]);
  });
});

describe("iterating", () => {
  it("gives the latest state each time, with what changed since the one before; leaving the loop closes", async () => {
    const { server, clock, orders } = followed();
    server.write("a", {});
    const steps: string[][] = [];
    const iterated = (async () => {
      for await (const { documents, added, removed } of orders.live({})) {
        steps.push([idsOf(documents).join(), idsOf(added).join(), idsOf(removed).join()]);
        if (documents.length === 0) break;
        // Whoever is slow misses what was between.
        server.write("b", {});
        await settled();
        server.remove("b");
        await settled();
        server.remove("a");
        await settled();
      }
    })();
    await opened({ clock });
    await iterated;
    expect(steps).toEqual([
      ["a", "a", ""],
      ["", "", "a"],
    ]);
    expect([server.streams, clock.pending]).toEqual([[], 0]);
  });

  it("ends with `close`, and throws what ended it", async () => {
    const { server, clock, orders } = followed();
    const closed = orders.live({});
    const iterator = closed[Symbol.asyncIterator]();
    const next = iterator.next();
    closed.close();
    expect(await next).toEqual({ done: true, value: undefined });

    const ended = orders.live({})[Symbol.asyncIterator]();
    const first = ended.next();
    await opened({ clock });
    expect((await first).value).toMatchObject({ documents: [] });
    const second = ended.next();
    server.streams[0]?.tell("session_ended", { reason: "signed_out" });
    await expect(second).rejects.toThrow("the session has ended: signed_out");
  });
});
