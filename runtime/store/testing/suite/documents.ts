import { describe, expect, test } from "vitest";
import { always, eq, exists, TRUE } from "../../../filter/algebra.ts";
import type { Visibility } from "../../contract/document.ts";
import { DocumentTooLarge, DuplicateId, InsertRefused } from "../../contract/errors.ts";
import { LARGEST_DOCUMENT } from "../../writable.ts";
import {
  bodyOf,
  DAY,
  failureOf,
  fields,
  HOUR,
  idsOf,
  index,
  type Suite,
  shape,
  start,
  stored,
  written,
} from "./fixtures.ts";

/** Reading and writing one document. */
export function describeDocuments(suite: Suite): void {
  describe("collections", () => {
    test("a collection that was not provisioned is an error", () => {
      expect(() => suite.store.collection("app.nothing")).toThrow("app.nothing");
    });

    test("collections are apart: the same id may stand in each", async () => {
      await suite.store.provision([shape("app.people"), shape("app.places"), shape("_svc.users")]);
      for (const collection of ["app.people", "app.places", "_svc.users"]) {
        await suite.store.collection(collection).insert(written("same", { name: collection }));
      }
      expect(bodyOf(await suite.store.collection("_svc.users").get("same", "live"))["name"]).toBe(
        "_svc.users",
      );
      await suite.store.collection("app.places").remove("same");
      expect(await suite.store.collection("app.people").get("same", "live")).toBeDefined();
    });
  });

  describe("get", () => {
    test("answers id, version and the text that was written, members in their order", async () => {
      const collection = await suite.people();
      const text =
        '{"id":"a","z":1,"b":"é\\n😀","a":[true,null,1.5e+300,-0.1,{}],"__proto__":{"constructor":"x"}}';
      await collection.insert({ id: "a", version: 7, text, createdAt: start });
      expect(await collection.get("a", "live")).toEqual({ id: "a", version: 7, text });
    });

    test("members by which drivers know types of their own are members like any other", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      const marked = { _bsontype: "ObjectId", toBSON: {}, toJSON: [] };
      const body = {
        _bsontype: "Long",
        name: "Ada",
        list: [marked, [marked]],
        inner: { a: { _bsontype: 1 } },
      };
      const write = written("a", body);
      await collection.insert(write);
      expect(await collection.get("a", "live")).toEqual({ id: "a", version: 1, text: write.text });
      const failure = await failureOf(collection.insert(written("b", body)));
      expect(failure).toMatchObject({ name: "UniqueViolation", index: "by_name" });
      const replaced = written("a", { ...body, z: marked }, { version: 2 });
      expect(await collection.replace(1, replaced)).toBe(true);
      const loaded = written("c", { ...marked, name: "Bob" });
      await collection.load([loaded]);
      const found = await collection.find({ filter: TRUE, visibility: "live", limit: 9, skip: 0 });
      expect(found.map(({ text }) => text)).toEqual([replaced.text, loaded.text]);
    });

    test("answers every kind of value as it was written, whatever its name", async () => {
      const collection = await suite.people();
      const values = {
        "0": [0, -1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53 - 1, 1e300, 5e-324, 0.1 + 0.2],
        "é😀": ["", '\u0001\b\t\n\f\r\u001f"\\/\u007f\u2028\u2029é😀'],
        "it's": [true, false, null, [], {}, [[]], [{ a: [null] }]],
        toString: { constructor: "x", hasOwnProperty: 1, length: 2 },
        days: ["2026-03-01", "2026-03-01T10:00:00.000Z", "2026-02-30", "10:00"],
      };
      const { text: meta } = written("a", {});
      const text = meta.replace('"_meta"', `${JSON.stringify(values).slice(1, -1)},"_meta"`);
      await collection.insert({ id: "a", version: 1, text, createdAt: start });
      expect((await collection.get("a", "live"))?.text).toBe(text);
    });

    test("a text without _meta is answered without one", async () => {
      const collection = await suite.people();
      const text = '{"id":"a","name":"Ada"}';
      const times = { createdAt: start, deletedAt: start, purgeAt: start + DAY };
      await collection.insert({ id: "a", version: 3, text, ...times });
      expect(await collection.get("a", "deleted")).toEqual({ id: "a", version: 3, text });
      expect(await collection.get("a", "live")).toBeUndefined();
      suite.clock.time = start + DAY;
      expect(await collection.get("a", "all")).toBeUndefined();
    });

    test("answers undefined for an id that no document has", async () => {
      const collection = await suite.people();
      expect(await collection.get("a", "all")).toBeUndefined();
    });

    test("a document written before versioning has version 0", async () => {
      const collection = await suite.people();
      await collection.insert(written("old", {}, { version: 0 }));
      expect(await collection.get("old", "live")).toMatchObject({ version: 0 });
      expect(await collection.count(exists(fields["_meta.version"]), "live")).toBe(0);
    });

    test("answers the document only when it satisfies the filter", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", { name: "Ada" }));
      expect(await collection.get("a", "live", eq(fields.name, "Ada"))).toBeDefined();
      expect(await collection.get("a", "live", eq(fields.name, "Bob"))).toBeUndefined();
      expect(await collection.get("a", "live", always(false))).toBeUndefined();
    });
  });

  describe("insert", () => {
    test("DuplicateId names the id; the document that stands is untouched", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", { name: "first" }));
      const failure = await failureOf(collection.insert(written("a", { name: "second" })));
      expect(failure).toBeInstanceOf(DuplicateId);
      expect(failure).toMatchObject({ id: "a" });
      expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("first");
    });

    test("a document of over 16 MiB is DocumentTooLarge, alone, among others and in place of another", async () => {
      const collection = await suite.people();
      const first = written("a", { name: "first" });
      await collection.insert(first);
      // Two bytes a character: its characters would not tell.
      const large = (id: string) => written(id, { name: "é".repeat(LARGEST_DOCUMENT / 2) }, { version: 2 });
      expect(await failureOf(collection.insert(large("b")))).toBeInstanceOf(DocumentTooLarge);
      expect(await failureOf(collection.replace(1, large("a")))).toBeInstanceOf(DocumentTooLarge);
      const several = suite.store.transaction((transaction) =>
        transaction.collection("app.people").insertAll([written("c", {}), large("d")]),
      );
      const refused = await failureOf(several);
      expect(refused).toBeInstanceOf(InsertRefused);
      expect(refused).toMatchObject({ at: 1, cause: expect.any(DocumentTooLarge) });
      const found = await collection.find({ filter: TRUE, visibility: "all", limit: 9, skip: 0 });
      expect(found).toEqual([stored(first)]);
      const fitting = written("e", { name: "é".repeat(LARGEST_DOCUMENT / 4) });
      await collection.insert(fitting);
      expect((await collection.get("e", "live"))?.text.length).toBe(fitting.text.length);
    });

    test("a soft-deleted document keeps its id", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", {}, { deletedAt: start, purgeAt: start + DAY }));
      expect(await failureOf(collection.insert(written("a", {})))).toBeInstanceOf(DuplicateId);
    });

    test("from purgeAt on the id is free", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", { name: "old" }, { deletedAt: start, purgeAt: start + DAY }));
      suite.clock.time = start + DAY;
      await collection.insert(written("a", { name: "new" }));
      expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("new");
      expect(await collection.removeExpired(10)).toBe(0);
    });

    test("ids are told apart by case and by every character", async () => {
      const collection = await suite.people();
      const ids = ["a", "A", "a.", "a~", "ä", "a\u0308", "0", "00", "constructor", "it's", 'q"q'];
      for (const id of ids) await collection.insert(written(id, {}));
      expect(await collection.count(TRUE, "live")).toBe(ids.length);
      expect((await collection.get("it's", "live"))?.id).toBe("it's");
    });
  });

  describe("replace", () => {
    test("replaces the text and version of the expected version", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", { name: "one" }));
      expect(await collection.replace(1, written("a", { name: "two" }, { version: 2 }))).toBe(true);
      expect(await collection.get("a", "live")).toMatchObject({ version: 2 });
      expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("two");
    });

    test("is false, and writes nothing, for another version and for a document that is gone", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", { name: "one" }));
      expect(await collection.replace(2, written("a", { name: "two" }, { version: 3 }))).toBe(false);
      expect(await collection.replace(1, written("b", {}, { version: 2 }))).toBe(false);
      expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("one");
      expect(await collection.get("b", "all")).toBeUndefined();
    });

    test("works on version 0", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", {}, { version: 0 }));
      expect(await collection.replace(0, written("a", {}, { version: 1 }))).toBe(true);
    });

    test("moves a document into the trash and back", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", {}));
      expect(
        await collection.replace(1, written("a", {}, { version: 2, deletedAt: start, purgeAt: start + DAY })),
      ).toBe(true);
      expect(await collection.get("a", "live")).toBeUndefined();
      expect(await collection.get("a", "deleted")).toMatchObject({ version: 2 });
      expect(await collection.replace(2, written("a", {}, { version: 3 }))).toBe(true);
      expect(await collection.get("a", "live")).toMatchObject({ version: 3 });
      expect(await collection.get("a", "deleted")).toBeUndefined();
      suite.clock.time = start + 2 * DAY;
      expect(await collection.get("a", "live")).toMatchObject({ version: 3 });
    });

    test("a document past its purgeAt is gone", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", {}, { deletedAt: start, purgeAt: start + DAY }));
      suite.clock.time = start + DAY;
      expect(await collection.replace(1, written("a", {}, { version: 2 }))).toBe(false);
      expect(await collection.get("a", "all")).toBeUndefined();
    });

    test("of many that expect the same version one succeeds", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", {}));
      const tries = Array.from({ length: 20 }, (_, n) =>
        collection.replace(1, written("a", { size: n }, { version: 2 })),
      );
      expect((await Promise.all(tries)).filter((replaced) => replaced)).toHaveLength(1);
    });
  });

  describe("remove", () => {
    test("removes the expected version, or any that is live", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", {}));
      await collection.insert(written("b", {}));
      expect(await collection.remove("a", 2)).toBe(false);
      expect(await collection.get("a", "live")).toBeDefined();
      expect(await collection.remove("a", 1)).toBe(true);
      expect(await collection.remove("b")).toBe(true);
      expect(await collection.remove("b")).toBe(false);
      expect(await collection.count(TRUE, "all")).toBe(0);
    });

    test("removes soft-deleted documents of the expected version, but not those past their purgeAt: they are gone", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", {}, { deletedAt: start, purgeAt: start + DAY }));
      await collection.insert(written("b", {}, { deletedAt: start, purgeAt: start + DAY }));
      expect(await collection.remove("a")).toBe(false);
      expect(await collection.remove("a", 1)).toBe(true);
      suite.clock.time = start + DAY;
      expect(await collection.remove("b", 1)).toBe(false);
    });
  });

  describe("visibility", () => {
    const seen = async (visibility: Visibility) => {
      const collection = suite.store.collection("app.people");
      const found = idsOf(await collection.find({ filter: TRUE, visibility, limit: 10, skip: 0 }));
      expect(await collection.count(TRUE, visibility)).toBe(found.length);
      const got: string[] = [];
      for (const id of ["live", "trash", "expiring", "vanishing"]) {
        if ((await collection.get(id, visibility)) !== undefined) got.push(id);
      }
      expect(got.sort()).toEqual([...found].sort());
      return found;
    };

    test("live, deleted and all; nothing past its purgeAt", async () => {
      const collection = await suite.people();
      await collection.insert(written("live", {}, { createdAt: start }));
      await collection.insert(written("trash", {}, { createdAt: start + 1, deletedAt: start }));
      await collection.insert(
        written("expiring", {}, { createdAt: start - 1, deletedAt: start, purgeAt: start + DAY }),
      );
      await collection.insert(written("vanishing", {}, { createdAt: start + 2, purgeAt: start + DAY }));
      expect(await seen("live")).toEqual(["live", "vanishing"]);
      expect(await seen("deleted")).toEqual(["expiring", "trash"]);
      expect(await seen("all")).toEqual(["expiring", "live", "trash", "vanishing"]);
      suite.clock.time = start + DAY - 1;
      expect(await seen("all")).toEqual(["expiring", "live", "trash", "vanishing"]);
      suite.clock.time = start + DAY;
      expect(await seen("live")).toEqual(["live"]);
      expect(await seen("deleted")).toEqual(["trash"]);
      expect(await seen("all")).toEqual(["live", "trash"]);
    });
  });

  describe("removeExpired", () => {
    test("removes for good what is past its purgeAt, up to the limit", async () => {
      const collection = await suite.people();
      for (let n = 0; n < 5; n++)
        await collection.insert(written(`${n}`, {}, { deletedAt: start, purgeAt: start + n * HOUR }));
      await collection.insert(written("live", {}));
      suite.clock.time = start + 3 * HOUR;
      expect(await collection.removeExpired(3)).toBe(3);
      expect(await collection.removeExpired(3)).toBe(1);
      expect(await collection.removeExpired(3)).toBe(0);
      suite.clock.time = start;
      expect(await collection.count(TRUE, "all")).toBe(2);
    });
  });
}
