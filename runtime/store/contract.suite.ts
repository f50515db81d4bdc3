import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { always, and, compare, eq, exists, isIn, not, or, TRUE } from "../filter/algebra.ts";
import { documentFields, type FieldTable, field } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import {
  type Change,
  type CollectionShape,
  type DocumentWrite,
  DuplicateId,
  HistoryExpired,
  type IndexShape,
  type Store,
  type StoredDocument,
  UniqueIndexViolated,
  UniqueViolation,
  type Visibility,
} from "./contract.ts";

const fields = {
  ...documentFields,
  name: field("name", "string"),
  place: field("place", "string"),
  size: field("size", "integer"),
  flag: field("flag", "boolean"),
  tags: field("tags", "string", ["tags"]),
} satisfies FieldTable;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const start = Date.parse("2026-03-01T10:00:00.000Z");

/** What an engine's tests hand to the suite. */
export interface OpenOptions {
  readonly clock: { now(): number };
  readonly queryTime: number;
}

/**
 * The tests of the store contract, the same for every engine. `open` opens an empty store; each test closes its own.
 */
export function describeStore(name: string, open: (options: OpenOptions) => Promise<Store>): void {
  describe(name, () => {
    const clock = { time: start, now: () => clock.time };
    let store: Store;

    beforeEach(async () => {
      clock.time = start;
      store = await open({ clock, queryTime: 5_000 });
    });
    afterEach(() => store.close());

    const people = async (...indexes: readonly IndexShape[]) => {
      await store.provision([shape("app.people", { indexes })]);
      return store.collection("app.people");
    };

    describe("collections", () => {
      test("a collection that was not provisioned is an error", () => {
        expect(() => store.collection("app.nothing")).toThrow("app.nothing");
      });

      test("collections are apart: the same id may stand in each", async () => {
        await store.provision([shape("app.people"), shape("app.places"), shape("_svc.users")]);
        for (const collection of ["app.people", "app.places", "_svc.users"]) {
          await store.collection(collection).insert(written("same", { name: collection }));
        }
        expect(bodyOf(await store.collection("_svc.users").get("same", "live"))["name"]).toBe("_svc.users");
        await store.collection("app.places").remove("same");
        expect(await store.collection("app.people").get("same", "live")).toBeDefined();
      });
    });

    describe("get", () => {
      test("answers id, version and the text that was written, members in their order", async () => {
        const collection = await people();
        const text =
          '{"id":"a","z":1,"b":"é\\n😀","a":[true,null,1.5e300,-0.1,{}],"__proto__":{"constructor":"x"}}';
        await collection.insert({ id: "a", version: 7, text, createdAt: start });
        expect(await collection.get("a", "live")).toEqual({ id: "a", version: 7, text });
      });

      test("answers undefined for an id that no document has", async () => {
        const collection = await people();
        expect(await collection.get("a", "all")).toBeUndefined();
      });

      test("a document written before versioning has version 0", async () => {
        const collection = await people();
        await collection.insert({ id: "old", version: 0, text: '{"id":"old","_meta":{}}', createdAt: start });
        expect(await collection.get("old", "live")).toMatchObject({ version: 0 });
        expect(await collection.count(exists(fields["_meta.version"]), "live")).toBe(0);
      });

      test("answers the document only when it satisfies the filter", async () => {
        const collection = await people();
        await collection.insert(written("a", { name: "Ada" }));
        expect(await collection.get("a", "live", eq(fields.name, "Ada"))).toBeDefined();
        expect(await collection.get("a", "live", eq(fields.name, "Bob"))).toBeUndefined();
        expect(await collection.get("a", "live", always(false))).toBeUndefined();
      });
    });

    describe("insert", () => {
      test("DuplicateId names the id; the document that stands is untouched", async () => {
        const collection = await people();
        await collection.insert(written("a", { name: "first" }));
        const failure = await failureOf(collection.insert(written("a", { name: "second" })));
        expect(failure).toBeInstanceOf(DuplicateId);
        expect(failure).toMatchObject({ id: "a" });
        expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("first");
      });

      test("a soft-deleted document keeps its id", async () => {
        const collection = await people();
        await collection.insert(written("a", {}, { deletedAt: start, purgeAt: start + DAY }));
        expect(await failureOf(collection.insert(written("a", {})))).toBeInstanceOf(DuplicateId);
      });

      test("from purgeAt on the id is free", async () => {
        const collection = await people();
        await collection.insert(written("a", { name: "old" }, { deletedAt: start, purgeAt: start + DAY }));
        clock.time = start + DAY;
        await collection.insert(written("a", { name: "new" }));
        expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("new");
        expect(await collection.removeExpired(10)).toBe(0);
      });

      test("ids are told apart by case and by every character", async () => {
        const collection = await people();
        const ids = ["a", "A", "a.", "a~", "ä", "a\u0308", "0", "00", "constructor", "it's", 'q"q'];
        for (const id of ids) await collection.insert(written(id, {}));
        expect(await collection.count(TRUE, "live")).toBe(ids.length);
        expect((await collection.get("it's", "live"))?.id).toBe("it's");
      });
    });

    describe("replace", () => {
      test("replaces the text and version of the expected version", async () => {
        const collection = await people();
        await collection.insert(written("a", { name: "one" }));
        expect(await collection.replace(1, written("a", { name: "two" }, { version: 2 }))).toBe(true);
        expect(await collection.get("a", "live")).toMatchObject({ version: 2 });
        expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("two");
      });

      test("is false, and writes nothing, for another version and for a document that is gone", async () => {
        const collection = await people();
        await collection.insert(written("a", { name: "one" }));
        expect(await collection.replace(2, written("a", { name: "two" }, { version: 3 }))).toBe(false);
        expect(await collection.replace(1, written("b", {}, { version: 2 }))).toBe(false);
        expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("one");
        expect(await collection.get("b", "all")).toBeUndefined();
      });

      test("works on version 0", async () => {
        const collection = await people();
        await collection.insert(written("a", {}, { version: 0 }));
        expect(await collection.replace(0, written("a", {}, { version: 1 }))).toBe(true);
      });

      test("moves a document into the trash and back", async () => {
        const collection = await people();
        await collection.insert(written("a", {}));
        expect(
          await collection.replace(
            1,
            written("a", {}, { version: 2, deletedAt: start, purgeAt: start + DAY }),
          ),
        ).toBe(true);
        expect(await collection.get("a", "live")).toBeUndefined();
        expect(await collection.get("a", "deleted")).toMatchObject({ version: 2 });
        expect(await collection.replace(2, written("a", {}, { version: 3 }))).toBe(true);
        expect(await collection.get("a", "live")).toMatchObject({ version: 3 });
        expect(await collection.get("a", "deleted")).toBeUndefined();
        clock.time = start + 2 * DAY;
        expect(await collection.get("a", "live")).toMatchObject({ version: 3 });
      });

      test("a document past its purgeAt is gone", async () => {
        const collection = await people();
        await collection.insert(written("a", {}, { deletedAt: start, purgeAt: start + DAY }));
        clock.time = start + DAY;
        expect(await collection.replace(1, written("a", {}, { version: 2 }))).toBe(false);
        expect(await collection.get("a", "all")).toBeUndefined();
      });

      test("of many that expect the same version one succeeds", async () => {
        const collection = await people();
        await collection.insert(written("a", {}));
        const tries = Array.from({ length: 20 }, (_, n) =>
          collection.replace(1, written("a", { size: n }, { version: 2 })),
        );
        expect((await Promise.all(tries)).filter((replaced) => replaced)).toHaveLength(1);
      });
    });

    describe("remove", () => {
      test("removes the expected version, or any", async () => {
        const collection = await people();
        await collection.insert(written("a", {}));
        await collection.insert(written("b", {}));
        expect(await collection.remove("a", 2)).toBe(false);
        expect(await collection.get("a", "live")).toBeDefined();
        expect(await collection.remove("a", 1)).toBe(true);
        expect(await collection.remove("b")).toBe(true);
        expect(await collection.remove("b")).toBe(false);
        expect(await collection.count(TRUE, "all")).toBe(0);
      });

      test("removes soft-deleted documents, but not those past their purgeAt: they are gone", async () => {
        const collection = await people();
        await collection.insert(written("a", {}, { deletedAt: start, purgeAt: start + DAY }));
        await collection.insert(written("b", {}, { deletedAt: start, purgeAt: start + DAY }));
        expect(await collection.remove("a")).toBe(true);
        clock.time = start + DAY;
        expect(await collection.remove("b")).toBe(false);
      });
    });

    describe("visibility", () => {
      const seen = async (visibility: Visibility) => {
        const collection = store.collection("app.people");
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
        const collection = await people();
        await collection.insert(written("live", {}, { createdAt: start }));
        await collection.insert(written("trash", {}, { createdAt: start + 1, deletedAt: start }));
        await collection.insert(
          written("expiring", {}, { createdAt: start - 1, deletedAt: start, purgeAt: start + DAY }),
        );
        await collection.insert(written("vanishing", {}, { createdAt: start + 2, purgeAt: start + DAY }));
        expect(await seen("live")).toEqual(["live", "vanishing"]);
        expect(await seen("deleted")).toEqual(["expiring", "trash"]);
        expect(await seen("all")).toEqual(["expiring", "live", "trash", "vanishing"]);
        clock.time = start + DAY - 1;
        expect(await seen("all")).toEqual(["expiring", "live", "trash", "vanishing"]);
        clock.time = start + DAY;
        expect(await seen("live")).toEqual(["live"]);
        expect(await seen("deleted")).toEqual(["trash"]);
        expect(await seen("all")).toEqual(["live", "trash"]);
      });
    });

    describe("find", () => {
      test("is in order of creation time, then id by code point", async () => {
        const collection = await people();
        const order = [
          ["z", start - 1],
          ["A", start],
          ["a", start],
          ["\uffff", start],
          ["😀", start],
          ["0", start + 1],
        ] as const;
        for (const [id, createdAt] of [...order].reverse())
          await collection.insert(written(id, {}, { createdAt }));
        const found = await collection.find({ filter: TRUE, visibility: "live", limit: 100, skip: 0 });
        expect(idsOf(found)).toEqual(order.map(([id]) => id));
      });

      test("keeps the order when a document is replaced", async () => {
        const collection = await people();
        for (const id of ["a", "b", "c"]) await collection.insert(written(id, {}));
        await collection.replace(1, written("a", { name: "changed" }, { version: 2 }));
        expect(
          idsOf(await collection.find({ filter: TRUE, visibility: "live", limit: 10, skip: 0 })),
        ).toEqual(["a", "b", "c"]);
      });

      test("limit and skip", async () => {
        const collection = await people();
        for (let n = 0; n < 10; n++) await collection.insert(written(`${n}`, { size: n }));
        const page = async (limit: number, skip: number, filter = TRUE) =>
          idsOf(await collection.find({ filter, visibility: "live", limit, skip }));
        expect(await page(3, 0)).toEqual(["0", "1", "2"]);
        expect(await page(3, 8)).toEqual(["8", "9"]);
        expect(await page(3, 10)).toEqual([]);
        expect(await page(2, 1, compare("gte", fields.size, 5))).toEqual(["6", "7"]);
      });

      test("by filter, in every visibility", async () => {
        const collection = await people();
        for (let n = 0; n < 6; n++) {
          await collection.insert(written(`${n}`, { size: n }, n % 2 === 0 ? {} : { deletedAt: start }));
        }
        const found = async (visibility: Visibility) =>
          idsOf(
            await collection.find({ filter: compare("lt", fields.size, 4), visibility, limit: 10, skip: 0 }),
          );
        expect(await found("live")).toEqual(["0", "2"]);
        expect(await found("deleted")).toEqual(["1", "3"]);
        expect(await found("all")).toEqual(["0", "1", "2", "3"]);
      });

      test("is two-valued: a filter and its opposite divide the documents", async () => {
        const collection = await people();
        await collection.insert(written("a", { name: "Ada" }));
        await collection.insert(written("b", { name: null }));
        await collection.insert(written("c", {}));
        await collection.insert(written("d", { name: { not: "a string" } }));
        for (const filter of [eq(fields.name, "Ada"), exists(fields.name), compare("lt", fields.name, "B")]) {
          expect(
            (await collection.count(filter, "live")) + (await collection.count(not(filter), "live")),
          ).toBe(4);
        }
        expect(await collection.count(not(eq(fields.name, "Ada")), "live")).toBe(3);
      });

      test("true is not 1, nor a number its digits", async () => {
        const collection = await people();
        await collection.insert(written("bool", { flag: true, size: true, name: true }));
        await collection.insert(written("number", { flag: 1, size: 1, name: 1 }));
        await collection.insert(written("text", { flag: "1", size: "1", name: "1" }));
        const found = async (filter: Parameters<typeof collection.count>[0]) =>
          idsOf(await collection.find({ filter, visibility: "live", limit: 10, skip: 0 }));
        expect(await found(eq(fields.flag, true))).toEqual(["bool"]);
        expect(await found(eq(fields.size, 1))).toEqual(["number"]);
        expect(await found(eq(fields.name, "1"))).toEqual(["text"]);
        expect(await found(compare("lte", fields.size, 1))).toEqual(["number"]);
        expect(await found(or(eq(fields.name, "1"), eq(fields.flag, true)))).toEqual(["bool", "text"]);
      });
    });

    describe("indexes change no answer", () => {
      const declared: readonly IndexShape[] = [
        index("name", ["name"]),
        index("size", ["-size", "place"]),
        index("flag", ["flag"]),
        index("tags", ["tags"]),
        index("name_tags", ["name", "tags"]),
        index("created", ["-_meta.created_at"]),
      ];

      test.each([
        ["without", []],
        ["with", declared],
      ] as const)("%s indexes", async (_, indexes) => {
        const collection = await people(...indexes);
        for (let n = 0; n < 30; n++) {
          const tags = n % 3 === 0 ? [] : [`t${n % 4}`, `t${n % 5}`, 7, null];
          await collection.insert(
            written(`d${n + 10}`, { name: `n${n % 7}`, size: n, flag: n % 2 === 0, tags }),
          );
        }
        const found = async (filter: Parameters<typeof collection.count>[0]) =>
          idsOf(await collection.find({ filter, visibility: "live", limit: 100, skip: 0 })).join(" ");
        expect(await found(and(eq(fields.name, "n3"), compare("gt", fields.size, 3)))).toBe("d20 d27 d34");
        expect(await found(and(eq(fields.tags, "t1"), eq(fields.flag, true)))).toBe("d26 d36");
        expect(await found(isIn(fields.tags, ["t4", "nothing"]))).toBe("d14 d24 d29 d39");
        expect(await found(and(not(exists(fields.tags)), TRUE))).toBe("");
        expect(
          await found(
            and(
              compare("gte", fields["_meta.created_at"], new Date(start).toISOString()),
              eq(fields.size, 5),
            ),
          ),
        ).toBe("d15");

        await collection.replace(1, written("d14", { name: "n4", tags: ["other"] }, { version: 2 }));
        await collection.remove("d29");
        expect(await found(isIn(fields.tags, ["t4", "other"]))).toBe("d14 d24 d39");
      });
    });

    describe("unique indexes", () => {
      test("UniqueViolation names the index; nothing is written", async () => {
        const collection = await people(index("by_name", ["name"], true), index("by_size", ["size"], true));
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

      test("compound: all keys together", async () => {
        const collection = await people(index("both", ["name", "-place"], true));
        await collection.insert(written("a", { name: "Ada", place: "x" }));
        await collection.insert(written("b", { name: "Ada", place: "y" }));
        expect(await failureOf(collection.insert(written("c", { name: "Ada", place: "y" })))).toBeInstanceOf(
          UniqueViolation,
        );
      });

      test("a document in which a key is missing or null takes no part", async () => {
        const collection = await people(index("both", ["name", "place"], true));
        for (const body of [{ name: "Ada" }, { name: "Ada", place: null }, { name: "Ada" }, {}, {}]) {
          await collection.insert(written(`${await collection.count(TRUE, "all")}`, body));
        }
        expect(await collection.count(TRUE, "live")).toBe(5);
      });

      test("soft-deleted documents take no part, and clash when they come back", async () => {
        const collection = await people(index("by_name", ["name"], true));
        await collection.insert(written("a", { name: "Ada" }));
        await collection.replace(1, written("a", { name: "Ada" }, { version: 2, deletedAt: start }));
        await collection.insert(written("b", { name: "Ada" }));
        expect(
          await failureOf(collection.replace(2, written("a", { name: "Ada" }, { version: 3 }))),
        ).toBeInstanceOf(UniqueViolation);
        expect(await collection.get("a", "deleted")).toMatchObject({ version: 2 });
      });

      test("documents past their purgeAt take no part", async () => {
        const collection = await people(index("by_name", ["name"], true));
        await collection.insert(written("a", { name: "Ada" }, { purgeAt: start + HOUR }));
        expect(await failureOf(collection.insert(written("b", { name: "Ada" })))).toBeInstanceOf(
          UniqueViolation,
        );
        clock.time = start + HOUR;
        await collection.insert(written("b", { name: "Ada" }));
        expect(await collection.count(TRUE, "live")).toBe(1);
      });

      test("true is not 1, 1.0 is 1, and case counts", async () => {
        const collection = await people(index("by_size", ["size"], true), index("by_name", ["name"], true));
        await collection.insert(written("a", { size: true, name: "Ada" }));
        await collection.insert(written("b", { size: 1, name: "ada" }));
        await collection.insert(written("c", { size: "1", name: "ADA" }));
        const clash = { id: "d", version: 1, text: '{"id":"d","size":1.0}', createdAt: start };
        expect(await failureOf(collection.insert(clash))).toBeInstanceOf(UniqueViolation);
      });
    });

    describe("provision", () => {
      test("is idempotent and keeps documents", async () => {
        const collection = await people(index("name", ["name"]), index("tags", ["tags"]));
        await collection.insert(written("a", { name: "Ada", tags: ["x"] }));
        const again = await people(index("name", ["name"]), index("tags", ["tags"]));
        expect(await again.count(and(eq(fields.name, "Ada"), eq(fields.tags, "x")), "live")).toBe(1);
      });

      test("indexes are made over documents that are there", async () => {
        const before = await people();
        await before.insert(written("a", { name: "Ada", tags: ["x", "y"] }));
        const collection = await people(index("name", ["name"], true), index("tags", ["tags"]));
        expect(await collection.count(eq(fields.tags, "y"), "live")).toBe(1);
        expect(await failureOf(collection.insert(written("b", { name: "Ada" })))).toBeInstanceOf(
          UniqueViolation,
        );
      });

      test("a unique index that is declared no longer binds no longer", async () => {
        const before = await people(index("name", ["name"], true));
        await before.insert(written("a", { name: "Ada" }));
        const collection = await people();
        await collection.insert(written("b", { name: "Ada" }));
        expect(await collection.count(eq(fields.name, "Ada"), "live")).toBe(2);
      });

      test("an index that is declared otherwise under its name is remade", async () => {
        const before = await people(index("one", ["name"], true));
        await before.insert(written("a", { name: "Ada", place: "x" }));
        const collection = await people(index("one", ["place"], true));
        await collection.insert(written("b", { name: "Ada", place: "y" }));
        expect(await failureOf(collection.insert(written("c", { name: "Bob", place: "y" })))).toMatchObject({
          index: "one",
        });
      });

      test("UniqueIndexViolated names collection, index and the documents that clash; nothing is lost or changed", async () => {
        const before = await people(index("place", ["place"], true));
        for (const [id, name] of Object.entries({ a: "Ada", b: "Bob", c: "Ada", d: "Bob", e: "Eve" })) {
          await before.insert(written(id, { name, place: id }));
        }
        await before.insert(written("f", { name: "Eve" }, { deletedAt: start }));
        const failure = await failureOf(people(index("by_name", ["name"], true)));
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
        const before = await people();
        for (let n = 0; n < 15; n++) await before.insert(written(`${n}`, { name: "Ada" }));
        const failure = await failureOf(people(index("by_name", ["name"], true)));
        expect(failure instanceof UniqueIndexViolated && failure.ids.length).toBe(10);
      });
    });

    describe("removeExpired", () => {
      test("removes for good what is past its purgeAt, up to the limit", async () => {
        const collection = await people();
        for (let n = 0; n < 5; n++)
          await collection.insert(written(`${n}`, {}, { deletedAt: start, purgeAt: start + n * HOUR }));
        await collection.insert(written("live", {}));
        clock.time = start + 3 * HOUR;
        expect(await collection.removeExpired(3)).toBe(3);
        expect(await collection.removeExpired(3)).toBe(1);
        expect(await collection.removeExpired(3)).toBe(0);
        clock.time = start;
        expect(await collection.count(TRUE, "all")).toBe(2);
      });
    });

    describe("transaction", () => {
      test("answers what the work answers; all of its writes are there", async () => {
        await store.provision([shape("app.people"), shape("app.places")]);
        const answer = await store.transaction(async (transaction) => {
          await transaction.collection("app.people").insert(written("a", {}));
          await transaction.collection("app.places").insert(written("b", {}));
          return 42;
        });
        expect(answer).toBe(42);
        expect(await store.collection("app.people").get("a", "live")).toBeDefined();
        expect(await store.collection("app.places").get("b", "live")).toBeDefined();
      });

      test("its operations see the writes before them; nobody else does", async () => {
        const collection = await people();
        let outside: Promise<StoredDocument | undefined> | undefined;
        let counted: Promise<number> | undefined;
        await store.transaction(async (transaction) => {
          const own = transaction.collection("app.people");
          await own.insert(written("a", { name: "one" }));
          expect(await own.get("a", "live", eq(fields.name, "one"))).toBeDefined();
          expect(await own.replace(1, written("a", { name: "two" }, { version: 2 }))).toBe(true);
          outside = collection.get("a", "live");
          counted = collection.count(TRUE, "all");
          expect(bodyOf(await own.get("a", "live"))["name"]).toBe("two");
          expect(await own.remove("a", 1)).toBe(false);
        });
        expect(await outside).toBeUndefined();
        expect(await counted).toBe(0);
        expect(await collection.get("a", "live")).toMatchObject({ version: 2 });
      });

      test("when the work throws, none of its writes happened, and the caller gets what it threw", async () => {
        const collection = await people(index("tags", ["tags"]));
        await collection.insert(written("keep", { name: "kept", tags: ["x"] }));
        const thrown = new Error("stop");
        const failure = failureOf(
          store.transaction(async (transaction) => {
            const own = transaction.collection("app.people");
            await own.insert(written("a", { tags: ["y"] }));
            await own.replace(1, written("keep", { name: "changed" }, { version: 2 }));
            await own.remove("keep", 2);
            throw thrown;
          }),
        );
        expect(await failure).toBe(thrown);
        expect(await collection.get("a", "all")).toBeUndefined();
        expect(await collection.get("keep", "live")).toMatchObject({ version: 1 });
        expect(await collection.count(eq(fields.tags, "x"), "live")).toBe(1);
        expect(await collection.count(eq(fields.tags, "y"), "live")).toBe(0);
      });

      test("an operation's failure can be caught, and the transaction goes on", async () => {
        const collection = await people(index("by_name", ["name"], true));
        await collection.insert(written("a", { name: "Ada" }));
        await store.transaction(async (transaction) => {
          const own = transaction.collection("app.people");
          expect(await failureOf(own.insert(written("a", {})))).toBeInstanceOf(DuplicateId);
          expect(await failureOf(own.insert(written("b", { name: "Ada" })))).toBeInstanceOf(UniqueViolation);
          await own.insert(written("b", { name: "Bob" }));
        });
        expect(await collection.get("b", "live")).toBeDefined();
      });

      test("a failure affects only itself, whatever was sent along with it", async () => {
        const collection = await people();
        const results = await Promise.allSettled([
          collection.insert(written("a", {})),
          store.transaction(async (transaction) => {
            await transaction.collection("app.people").insert(written("b", {}));
            throw new Error("stop");
          }),
          collection.insert(written("a", {})),
          store.transaction((transaction) => transaction.collection("app.people").insert(written("c", {}))),
          store.transaction(async () => {
            throw new Error("at once");
          }),
          collection.insert(written("d", {})),
        ]);
        expect(results.map(({ status }) => status)).toEqual([
          "fulfilled",
          "rejected",
          "rejected",
          "fulfilled",
          "rejected",
          "fulfilled",
        ]);
        expect(idsOf(await collection.find({ filter: TRUE, visibility: "all", limit: 10, skip: 0 }))).toEqual(
          ["a", "c", "d"],
        );
      });

      test("transactions run one after another: increments are never lost", async () => {
        const collection = await people();
        await collection.insert(written("counter", { size: 0 }));
        const increment = () =>
          store.transaction(async (transaction) => {
            const own = transaction.collection("app.people");
            const current = await own.get("counter", "live");
            const { version = 0 } = current ?? {};
            const size = Number(bodyOf(current)["size"]) + 1;
            return own.replace(version, written("counter", { size }, { version: version + 1 }));
          });
        expect(await Promise.all(Array.from({ length: 50 }, increment))).toEqual(
          Array.from({ length: 50 }, () => true),
        );
        expect(bodyOf(await collection.get("counter", "live"))["size"]).toBe(50);
      });

      test("its operations are refused after its end", async () => {
        await people();
        const escaped = await store.transaction(async (transaction) => transaction.collection("app.people"));
        expect(await failureOf(escaped.insert(written("a", {})))).toBeInstanceOf(Error);
        expect(await store.collection("app.people").get("a", "all")).toBeUndefined();
      });

      test("a collection that was not provisioned is an error", async () => {
        const failure = await failureOf(
          store.transaction(async (transaction) => void transaction.collection("app.nothing")),
        );
        expect(failure).toMatchObject({ message: expect.stringContaining("app.nothing") });
      });
    });

    describe("reads and writes together", () => {
      test("a read sees every write acknowledged before it, expensive ones too", async () => {
        const collection = await people();
        for (let round = 0; round < 4; round++) {
          const inserts = Array.from({ length: 600 }, (_, n) =>
            collection.insert(written(`${round}-${n}`, { size: n })),
          );
          await Promise.all(inserts);
          expect(await collection.get(`${round}-599`, "live")).toBeDefined();
          expect(await collection.count(compare("gte", fields.size, 0), "live")).toBe(600 * (round + 1));
          const last = { filter: eq(fields.size, 599), visibility: "live", limit: 100, skip: 0 } as const;
          expect(await collection.find(last)).toHaveLength(round + 1);
        }
      });

      test("many writers at once: every acknowledged write is there", async () => {
        const collection = await people();
        await Promise.all(
          Array.from({ length: 40 }, async (_, writer) => {
            for (let n = 0; n < 10; n++) await collection.insert(written(`${writer}-${n}`, {}));
          }),
        );
        expect(await collection.count(TRUE, "live")).toBe(400);
      });
    });

    describe("lease", () => {
      test("is held by one at a time, until it is released", async () => {
        const lease = await store.lease("job", 60_000);
        expect(lease).toBeDefined();
        expect(await store.lease("job", 60_000)).toBeUndefined();
        expect(await store.lease("other", 60_000)).toBeDefined();
        await lease?.release();
        expect(await store.lease("job", 60_000)).toBeDefined();
        await lease?.release();
        expect(await store.lease("job", 60_000)).toBeUndefined();
      });
    });

    describe("revision", () => {
      test("changes with every kind of write to the collection, once it is acknowledged", async () => {
        await store.provision([shape("app.people"), shape("app.places")]);
        const collection = store.collection("app.people");
        const before = store.revision("app.people");
        if (before === undefined) return;
        const seen = new Set([before]);
        const note = () => seen.add(store.revision("app.people") ?? Number.NaN);
        await collection.insert(written("a", {}));
        note();
        await collection.replace(1, written("a", {}, { version: 2, deletedAt: start, purgeAt: start }));
        note();
        await collection.removeExpired(1);
        note();
        await store.transaction((transaction) =>
          transaction.collection("app.people").insert(written("b", {})),
        );
        note();
        await collection.remove("b");
        note();
        expect(seen.size).toBe(6);
        expect(seen.has(Number.NaN)).toBe(false);
      });

      test("stays while nothing is written", async () => {
        await store.provision([shape("app.people"), shape("app.places")]);
        await store.collection("app.people").insert(written("a", {}));
        const before = store.revision("app.people");
        if (before === undefined) return;
        await store.collection("app.people").get("a", "live");
        await store.collection("app.places").insert(written("a", {}));
        expect(store.revision("app.people")).toBe(before);
      });
    });

    describe("feed", () => {
      const changesSince = async (position: string, limit = 100) => store.feed.read(position, limit);

      test("records inserts, replacements and removals with both images, in order", async () => {
        await store.provision([shape("app.people", { feed: true })]);
        const collection = store.collection("app.people");
        const from = await store.feed.head();
        const first = written("a", { name: "one" });
        const second = written("a", { name: "two" }, { version: 2 });
        await collection.insert(first);
        clock.time = start + 1;
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
        expect(await changesSince(await store.feed.head())).toEqual([]);
        expect(changes[2]?.position).toBe(await store.feed.head());
      });

      test("records transactions and expiry, and nothing that did not happen", async () => {
        await store.provision([
          shape("app.people", { feed: true, indexes: [index("by_name", ["name"], true)] }),
        ]);
        const collection = store.collection("app.people");
        const from = await store.feed.head();
        await store.transaction(async (transaction) => {
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
          store.transaction(async (transaction) => {
            await transaction.collection("app.people").insert(written("d", {}));
            throw new Error("stop");
          }),
        ]);
        clock.time = start + HOUR;
        await collection.removeExpired(10);
        const changes = await changesSince(from);
        expect(changes.map(summary)).toEqual(["+a", "+b", "-b"]);
      });

      test("collections that nothing follows are not recorded", async () => {
        await store.provision([shape("app.people"), shape("app.places", { feed: true })]);
        const from = await store.feed.head();
        await store.collection("app.people").insert(written("a", {}));
        await store.collection("app.places").insert(written("b", {}));
        expect((await changesSince(from)).map(summary)).toEqual(["+b"]);
      });

      test("onCommit calls after each commit that recorded changes, until it is stopped", async () => {
        await store.provision([shape("app.people"), shape("app.places", { feed: true })]);
        let calls = 0;
        const stop = store.feed.onCommit(() => calls++);
        await store.collection("app.people").insert(written("a", {}));
        expect(calls).toBe(0);
        await store.collection("app.places").insert(written("a", {}));
        await store.health();
        expect(calls).toBe(1);
        stop();
        await store.collection("app.places").insert(written("b", {}));
        await store.health();
        expect(calls).toBe(1);
      });

      test("what is made while a listener is told can be read at once", async () => {
        await store.provision([shape("app.people", { feed: true })]);
        const from = await store.feed.head();
        const seen = new Promise<readonly Change[]>((resolve) => {
          store.feed.onCommit(() => resolve(store.feed.read(from, 10)));
        });
        await store.collection("app.people").insert(written("a", {}));
        expect((await seen).map(summary)).toEqual(["+a"]);
      });

      test("keeps a day; a position from before what is kept is HistoryExpired", async () => {
        await store.provision([shape("app.people", { feed: true })]);
        const collection = store.collection("app.people");
        const from = await store.feed.head();
        await collection.insert(written("a", {}));
        const old = await store.feed.head();
        clock.time = start + DAY - HOUR;
        await collection.insert(written("b", {}));
        expect((await changesSince(from)).map(summary)).toEqual(["+a", "+b"]);
        clock.time = start + DAY + HOUR;
        await store.provision([shape("app.people", { feed: true })]);
        expect(await failureOf(changesSince(from))).toBeInstanceOf(HistoryExpired);
        expect((await changesSince(old)).map(summary)).toEqual(["+b"]);
      });

      test("forgets while it runs, and positions still only grow", async () => {
        await store.provision([shape("app.people", { feed: true })]);
        const collection = store.collection("app.people");
        const from = await store.feed.head();
        await collection.insert(written("a", {}));
        const before = await store.feed.head();
        clock.time = start + 2 * DAY;
        for (const id of ["b", "c", "d"]) await collection.insert(written(id, {}));
        expect(await failureOf(changesSince(from))).toBeInstanceOf(HistoryExpired);
        expect((await changesSince(before)).map(summary)).toEqual(["+b", "+c", "+d"]);
      });

      test.each(["", "x", "-1", "1.5", "999999999999", "9".repeat(40)])(
        "position %j of no history is HistoryExpired",
        async (position) => {
          await store.provision([shape("app.people", { feed: true })]);
          expect(await failureOf(changesSince(position))).toBeInstanceOf(HistoryExpired);
        },
      );
    });

    describe("health and close", () => {
      test("health answers while the store can be reached", async () => {
        await people();
        expect(await store.health()).toBeUndefined();
      });

      test("close waits for the writes under way, and may be called twice", async () => {
        const collection = await people();
        const writes = Array.from({ length: 50 }, (_, n) => collection.insert(written(`${n}`, {})));
        await store.close();
        expect((await Promise.allSettled(writes)).every(({ status }) => status === "fulfilled")).toBe(true);
        await store.close();
      });

      test("a closed store refuses writes and queries", async () => {
        const collection = await people();
        await store.close();
        expect(await failureOf(collection.insert(written("a", {})))).toBeInstanceOf(Error);
        expect(await failureOf(collection.get("a", "live"))).toBeInstanceOf(Error);
        expect(await failureOf(store.health())).toBeInstanceOf(Error);
      });
    });
  });
}

/** A collection's shape over the suite's fields. */
export function shape(
  name: string,
  options: { indexes?: readonly IndexShape[]; feed?: boolean } = {},
): CollectionShape {
  return { name, fields, indexes: options.indexes ?? [], feed: options.feed ?? false };
}

/** An index over paths, `-` for descending. */
export function index(name: string, paths: readonly string[], unique = false): IndexShape {
  const keys = paths.map((path) => {
    const descending = path.startsWith("-");
    const found = Object.entries(fields).find(([key]) => key === (descending ? path.slice(1) : path));
    if (found === undefined) throw new Error(`no field ${path}`);
    return { field: found[1], descending };
  });
  return { name, keys, unique };
}

/** A document as the document layer writes it. */
export function written(
  id: string,
  body: JsonObject,
  { version = 1, createdAt = start, deletedAt, purgeAt }: Partial<Omit<DocumentWrite, "id" | "text">> = {},
): DocumentWrite {
  const meta = {
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(createdAt).toISOString(),
    ...(version === 0 ? {} : { version }),
    ...(deletedAt === undefined ? {} : { deleted_at: new Date(deletedAt).toISOString() }),
    ...(purgeAt === undefined ? {} : { purge_at: new Date(purgeAt).toISOString() }),
  };
  return { id, version, text: JSON.stringify({ id, ...body, _meta: meta }), createdAt, deletedAt, purgeAt };
}

const stored = ({ id, version, text }: DocumentWrite): StoredDocument => ({ id, version, text });
const idsOf = (documents: readonly StoredDocument[]): readonly string[] => documents.map(({ id }) => id);
const summary = ({ id, before, after }: Change) =>
  `${before === undefined ? "+" : after === undefined ? "-" : "~"}${id}`;

function bodyOf(document: StoredDocument | undefined): JsonObject {
  return JSON.parse(document?.text ?? "{}");
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("this should have failed");
}
