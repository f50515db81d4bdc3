import { describe, expect, test } from "vitest";
import { type Change, HistoryExpired } from "../contract.ts";
import {
  DAY,
  failureOf,
  HOUR,
  index,
  type Suite,
  shape,
  start,
  stored,
  summary,
  written,
} from "./fixtures.ts";

/** The change feed, and the end of a store. */
export function describeFeed(suite: Suite): void {
  describe("feed", () => {
    const changesSince = async (position: string, limit = 100) => suite.store.feed.read(position, limit);

    test("records inserts, replacements and removals with both images, in order", async () => {
      await suite.store.provision([shape("app.people", { feed: true })]);
      const collection = suite.store.collection("app.people");
      const from = await suite.store.feed.head();
      const first = written("a", { name: "one" });
      const second = written("a", { name: "two" }, { version: 2 });
      await collection.insert(first);
      suite.clock.time = start + 1;
      await collection.replace(1, second);
      await collection.remove("a", 2);
      const changes = await changesSince(from);
      expect(changes.map(({ position: _, ...change }) => change)).toEqual([
        { at: start, collection: "app.people", id: "a", after: stored(first) },
        { at: start + 1, collection: "app.people", id: "a", before: stored(first), after: stored(second) },
        { at: start + 1, collection: "app.people", id: "a", before: stored(second) },
      ]);
      expect(await changesSince(changes[0]?.position ?? "")).toEqual(changes.slice(1));
      expect(await changesSince(from, 2)).toEqual(changes.slice(0, 2));
      expect(await changesSince(await suite.store.feed.head())).toEqual([]);
      expect(changes[2]?.position).toBe(await suite.store.feed.head());
    });

    test("records transactions and expiry, and nothing that did not happen", async () => {
      await suite.store.provision([
        shape("app.people", { feed: true, indexes: [index("by_name", ["name"], true)] }),
      ]);
      const collection = suite.store.collection("app.people");
      const from = await suite.store.feed.head();
      await suite.store.transaction(async (transaction) => {
        await transaction.collection("app.people").insert(written("a", { name: "Ada" }));
        await transaction
          .collection("app.people")
          .insert(written("b", {}, { deletedAt: start, purgeAt: start + HOUR }));
      });
      await Promise.allSettled([
        collection.insert(written("a", {})),
        collection.insert(written("c", { name: "Ada" })),
        collection.replace(7, written("a", {}, { version: 8 })),
        collection.remove("a", 7),
        collection.remove("nothing"),
        suite.store.transaction(async (transaction) => {
          await transaction.collection("app.people").insert(written("d", {}));
          throw new Error("stop");
        }),
      ]);
      suite.clock.time = start + HOUR;
      await collection.removeExpired(10);
      const changes = await changesSince(from);
      expect(changes.map(summary)).toEqual(["+a", "+b", "-b"]);
    });

    test("collections that nothing follows are not recorded", async () => {
      await suite.store.provision([shape("app.people"), shape("app.places", { feed: true })]);
      const from = await suite.store.feed.head();
      await suite.store.collection("app.people").insert(written("a", {}));
      await suite.store.collection("app.places").insert(written("b", {}));
      expect((await changesSince(from)).map(summary)).toEqual(["+b"]);
    });

    test("onCommit calls after each commit that recorded changes, until it is stopped", async () => {
      await suite.store.provision([shape("app.people"), shape("app.places", { feed: true })]);
      let calls = 0;
      const stop = suite.store.feed.onCommit(() => calls++);
      await suite.store.collection("app.people").insert(written("a", {}));
      expect(calls).toBe(0);
      await suite.store.collection("app.places").insert(written("a", {}));
      await suite.store.health();
      expect(calls).toBe(1);
      stop();
      await suite.store.collection("app.places").insert(written("b", {}));
      await suite.store.health();
      expect(calls).toBe(1);
    });

    test("what is made while a listener is told can be read at once", async () => {
      await suite.store.provision([shape("app.people", { feed: true })]);
      const from = await suite.store.feed.head();
      const seen = new Promise<readonly Change[]>((resolve) => {
        suite.store.feed.onCommit(() => resolve(suite.store.feed.read(from, 10)));
      });
      await suite.store.collection("app.people").insert(written("a", {}));
      expect((await seen).map(summary)).toEqual(["+a"]);
    });

    test("keeps a day; a position from before what is kept is HistoryExpired", async () => {
      await suite.store.provision([shape("app.people", { feed: true })]);
      const collection = suite.store.collection("app.people");
      const from = await suite.store.feed.head();
      await collection.insert(written("a", {}));
      const old = await suite.store.feed.head();
      suite.clock.time = start + DAY - HOUR;
      await collection.insert(written("b", {}));
      expect((await changesSince(from)).map(summary)).toEqual(["+a", "+b"]);
      suite.clock.time = start + DAY + HOUR;
      await suite.store.provision([shape("app.people", { feed: true })]);
      expect(await failureOf(changesSince(from))).toBeInstanceOf(HistoryExpired);
      expect((await changesSince(old)).map(summary)).toEqual(["+b"]);
    });

    test("forgets while it runs, and positions still only grow", async () => {
      await suite.store.provision([shape("app.people", { feed: true })]);
      const collection = suite.store.collection("app.people");
      const from = await suite.store.feed.head();
      await collection.insert(written("a", {}));
      const before = await suite.store.feed.head();
      suite.clock.time = start + 2 * DAY;
      for (const id of ["b", "c", "d"]) await collection.insert(written(id, {}));
      expect(await failureOf(changesSince(from))).toBeInstanceOf(HistoryExpired);
      expect((await changesSince(before)).map(summary)).toEqual(["+b", "+c", "+d"]);
    });

    test.each(["", "x", "-1", "1.5", "999999999999", "9".repeat(40)])(
      "position %j of no history is HistoryExpired",
      async (position) => {
        await suite.store.provision([shape("app.people", { feed: true })]);
        expect(await failureOf(changesSince(position))).toBeInstanceOf(HistoryExpired);
      },
    );
  });

  describe("health and close", () => {
    test("health answers while the store can be reached", async () => {
      await suite.people();
      expect(await suite.store.health()).toBeUndefined();
    });

    test("close waits for the writes under way, and may be called twice", async () => {
      const collection = await suite.people();
      const writes = Array.from({ length: 50 }, (_, n) => collection.insert(written(`${n}`, {})));
      await suite.store.close();
      expect((await Promise.allSettled(writes)).every(({ status }) => status === "fulfilled")).toBe(true);
      await suite.store.close();
    });

    test("a closed store refuses writes and queries", async () => {
      const collection = await suite.people();
      await suite.store.close();
      expect(await failureOf(collection.insert(written("a", {})))).toBeInstanceOf(Error);
      expect(await failureOf(collection.get("a", "live"))).toBeInstanceOf(Error);
      expect(await failureOf(suite.store.health())).toBeInstanceOf(Error);
    });
  });
}
