import { describe, expect, test } from "vitest";
import { eq, FALSE, TRUE } from "../../../filter/algebra.ts";
import { fields, idsOf, index, type Suite, start, stored, written } from "./fixtures.ts";

/** Documents by one of their values. */
export function describeLookup(suite: Suite): void {
  describe("lookup", () => {
    const byId = { key: fields.id, filter: TRUE, limit: 100 };
    const sortedIds = async (found: Promise<Parameters<typeof idsOf>[0]>) => idsOf(await found).toSorted();

    test("by id: each document that is named, once, as it was written", async () => {
      const collection = await suite.people();
      const documents = ["a", "b", "c"].map((id) => written(id, { name: id }, { version: 4 }));
      for (const document of documents) await collection.insert(document);
      const found = await collection.lookup({ ...byId, values: ["c", "a", "nothing", "c", ""] });
      expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
        documents.filter(({ id }) => id !== "b").map(stored),
      );
      expect(await collection.lookup({ ...byId, values: [] })).toEqual([]);
    });

    test("by a field with a unique index", async () => {
      const collection = await suite.people(index("name", ["name"], true));
      const names = ["Ada", "ada", "1", 'it\'s "q" 😀', "%"];
      for (const [n, name] of names.entries()) await collection.insert(written(`d${n}`, { name }));
      await collection.insert(written("number", { name: 1 }));
      await collection.insert(written("without", {}));
      const lookup = { key: fields.name, filter: TRUE, limit: 100 };
      expect(await sortedIds(collection.lookup({ ...lookup, values: names }))).toEqual([
        "d0",
        "d1",
        "d2",
        "d3",
        "d4",
      ]);
      expect(await sortedIds(collection.lookup({ ...lookup, values: ["ada", "ADA", "null"] }))).toEqual([
        "d1",
      ]);
    });

    test("only those that satisfy the filter, and are live", async () => {
      const collection = await suite.people(index("tags", ["tags"]));
      await collection.insert(written("a", { name: "x", tags: ["t"] }));
      await collection.insert(written("b", { name: "y", tags: ["t", "u"] }));
      await collection.insert(written("c", { name: "x" }, { deletedAt: start }));
      await collection.insert(written("d", { name: "x" }, { purgeAt: start }));
      const values = ["a", "b", "c", "d"];
      expect(await sortedIds(collection.lookup({ ...byId, values }))).toEqual(["a", "b"]);
      expect(await sortedIds(collection.lookup({ ...byId, values, filter: eq(fields.name, "x") }))).toEqual([
        "a",
      ]);
      expect(await sortedIds(collection.lookup({ ...byId, values, filter: eq(fields.tags, "u") }))).toEqual([
        "b",
      ]);
      expect(await collection.lookup({ ...byId, values, filter: FALSE })).toEqual([]);
    });

    test("of thousands of values; at most as many documents as it is asked for", async () => {
      const collection = await suite.people();
      const ids = Array.from({ length: 3000 }, (_, n) => `d${n}`);
      await collection.load(ids.map((id) => written(id, {})));
      const values = [...ids, ...ids.map((id) => `${id}-other`)];
      expect(await collection.lookup({ ...byId, values, limit: 10_000 })).toHaveLength(3000);
      expect(await collection.lookup({ ...byId, values, limit: 7 })).toHaveLength(7);
    });

    test("of documents whose texts are long together: at least what is longer than was asked for, not all", async () => {
      const collection = await suite.people();
      const ids = Array.from({ length: 1500 }, (_, n) => `d${n}`);
      const name = "x".repeat(1000);
      await collection.load(ids.map((id) => written(id, { name })));
      const lookup = { ...byId, values: ids, limit: 10_000 };
      const found = await collection.lookup({ ...lookup, characters: 100_000 });
      expect(found.reduce((sum, { text }) => sum + text.length, 0)).toBeGreaterThan(100_000);
      expect(found.length).toBeLessThan(1500);
      expect(await collection.lookup({ ...lookup, characters: 10_000_000 })).toHaveLength(1500);
    });
  });
}
