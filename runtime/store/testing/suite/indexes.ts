import { describe, expect, test } from "vitest";
import { and, eq, TRUE } from "../../../filter/algebra.ts";
import type { Visibility } from "../../contract/document.ts";
import { DuplicateId, UniqueIndexViolated, UniqueViolation } from "../../contract/errors.ts";
import { bodyOf, failureOf, fields, HOUR, idsOf, index, type Suite, start, written } from "./fixtures.ts";

/** Unique indexes, and making and dropping indexes. */
export function describeIndexes(suite: Suite): void {
  describe("unique indexes", () => {
    test("UniqueViolation names the index; nothing is written", async () => {
      const collection = await suite.people(
        index("by_name", ["name"], true),
        index("by_size", ["size"], true),
      );
      await collection.insert(written("a", { name: "Ada", size: 1 }));
      const failure = await failureOf(collection.insert(written("b", { name: "Bob", size: 1 })));
      expect(failure).toBeInstanceOf(UniqueViolation);
      expect(failure).toMatchObject({ index: "by_size" });
      expect(await collection.count(TRUE, "all")).toBe(1);
      await collection.insert(written("b", { name: "Bob", size: 2 }));
      expect(
        await failureOf(collection.replace(1, written("b", { name: "Ada", size: 2 }, { version: 2 }))),
      ).toMatchObject({
        name: "UniqueViolation",
        index: "by_name",
      });
      expect(bodyOf(await collection.get("b", "live"))["name"]).toBe("Bob");
    });

    test("an id that is taken comes first", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      await collection.insert(written("a", { name: "Ada" }));
      await collection.insert(written("b", { name: "Bob" }));
      for (const name of ["Ada", "Bob"]) {
        const failure = await failureOf(collection.insert(written("a", { name })));
        expect(failure).toBeInstanceOf(DuplicateId);
      }
      expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("Ada");
    });

    test("of several that are violated the first declared is named, whenever they were made", async () => {
      const byName = index("by_name", ["name"], true);
      const bySize = index("by_size", ["size"], true);
      const both = index("both", ["place", "size"], true);
      const before = await suite.people(byName, bySize);
      await before.insert(written("a", { name: "Ada", size: 1, place: "x" }));
      await before.insert(written("b", { name: "Bob", size: 2, place: "y" }));
      const clash = { name: "Ada", size: 1, place: "x" };
      for (const declared of [
        [byName, bySize],
        [bySize, byName, both],
        [both, bySize, byName],
      ]) {
        const collection = await suite.people(...declared);
        const first = { name: "UniqueViolation", index: declared[0]?.name };
        expect(await failureOf(collection.insert(written("c", clash)))).toMatchObject(first);
        expect(await failureOf(collection.load([written("c", clash)]))).toMatchObject(first);
        const replacement = written("b", clash, { version: 2 });
        expect(await failureOf(collection.replace(1, replacement))).toMatchObject(first);
        const other = await failureOf(collection.insert(written("c", { ...clash, size: 3 })));
        expect(other).toMatchObject({ name: "UniqueViolation", index: "by_name" });
      }
    });

    test("compound: all keys together", async () => {
      const collection = await suite.people(index("both", ["name", "-place"], true));
      await collection.insert(written("a", { name: "Ada", place: "x" }));
      await collection.insert(written("b", { name: "Ada", place: "y" }));
      expect(await failureOf(collection.insert(written("c", { name: "Ada", place: "y" })))).toBeInstanceOf(
        UniqueViolation,
      );
    });

    test("a document in which a key is missing or null takes no part", async () => {
      const collection = await suite.people(index("both", ["name", "place"], true));
      for (const body of [{ name: "Ada" }, { name: "Ada", place: null }, { name: "Ada" }, {}, {}]) {
        await collection.insert(written(`${await collection.count(TRUE, "all")}`, body));
      }
      expect(await collection.count(TRUE, "live")).toBe(5);
    });

    test("soft-deleted documents take no part, and clash when they come back", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      await collection.insert(written("a", { name: "Ada" }));
      await collection.replace(1, written("a", { name: "Ada" }, { version: 2, deletedAt: start }));
      await collection.insert(written("b", { name: "Ada" }));
      expect(
        await failureOf(collection.replace(2, written("a", { name: "Ada" }, { version: 3 }))),
      ).toBeInstanceOf(UniqueViolation);
      expect(await collection.get("a", "deleted")).toMatchObject({ version: 2 });
    });

    test("documents past their purgeAt take no part", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      await collection.insert(written("a", { name: "Ada" }, { purgeAt: start + HOUR }));
      expect(await failureOf(collection.insert(written("b", { name: "Ada" })))).toBeInstanceOf(
        UniqueViolation,
      );
      suite.clock.time = start + HOUR;
      await collection.insert(written("b", { name: "Ada" }));
      expect(await collection.count(TRUE, "live")).toBe(1);
    });

    test("true is not 1, 1.0 is 1, and case counts", async () => {
      const collection = await suite.people(
        index("by_size", ["size"], true),
        index("by_name", ["name"], true),
      );
      await collection.insert(written("a", { size: true, name: "Ada" }));
      await collection.insert(written("b", { size: 1, name: "ada" }));
      await collection.insert(written("c", { size: "1", name: "ADA" }));
      const clash = { id: "d", version: 1, text: '{"id":"d","size":1.0}', createdAt: start };
      expect(await failureOf(collection.insert(clash))).toBeInstanceOf(UniqueViolation);
    });
  });

  describe("provision", () => {
    test("is idempotent and keeps documents", async () => {
      const collection = await suite.people(index("name", ["name"]), index("tags", ["tags"]));
      await collection.insert(written("a", { name: "Ada", tags: ["x"] }));
      const again = await suite.people(index("name", ["name"]), index("tags", ["tags"]));
      expect(await again.count(and(eq(fields.name, "Ada"), eq(fields.tags, "x")), "live")).toBe(1);
    });

    test("indexes are made over documents that are there", async () => {
      const before = await suite.people();
      await before.insert(written("a", { name: "Ada", tags: ["x", "y"] }));
      const collection = await suite.people(index("name", ["name"], true), index("tags", ["tags"]));
      expect(await collection.count(eq(fields.tags, "y"), "live")).toBe(1);
      expect(await failureOf(collection.insert(written("b", { name: "Ada" })))).toBeInstanceOf(
        UniqueViolation,
      );
    });

    test("one that deleted documents have as well finds both, is made over what is there, and goes again", async () => {
      const before = await suite.people(index("name", ["name"]));
      await before.insert(written("a", { name: "Ada" }));
      await before.insert(written("b", { name: "Ada" }, { deletedAt: start }));
      const byName = { ...index("name", ["name"]), trash: true };
      const collection = await suite.people(byName);
      await collection.insert(written("c", { name: "Ada" }, { deletedAt: start }));
      await collection.replace(1, written("a", { name: "Ada" }, { version: 2, deletedAt: start }));
      const named = (visibility: Visibility) =>
        collection.find({ filter: eq(fields.name, "Ada"), visibility, limit: 10, skip: 0 });
      expect(idsOf(await named("live"))).toEqual([]);
      expect(idsOf(await named("deleted"))).toEqual(["a", "b", "c"]);
      expect(idsOf(await named("all"))).toEqual(["a", "b", "c"]);
      expect(await collection.count(eq(fields.name, "Ada"), "deleted")).toBe(3);
      const after = await suite.people(index("name", ["name"]));
      expect(await after.count(eq(fields.name, "Ada"), "deleted")).toBe(3);
    });

    test("a unique index that is declared no longer binds no longer", async () => {
      const before = await suite.people(index("name", ["name"], true));
      await before.insert(written("a", { name: "Ada" }));
      const collection = await suite.people();
      await collection.insert(written("b", { name: "Ada" }));
      expect(await collection.count(eq(fields.name, "Ada"), "live")).toBe(2);
    });

    test("an index that is declared otherwise under its name is remade", async () => {
      const before = await suite.people(index("one", ["name"], true));
      await before.insert(written("a", { name: "Ada", place: "x" }));
      const collection = await suite.people(index("one", ["place"], true));
      await collection.insert(written("b", { name: "Ada", place: "y" }));
      expect(await failureOf(collection.insert(written("c", { name: "Bob", place: "y" })))).toMatchObject({
        index: "one",
      });
    });

    test("a unique index that is only named otherwise binds under its new name", async () => {
      const before = await suite.people(index("old", ["name"], true));
      await before.insert(written("a", { name: "Ada" }));
      const collection = await suite.people(index("new", ["name"], true));
      const failure = await failureOf(collection.insert(written("b", { name: "Ada" })));
      expect(failure).toMatchObject({ name: "UniqueViolation", index: "new" });
    });

    test("a key that is an array here and there, and a second one", async () => {
      const collection = await suite.people(index("both", ["name", "place"]));
      await collection.insert(written("a", { name: ["Ada"], place: ["x", "y"] }));
      await collection.insert(written("b", { name: "Ada", place: ["x"] }));
      await collection.replace(1, written("b", { name: ["Ada", "Bob"], place: "x" }, { version: 2 }));
      expect(await collection.count(eq(fields.name, "Ada"), "live")).toBe(0);
      expect(await collection.count(eq(fields.place, "x"), "live")).toBe(1);
    });

    test("UniqueIndexViolated names collection, index and the documents that clash; nothing is lost or changed", async () => {
      const before = await suite.people(index("place", ["place"], true));
      for (const [id, name] of Object.entries({ a: "Ada", b: "Bob", c: "Ada", d: "Bob", e: "Eve" })) {
        await before.insert(written(id, { name, place: id }));
      }
      await before.insert(written("f", { name: "Eve" }, { deletedAt: start }));
      const failure = await failureOf(suite.people(index("by_name", ["name"], true)));
      expect(failure).toBeInstanceOf(UniqueIndexViolated);
      expect(failure).toMatchObject({
        collection: "app.people",
        index: "by_name",
        ids: ["a", "c", "b", "d"],
      });
      expect(await before.count(TRUE, "all")).toBe(6);
      expect(await failureOf(before.insert(written("g", { place: "a" })))).toBeInstanceOf(UniqueViolation);
    });

    test("UniqueIndexViolated lists at most 10 ids", async () => {
      const before = await suite.people();
      for (let n = 0; n < 15; n++) await before.insert(written(`${n}`, { name: "Ada" }));
      const failure = await failureOf(suite.people(index("by_name", ["name"], true)));
      expect(failure instanceof UniqueIndexViolated && failure.ids.length).toBe(10);
    });
  });
}
