import { describe, expect, test } from "vitest";
import { and, eq, TRUE } from "../../../filter/algebra.ts";
import { documentFields } from "../../../filter/fields.ts";
import type { TextIndex } from "../../../filter/search/text-index.ts";
import { until } from "../../../testing/until.ts";
import type { StoreCollection } from "../../contract/collection.ts";
import { IndexBuilding } from "../../contract/errors.ts";
import { fillTexts } from "../texts.ts";
import { failureOf, HOUR, idsOf, type Suite, start, written } from "./fixtures.ts";
import { declared, everything, notesOf, searching } from "./notes.ts";

/** Text indexes: how they follow writes, and how they come to be. */
export function describeTextIndexes(suite: Suite): void {
  const { provisioned, notes, found, ranked } = notesOf(suite);
  /** By ourselves, or by the instances that share the store. */
  const built = async (collection: StoreCollection, text: TextIndex) => {
    await fillTexts(suite.store);
    const search = () => collection.count(searching(text, "anything"), "live");
    await until(search);
  };

  describe("the text index follows every write", () => {
    test("update, patch of other fields, soft delete, restore, removal", async () => {
      const collection = await notes({ a: { title: "red" }, b: { title: "red" } });
      const count = (value: string) => collection.count(searching(everything, value), "all");
      await collection.replace(1, written("a", { title: "blue" }, { version: 2 }));
      expect([await count("red"), await count("blue")]).toEqual([1, 1]);
      await collection.replace(2, written("a", { title: "blue", size: 5 }, { version: 3 }));
      expect(await count("blue")).toBe(1);
      await collection.replace(3, written("a", { title: "blue" }, { version: 4, deletedAt: start }));
      expect(await found(collection, "blue")).toEqual([]);
      expect(await count("blue")).toBe(1);
      await collection.replace(4, written("a", { title: "blue" }, { version: 5 }));
      expect(await found(collection, "blue")).toEqual(["a"]);
      await collection.remove("a", 5);
      expect([await count("blue"), await count("red")]).toEqual([0, 1]);
    });

    test("another language alone, and strings that become arrays", async () => {
      const collection = await notes({ a: { title: "running", tags: "one two" } });
      await collection.replace(
        1,
        written("a", { title: "running", tags: ["one two"], lang: "de" }, { version: 2 }),
      );
      expect(await found(collection, "run")).toEqual([]);
      expect(await found(collection, searching(everything, "running", "de"))).toEqual(["a"]);
      await collection.replace(2, written("a", { title: "x", tags: ["one", "two"] }, { version: 3 }));
      expect(await found(collection, '"one two"')).toEqual([]);
    });

    test("documents past their purgeAt are found no more, before and after they are removed", async () => {
      const collection = await notes({ b: { title: "red" } });
      await collection.insert(written("a", { title: "red" }, { deletedAt: start, purgeAt: start + HOUR }));
      suite.clock.time = start + HOUR;
      expect(await collection.count(searching(everything, "red"), "all")).toBe(1);
      await collection.removeExpired(10);
      expect(await collection.count(searching(everything, "red"), "all")).toBe(1);
      await collection.insert(written("a", { title: "blue" }));
      expect(await found(collection, "red blue")).toEqual(["a", "b"]);
    });

    test("a transaction that fails leaves it as it was", async () => {
      const collection = await notes({ a: { title: "red" } });
      const work = suite.store.transaction(async (transaction) => {
        await transaction.collection("app.notes").insert(written("b", { title: "red" }));
        await transaction.collection("app.notes").remove("a", 1);
        throw new Error("changed my mind");
      });
      await failureOf(work);
      expect(await found(collection, "red")).toEqual(["a"]);
    });
  });

  describe("Full-text search 7: declarations", () => {
    const many = async (text: TextIndex | undefined) => {
      const collection = await provisioned(text);
      const inserts = Array.from({ length: 200 }, (_, n) =>
        collection.insert(written(`${n}`, { title: `running ${n}`, body: "houses" })),
      );
      await Promise.all(inserts);
      return collection;
    };

    test("searches throw IndexBuilding until an index over documents is made; everything else goes on", async () => {
      await many(undefined);
      const collection = await provisioned(everything);
      const filter = searching(everything, "run");
      const attempts = [
        () => found(collection, and(filter, eq(documentFields.id, "1"))),
        () => collection.count(filter, "live"),
        () => ranked(collection, filter),
        () =>
          collection.aggregate({ filter, visibility: "live", groupBy: [], metrics: [], order: [], limit: 1 }),
      ];
      const failures = await Promise.all(attempts.map((attempt) => failureOf(attempt())));
      for (const failure of failures) {
        expect(failure).toBeInstanceOf(IndexBuilding);
        expect(failure).toMatchObject({ retryAfter: expect.any(Number) });
        if (failure instanceof IndexBuilding) expect(failure.retryAfter).toBeGreaterThanOrEqual(1);
      }
      expect(await collection.count(TRUE, "live")).toBe(200);
      await built(collection, everything);
      expect(await collection.count(filter, "live")).toBe(200);
    });

    test("an empty collection is searched at once, and so is one whose index is as declared", async () => {
      const collection = await many(everything);
      expect(await collection.count(searching(everything, "run"), "live")).toBe(200);
      const again = await provisioned(declared());
      expect(await again.count(searching(everything, "run"), "live")).toBe(200);
    });

    test.each([
      ["fields", declared({ title: 10 })],
      ["languages", declared(undefined, "de")],
    ])("other %s: the index is replaced", async (_, other) => {
      await many(everything);
      const collection = await provisioned(other);
      expect(await failureOf(collection.count(searching(other, "running"), "live"))).toBeInstanceOf(
        IndexBuilding,
      );
      await built(collection, other);
      expect(await collection.count(searching(other, "running"), "live")).toBe(200);
      const hasBody = other.fields.some(({ field }) => field.path === "body");
      expect(await collection.count(searching(other, "houses"), "live")).toBe(hasBody ? 200 : 0);
    });

    test("other weights count as soon as the index is searched again", async () => {
      await many(everything);
      const heavyBody = declared({ title: 1, body: 9, tags: 5, lines: 1 });
      const collection = await provisioned(heavyBody);
      await built(collection, heavyBody);
      await collection.insert(written("t", { title: "zebra", body: "filler" }));
      await collection.insert(written("u", { title: "filler", body: "zebra" }));
      const ranked = (text: TextIndex) =>
        collection.find({
          filter: searching(text, "zebra"),
          visibility: "live",
          order: "relevance",
          limit: 2,
          skip: 0,
        });
      expect(idsOf(await ranked(heavyBody))).toEqual(["u", "t"]);
    });

    test("what is written meanwhile is indexed as written", async () => {
      await many(undefined);
      const collection = await provisioned(everything);
      await Promise.all([
        collection.insert(written("new", { title: "fresh" })),
        collection.replace(1, written("0", { title: "changed" }, { version: 2 })),
        collection.replace(1, written("199", { title: "changed" }, { version: 2 })),
        collection.remove("1", 1),
        collection.remove("198", 1),
      ]);
      await built(collection, everything);
      expect(await found(collection, "fresh")).toEqual(["new"]);
      expect(await collection.count(searching(everything, "changed"), "live")).toBe(2);
      expect(await collection.count(searching(everything, "run"), "live")).toBe(196);
      await collection.replace(2, written("0", { title: "again" }, { version: 3 }));
      expect(await collection.count(searching(everything, "changed"), "live")).toBe(1);
    });

    test("provisioned twice in a row, the last declaration counts", async () => {
      await many(undefined);
      await provisioned(everything);
      const other = declared({ body: 3 });
      const collection = await provisioned(other);
      await built(collection, other);
      expect(await collection.count(searching(other, "houses"), "live")).toBe(200);
      expect(await collection.count(searching(other, "running"), "live")).toBe(0);
    });

    test("declared no longer and then again: made anew", async () => {
      await many(everything);
      const without = await provisioned(undefined);
      await without.replace(1, written("0", { title: "written without" }, { version: 2 }));
      const collection = await provisioned(everything);
      await built(collection, everything);
      expect(await found(collection, "written")).toEqual(["0"]);
      expect(await collection.count(searching(everything, "run"), "live")).toBe(199);
    });
  });
}
