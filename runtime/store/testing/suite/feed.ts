import { describe, expect, test } from "vitest";
import { HistoryExpired } from "../../contract/errors.ts";
import { type Change, FEED_BYTES } from "../../contract/feed.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import {
  changesSince,
  DAY,
  documentIn,
  failureOf,
  HOUR,
  index,
  read,
  type Suite,
  shape,
  start,
  stored,
  summary,
  written,
} from "./fixtures.ts";
import { warningOf } from "./warnings.ts";

/** The change feed, and the end of a store. */
export function describeFeed(suite: Suite): void {
  const isClocked = suite.traits.history === "clock";

  describe("feed", () => {
    const followed = async (
      shapes: readonly CollectionShape[] = [shape("app.people", { feed: "documents" })],
    ) => {
      await suite.store.provision(shapes);
      return { collection: suite.store.collection("app.people"), from: await suite.store.feed.head() };
    };
    test("records inserts, replacements and removals with both images, in order", async () => {
      const { collection, from } = await followed();
      const first = written("a", { name: "one" });
      const second = written("a", { name: "two" }, { version: 2 });
      await collection.insert(first);
      suite.clock.time = start + 1;
      await collection.replace(1, second);
      await collection.remove("a", 2);
      const changes = await changesSince(suite, from, 3);
      const told = { recorded: "documents", collection: "app.people", id: "a" };
      expect(changes.map(({ position: _, commit: ___, isLast: ____, at: __, ...change }) => change)).toEqual([
        { ...told, after: stored(first) },
        { ...told, before: stored(first), after: stored(second) },
        { ...told, before: stored(second) },
      ]);
      const times = changes.map(({ at }) => at);
      if (isClocked) expect(times).toEqual([start, start + 1, start + 1]);
      else expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(await changesSince(suite, changes[0]?.position ?? "", 2)).toEqual(changes.slice(1));
      expect(await changesSince(suite, from, 2, 2)).toEqual(changes.slice(0, 2));
    });

    test("the head is after everything acknowledged before", async () => {
      const { collection, from } = await followed();
      expect(await changesSince(suite, from, 0)).toEqual([]);
      for (const id of ["a", "b", "c"]) {
        await collection.insert(written(id, {}));
        expect(await changesSince(suite, await suite.store.feed.head(), 0)).toEqual([]);
      }
      const head = await suite.store.feed.head();
      const changes = await changesSince(suite, from, 3);
      expect(changes.map(summary)).toEqual(["+a", "+b", "+c"]);
      if (isClocked) expect(changes[2]?.position).toBe(head);
      await collection.insert(written("d", {}));
      expect((await changesSince(suite, head, 1)).map(summary)).toEqual(["+d"]);
    });

    test("positions are ordered, as far as is told, as what they are of; what can be none is not", async () => {
      const { feed } = suite.store;
      const { collection, from } = await followed();
      for (const id of ["a", "b"]) await collection.insert(written(id, {}));
      const later = await feed.head();
      await suite.store.transaction(async (transaction) => {
        for (const id of ["c", "d"]) await transaction.collection("app.people").insert(written(id, {}));
      });
      const changes = await changesSince(suite, from, 4);
      const positions = [from, ...changes.map(({ position }) => position), await feed.head()];
      const orders = positions.map((position) => feed.order(position) ?? "none");
      expect(orders).toEqual(orders.toSorted());
      expect(String(feed.order(later)) < String(orders[3])).toBe(true);
      for (const position of ["", "x", "-1", "1.5", "82\n"]) expect(feed.order(position)).toBeUndefined();
    });

    test("records transactions and expiry, and nothing that did not happen", async () => {
      const { collection, from } = await followed([
        shape("app.people", { feed: "documents", indexes: [index("by_name", ["name"], true)] }),
      ]);
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
      const changes = await changesSince(suite, from, 3);
      expect(changes.map(summary)).toEqual(["+a", "+b", "-b"]);
    });

    test("a page may end between the changes of a transaction, and the next one goes on there", async () => {
      const { from } = await followed([
        shape("app.people", { feed: "documents" }),
        shape("app.places", { feed: "documents" }),
      ]);
      const ids = Array.from({ length: 10 }, (_, n) => `d${n}`);
      await suite.store.transaction(async (transaction) => {
        for (const [n, id] of ids.entries()) {
          await transaction.collection(n % 2 === 0 ? "app.people" : "app.places").insert(written(id, {}));
        }
      });
      const all = await changesSince(suite, from, 10);
      const read: Change[] = [];
      for (let position = from; read.length < 10; position = read.at(-1)?.position ?? "") {
        read.push(...(await changesSince(suite, position, 1, 3)));
      }
      expect(read).toEqual(all);
      expect(read.map(({ collection, id }) => `${collection} ${id}`)).toEqual(
        ids.map((id, n) => `app.${n % 2 === 0 ? "people" : "places"} ${id}`),
      );
    });

    test("changes say what was committed together, and which is the last of it, also where a page ends within", async () => {
      const { collection, from } = await followed([
        shape("app.people", { feed: "documents" }),
        shape("app.places", { feed: "documents" }),
      ]);
      const inOne = (...ids: readonly string[]) =>
        suite.store.transaction(async (transaction) => {
          for (const id of ids) await transaction.collection("app.people").insert(written(id, {}));
          await transaction.collection("app.places").insert(written(`${ids[0]}x`, {}));
        });
      const failing = suite.store.transaction(async (transaction) => {
        await transaction.collection("app.people").insert(written("never", {}));
        throw new Error("stop");
      });
      // On the embedded engine these share one wait for the disk, and are different commits all the same.
      await Promise.all([inOne("a", "b", "c"), failureOf(failing), collection.insert(written("d", {}))]);
      await inOne("e");
      await collection.remove("d", 1);
      const all = await changesSince(suite, from, 8);
      const commits = new Map<string, string[]>();
      for (const change of all)
        commits.set(change.commit, [...(commits.get(change.commit) ?? []), change.id]);
      const together = [...commits.values()].map((ids) => ids.join(" "));
      expect(together.slice(0, 2).sort()).toEqual(["a b c ax", "d"]);
      expect(together.slice(2)).toEqual(["e ex", "d"]);
      expect(
        all
          .filter(({ isLast }) => isLast)
          .map(({ id }) => id)
          .sort(),
      ).toEqual(["ax", "d", "d", "ex"]);
      for (const limit of [1, 2, 3]) {
        const read: Change[] = [];
        for (let position = from; read.length < 8; position = read.at(-1)?.position ?? "")
          read.push(...(await changesSince(suite, position, 1, limit)));
        expect(read).toEqual(all);
      }
    });

    test("a reader may ask for fewer bytes at once; a page says where the next one begins", async () => {
      const { collection, from } = await followed();
      for (const id of ["a", "b", "c"]) await collection.insert(written(id, { name: "é".repeat(500) }));
      await changesSince(suite, from, 3);
      const { changes, position } = await suite.store.feed.read(from, 100, 1_500);
      expect(changes.map(summary)).toEqual(["+a", "+b"]);
      const rest = await suite.store.feed.read(position, 100, 1_500);
      expect(rest.changes.map(summary)).toEqual(["+c"]);
      expect((await suite.store.feed.read(rest.position, 100)).changes).toEqual([]);
    });

    describe("of a collection whose changes are recorded by ids", () => {
      const byIds = () =>
        followed([shape("app.people", { feed: "ids" }), shape("app.places", { feed: "documents" })]);

      test("it tells that each was inserted, replaced and removed, and none of its texts, in order with others", async () => {
        const { collection, from } = await byIds();
        await collection.insert(written("a", { name: "a secret" }));
        await suite.store.collection("app.places").insert(written("p", {}));
        await collection.replace(1, written("a", { name: "another" }, { version: 2 }));
        await suite.store.transaction(async (transaction) => {
          await transaction.collection("app.places").remove("p", 1);
          await transaction.collection("app.people").remove("a", 2);
        });
        const changes = await changesSince(suite, from, 5);
        expect(changes.map(summary)).toEqual(["=a", "+p", "=a", "-p", "=a"]);
        expect(changes.map(({ isLast }) => isLast)).toEqual([true, true, true, false, true]);
        const members = ["at", "collection", "commit", "id", "isLast", "position", "recorded"];
        for (const change of changes.filter(({ id }) => id === "a"))
          expect(Object.keys(change).sort()).toEqual(members);
        expect(JSON.stringify(changes)).not.toContain("secret");
      });

      test("what expires, is loaded or stands in the way is told, and nothing that did not happen", async () => {
        const { collection, from } = await byIds();
        await collection.insert(written("a", {}, { deletedAt: start, purgeAt: start + HOUR }));
        await collection.insert(written("b", {}, { deletedAt: start, purgeAt: start + HOUR }));
        await collection.replace(7, written("a", {}, { version: 8 }));
        await collection.remove("a", 7);
        suite.clock.time = start + HOUR;
        await collection.removeExpired(10);
        await collection.load([written("c", {})]);
        await collection.load([written("c", {}, { version: 2 })]);
        const changes = (await changesSince(suite, from, 6)).map(summary);
        expect(changes.slice(2, 4).sort()).toEqual(["=a", "=b"]);
        expect(changes).toEqual(["=a", "=b", ...changes.slice(2, 4), "=c", "=c"]);
      });
    });

    test.each(["ids", "documents"] as const)(
      "history in which changes were not recorded by %s as they are now is expired, or has all of them",
      async (feed) => {
        const places = shape("app.places", { feed: "documents" });
        const { collection, from } = await followed([shape("app.people", { feed }), places]);
        await collection.insert(written("a", {}));
        await changesSince(suite, from, 1);
        const off = await followed([shape("app.people"), places]);
        await off.collection.insert(written("b", {}));
        const on = await followed([shape("app.people", { feed }), places]);
        await on.collection.insert(written("c", {}));
        const signs = feed === "ids" ? "=a =b =c" : "+a +b +c";
        const tail = feed === "ids" ? ["=c"] : ["+c"];
        expect((await changesSince(suite, on.from, 1)).map(summary)).toEqual(tail);
        const whole = await changesSince(suite, from, 3).catch((error: unknown) => error);
        if (isClocked) expect(whole).toBeInstanceOf(HistoryExpired);
        else expect(Array.isArray(whole) && whole.map(summary).join(" ")).toBe(signs);
      },
    );

    test("where texts are recorded no longer those that were are told no more", async () => {
      const { collection, from } = await followed();
      await collection.insert(written("a", { name: "a secret" }));
      await changesSince(suite, from, 1);
      await suite.store.provision([shape("app.people", { feed: "ids" })]);
      const changes = await changesSince(suite, from, 1).catch((error: unknown) => error);
      if (isClocked) expect(changes).toBeInstanceOf(HistoryExpired);
      else expect(Array.isArray(changes) && changes.map(summary)).toEqual(["=a"]);
    });

    test("collections that nothing follows are not recorded", async () => {
      const { collection, from } = await followed([
        shape("app.people"),
        shape("app.places", { feed: "documents" }),
      ]);
      await collection.insert(written("a", {}));
      await suite.store.collection("app.places").insert(written("b", {}));
      expect((await changesSince(suite, from, 1)).map(summary)).toEqual(["+b"]);
    });

    test("where nothing is followed there is a head, and nothing after it", async () => {
      const { collection, from } = await followed([shape("app.people")]);
      await collection.insert(written("a", {}));
      expect(await read(suite.store.feed, from, 10)).toEqual([]);
    });

    test.runIf(isClocked)(
      "onCommit calls after each commit that recorded changes, until it is stopped",
      async () => {
        await suite.store.provision([shape("app.people"), shape("app.places", { feed: "documents" })]);
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
      },
    );

    test("onCommit calls back after changes, for each time that it was called, until it is stopped", async () => {
      const { collection, from } = await followed();
      const calls = [0, 0];
      const listener = () => (calls[0] = (calls[0] ?? 0) + 1);
      const stops = [suite.store.feed.onCommit(listener), suite.store.feed.onCommit(listener)];
      let done = () => {};
      suite.store.feed.onCommit(() => done());
      const told = () => new Promise<void>((resolve) => (done = resolve));
      const insert = async (id: string, count: number) => {
        for (let next = told(); ; next = told()) {
          if (id !== "") await collection.insert(written(id, {}));
          id = "";
          await next;
          if ((await read(suite.store.feed, from, 10)).length === count) return;
        }
      };
      await insert("a", 1);
      const both = calls[0] ?? 0;
      expect(both).toBeGreaterThanOrEqual(2);
      expect(both % 2).toBe(0);
      stops[0]?.();
      await insert("b", 2);
      expect(calls[0]).toBeGreaterThan(both);
      stops[1]?.();
      const last = calls[0];
      await insert("c", 3);
      expect(calls[0]).toBe(last);
    });

    test("a listener that throws harms nobody", async () => {
      const { collection, from } = await followed();
      const own = new Error("a listener's own");
      const stop = suite.store.feed.onCommit(() => {
        throw own;
      });
      const warned = warningOf(own, stop);
      const told = new Promise<void>((resolve) => {
        suite.store.feed.onCommit(resolve);
      });
      await collection.insert(written("a", {}));
      await told;
      await warned;
      expect((await changesSince(suite, from, 1)).map(summary)).toEqual(["+a"]);
    });

    test("what is made while a listener is told can be read at once", async () => {
      const { collection, from } = await followed();
      const seen = new Promise<readonly Change[]>((resolve, reject) => {
        suite.store.feed.onCommit(() => {
          read(suite.store.feed, from, 10).then((changes) => changes.length > 0 && resolve(changes), reject);
        });
      });
      await collection.insert(written("a", {}));
      expect((await seen).map(summary)).toEqual(["+a"]);
    });

    test.runIf(isClocked)("keeps a day; a position from before what is kept is HistoryExpired", async () => {
      const { collection, from } = await followed();
      await collection.insert(written("a", {}));
      const old = await suite.store.feed.head();
      suite.clock.time = start + DAY - HOUR;
      await collection.insert(written("b", {}));
      expect((await changesSince(suite, from, 2)).map(summary)).toEqual(["+a", "+b"]);
      suite.clock.time = start + DAY + HOUR;
      await suite.store.provision([shape("app.people", { feed: "documents" })]);
      expect(await failureOf(changesSince(suite, from, 1))).toBeInstanceOf(HistoryExpired);
      expect((await changesSince(suite, old, 1)).map(summary)).toEqual(["+b"]);
    });

    test.runIf(isClocked)("forgets while it runs, and positions still only grow", async () => {
      const { collection, from } = await followed();
      await collection.insert(written("a", {}));
      const before = await suite.store.feed.head();
      suite.clock.time = start + 2 * DAY;
      for (const id of ["b", "c", "d"]) await collection.insert(written(id, {}));
      expect(await failureOf(changesSince(suite, from, 1))).toBeInstanceOf(HistoryExpired);
      expect((await changesSince(suite, before, 3)).map(summary)).toEqual(["+b", "+c", "+d"]);
    });

    test.runIf(isClocked)("forgets all that is due after one commit", async () => {
      const { collection } = await followed();
      await suite.store.transaction(async (transaction) => {
        const own = transaction.collection("app.people");
        for (let n = 0; n < 3_000; n++) await own.insert(written(`${n}`, {}));
      });
      const old = `${Number(await suite.store.feed.head()) - 1}`;
      suite.clock.time = start + 2 * DAY;
      await collection.insert(written("last", {}));
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      expect(await failureOf(read(suite.store.feed, old, 1))).toBeInstanceOf(HistoryExpired);
    });

    const malformed = ["", "x", "-1", "1.5", "82.a", "82\n"];
    const foreign = ["999999999999", "9".repeat(40)];
    test.each([...malformed, ...foreign])("position %j of no history is HistoryExpired", async (position) => {
      await followed();
      expect(await failureOf(read(suite.store.feed, position, 10))).toBeInstanceOf(HistoryExpired);
    });

    test("what is read at once is bounded in bytes too; whoever goes on meets every change once", async () => {
      const { collection, from } = await followed();
      const name = "x".repeat(3_000_000);
      for (let n = 0; n < 7; n++) await collection.insert(written(`${n}`, n % 2 === 0 ? { name } : {}));
      const ids: string[] = [];
      let position = from;
      while (ids.length < 7) {
        const page = await changesSince(suite, position, 1);
        const characters = page.map((change) => documentIn(change).after?.text.length ?? 0);
        expect(characters.slice(0, -1).reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(FEED_BYTES);
        ids.push(...page.map(({ id }) => id));
        position = page.at(-1)?.position ?? position;
      }
      expect(ids).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
      const whole = await read(suite.store.feed, from, 100);
      expect(whole.map(({ id }) => id)).toEqual(["0", "1", "2", "3", "4"]);
    });

    test("a closed store's feed refuses readers, and can be stopped listening to", async () => {
      const { from } = await followed();
      const stop = suite.store.feed.onCommit(() => undefined);
      await suite.store.close();
      expect(await failureOf(read(suite.store.feed, from, 10))).toBeInstanceOf(Error);
      expect(await failureOf(suite.store.feed.head())).toBeInstanceOf(Error);
      stop();
    });
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
