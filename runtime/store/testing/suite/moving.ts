import { describe, expect, test } from "vitest";
import { eq, TRUE } from "../../../filter/algebra.ts";
import type { StoreCollection } from "../../contract/collection.ts";
import type { DocumentWrite } from "../../contract/document.ts";
import {
  bodyOf,
  changesSince,
  DAY,
  failureOf,
  fields,
  idsOf,
  index,
  type Suite,
  shape,
  start,
  summary,
  written,
} from "./fixtures.ts";

/** Moving whole collections to another store. */
export function describeMoving(suite: Suite): void {
  /** Everything in a collection, by pages of two. */
  const scanned = async (collection: StoreCollection) => {
    const all: DocumentWrite[] = [];
    for (;;) {
      const page = await collection.scan(all.at(-1)?.id, 2);
      if (page.length === 0) return all;
      all.push(...page);
    }
  };

  describe("scan", () => {
    test("answers what was written, deleted documents too, in the order of ids", async () => {
      const collection = await suite.people();
      const writes = [
        written("B", { name: "live" }, { version: 7, createdAt: start - 1 }),
        written("a", { name: "é😀" }),
        written("b", {}, { version: 0 }),
        written("c", {}, { version: 2, deletedAt: start + 1, purgeAt: start + DAY }),
        written("d", {}, { deletedAt: start + 2 }),
        written("ä", {}, { purgeAt: start + DAY }),
        {
          id: "ö",
          version: 4,
          text: '{"id":"ö"}',
          createdAt: start - 5,
          deletedAt: undefined,
          purgeAt: undefined,
        },
      ];
      for (const write of [...writes].reverse()) await collection.insert(write);
      expect(await scanned(collection)).toEqual(writes);
      expect(await collection.scan("c", 10)).toEqual(writes.slice(4));
      expect(await collection.scan("ö", 10)).toEqual([]);
      suite.clock.time = start + DAY;
      expect((await collection.scan(undefined, 10)).map(({ id }) => id)).toEqual(["B", "a", "b", "d", "ö"]);
    });

    test("tells the number of each document's form, which load keeps and other writes make the newest", async () => {
      const [old, now] = [shape("app.formed"), { ...shape("app.formed"), form: 7 }];
      await suite.store.provision([old]);
      await suite.store.collection("app.formed").insert(written("a", { name: "before any" }));
      await suite.store.provision([now]);
      const collection = suite.store.collection("app.formed");
      const forms = async () => (await collection.scan(undefined, 10)).map(({ id, form }) => [id, form]);
      await collection.insert(written("b", {}));
      await collection.load([{ ...written("c", {}), form: 3 }]);
      expect(await forms()).toEqual([
        ["a", 0],
        ["b", 7],
        ["c", 3],
      ]);
      expect(await collection.get("c", "live")).toMatchObject({ form: 3 });
      await collection.modify("a", "live", (found) => {
        expect(found?.form).toBe(0);
        return { kind: "replace", document: written("a", {}, { version: 2 }) };
      });
      expect(
        await collection.replace(1, { ...written("c", {}, { version: 2, deletedAt: start }), form: 4 }),
      ).toBe(true);
      expect(await forms()).toEqual([
        ["a", 7],
        ["b", 7],
        ["c", 4],
      ]);
      await suite.store.provision([old]);
      const older = suite.store.collection("app.formed");
      expect(await older.get("a", "live")).toMatchObject({ form: 7 });
      expect(await older.replace(2, written("a", {}, { version: 3 }))).toBe(true);
      expect((await older.get("a", "live"))?.form).toBeUndefined();
    });

    test("ends where the texts are longer than asked for together", async () => {
      const collection = await suite.people();
      const text = "x".repeat(1_000);
      for (const id of ["a", "b", "c", "d", "e"]) await collection.insert(written(id, { text }));
      const ids = async (after: string | undefined, characters?: number) =>
        (await collection.scan(after, 4, characters)).map(({ id }) => id);
      expect(await ids(undefined)).toEqual(["a", "b", "c", "d"]);
      expect(await ids(undefined, 2_500)).toEqual(["a", "b", "c"]);
      expect(await ids("c", 2_500)).toEqual(["d", "e"]);
    });
  });

  describe("load", () => {
    test("writes documents as they are, in place of those that have their ids", async () => {
      const collection = await suite.people(index("by_name", ["name"], true), index("tags", ["tags"]));
      await collection.insert(written("a", { name: "old", tags: ["x"] }, { version: 9 }));
      await collection.insert(written("kept", { name: "kept" }));
      const writes = [
        written("a", { name: "Ada", tags: ["y"] }, { version: 3, createdAt: start - DAY }),
        written("b", { name: "Bob" }, { deletedAt: start, purgeAt: start + DAY }),
        written("c", { name: "Bob" }),
      ];
      await collection.load(writes);
      await collection.load(writes);
      await collection.load([]);
      expect(await scanned(collection)).toEqual([...writes, written("kept", { name: "kept" })]);
      const found = async (tag: string) =>
        idsOf(await collection.find({ filter: eq(fields.tags, tag), visibility: "live", limit: 9, skip: 0 }));
      expect(await found("x")).toEqual([]);
      expect(await found("y")).toEqual(["a"]);
      expect(await collection.replace(3, written("a", { name: "Eve" }, { version: 4 }))).toBe(true);
    });

    test("what it loads into another collection is read there as here", async () => {
      await suite.store.provision([shape("app.people"), shape("app.places")]);
      const [from, to] = [suite.store.collection("app.people"), suite.store.collection("app.places")];
      for (let n = 0; n < 5; n++) await from.insert(written(`p${n}`, { size: n, tags: [`${n}`] }));
      await to.load(await scanned(from));
      expect(await scanned(to)).toEqual(await scanned(from));
      expect(await to.count(eq(fields.size, 3), "live")).toBe(1);
    });

    test("UniqueViolation names the index", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      await collection.insert(written("a", { name: "Ada" }));
      const load = collection.load([written("b", { name: "Bob" }), written("c", { name: "Ada" })]);
      expect(await failureOf(load)).toMatchObject({ name: "UniqueViolation", index: "by_name" });
      expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("Ada");
      expect(await collection.get("c", "all")).toBeUndefined();
    });

    test("what is past its purgeAt does not stand in the way", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      await collection.insert(written("a", { name: "Ada" }, { purgeAt: start + DAY }));
      suite.clock.time = start + DAY;
      await collection.load([written("b", { name: "Ada" }), written("c", { name: "Bob" })]);
      expect(await collection.count(TRUE, "live")).toBe(2);
    });

    test("is followed by the feed", async () => {
      await suite.store.provision([shape("app.people", { feed: "documents" })]);
      const collection = suite.store.collection("app.people");
      await collection.insert(written("a", { name: "old" }));
      const position = await suite.store.feed.head();
      await collection.load([written("a", { name: "new" }), written("b", {})]);
      expect((await changesSince(suite, position, 2)).map(summary)).toEqual(["~a", "+b"]);
    });
  });
}
