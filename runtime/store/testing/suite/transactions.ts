import { describe, expect, test } from "vitest";
import { eq, TRUE } from "../../../filter/algebra.ts";
import type { DocumentWrite } from "../../contract/document.ts";
import { Claimed, DuplicateId, InsertRefused, UniqueViolation } from "../../contract/errors.ts";
import {
  bodyOf,
  DAY,
  failureOf,
  fields,
  idsOf,
  index,
  type Suite,
  shape,
  start,
  written,
} from "./fixtures.ts";

/** Several writes as one, and who sees what when. */
export function describeTransactions(suite: Suite): void {
  describe("transaction", () => {
    test("answers what the work answers; all of its writes are there", async () => {
      await suite.store.provision([shape("app.people"), shape("app.places")]);
      const answer = await suite.store.transaction(async (transaction) => {
        await transaction.collection("app.people").insert(written("a", {}));
        await transaction.collection("app.places").insert(written("b", {}));
        return 42;
      });
      expect(answer).toBe(42);
      expect(await suite.store.collection("app.people").get("a", "live")).toBeDefined();
      expect(await suite.store.collection("app.places").get("b", "live")).toBeDefined();
    });

    test("its operations see the writes before them; nobody else does", async () => {
      const collection = await suite.people();
      await suite.store.transaction(async (transaction) => {
        const own = transaction.collection("app.people");
        await own.insert(written("a", { name: "one" }));
        expect(await own.get("a", "live", eq(fields.name, "one"))).toBeDefined();
        expect(await own.replace(1, written("a", { name: "two" }, { version: 2 }))).toBe(true);
        // Only a test waits for others in there; or else they might come after the end.
        expect(await collection.get("a", "live")).toBeUndefined();
        expect(await collection.count(TRUE, "all")).toBe(0);
        expect(bodyOf(await own.get("a", "live"))["name"]).toBe("two");
        expect(await own.remove("a", 1)).toBe(false);
      });
      expect(await collection.get("a", "live")).toMatchObject({ version: 2 });
    });

    test("of transactions that claim one id exactly one is done; the others are told, and write nothing", async () => {
      const collection = await suite.people();
      const claim = (n: number) =>
        suite.store.transaction(async (transaction) => {
          const own = transaction.collection("app.people");
          await own.claim(written("claimed", { size: n }));
          await own.insert(written(`d${n}`, {}));
        });
      const ended = await Promise.allSettled([0, 1, 2, 3].map(claim));
      const refused = ended.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      expect(refused).toHaveLength(3);
      for (const error of refused)
        expect(error instanceof Claimed || (error instanceof DuplicateId && error.id === "claimed")).toBe(
          true,
        );
      const done = ended.findIndex(({ status }) => status === "fulfilled");
      const all = await collection.find({ filter: TRUE, visibility: "all", limit: 10, skip: 0 });
      expect(idsOf(all).toSorted()).toEqual(["claimed", `d${done}`]);
      expect(bodyOf(await collection.get("claimed", "live"))["size"]).toBe(done);
      expect(await failureOf(claim(9))).toBeInstanceOf(DuplicateId);
    });

    test("documents inserted together come in order; the first that is refused is named, and nothing is written", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      await collection.insert(written("taken", { name: "Ada" }));
      const insert = (...documents: readonly DocumentWrite[]) =>
        suite.store.transaction((transaction) => transaction.collection("app.people").insertAll(documents));
      await insert();
      await insert(written("a", { name: "one" }), written("b", {}));
      expect(await collection.count(TRUE, "all")).toBe(3);
      const clash = await failureOf(
        insert(written("c", {}), written("d", { name: "Ada" }), written("a", {})),
      );
      expect(clash).toBeInstanceOf(InsertRefused);
      expect(clash).toMatchObject({ at: 1, cause: new UniqueViolation("by_name") });
      const same = await failureOf(insert(written("e", {}), written("f", {}), written("e", {})));
      expect(same).toMatchObject({ at: 2, cause: new DuplicateId("e") });
      const both = await failureOf(insert(written("g", {}), written("taken", { name: "Ada" })));
      expect(both).toMatchObject({ at: 1, cause: new DuplicateId("taken") });
      expect(await collection.count(TRUE, "all")).toBe(3);
    });

    test("documents inserted together take the ids and values of expired ones", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      await collection.insert(written("old", {}, { deletedAt: start, purgeAt: start + DAY }));
      await collection.insert(written("other", { name: "Ada" }, { purgeAt: start + DAY }));
      suite.clock.time = start + DAY;
      await suite.store.transaction((transaction) =>
        transaction
          .collection("app.people")
          .insertAll([written("first", {}), written("old", {}), written("last", { name: "Ada" })]),
      );
      expect(await collection.count(TRUE, "all")).toBe(3);
    });

    test("of documents removed together those go that have the version given, live or deleted", async () => {
      const collection = await suite.people(index("tags", ["tags"]));
      await collection.load([
        written("live", { tags: ["x"] }),
        written("deleted", {}, { version: 3, deletedAt: start }),
        written("changed", { tags: ["x"] }, { version: 2 }),
        written("unversioned", {}, { version: 0 }),
        written("expired", {}, { deletedAt: start, purgeAt: start + DAY }),
        written("other", { tags: ["x"] }),
      ]);
      suite.clock.time = start + DAY;
      const removed = await suite.store.transaction((transaction) =>
        transaction.collection("app.people").removeAll([
          { id: "live", version: 1 },
          { id: "deleted", version: 3 },
          { id: "changed", version: 1 },
          { id: "unversioned", version: 0 },
          { id: "expired", version: 1 },
          { id: "none", version: 1 },
        ]),
      );
      expect(removed).toBe(3);
      expect(idsOf(await collection.scan(undefined, 10))).toEqual(["changed", "other"]);
      expect(await collection.count(eq(fields.tags, "x"), "live")).toBe(2);
      const none = suite.store.transaction((transaction) =>
        transaction.collection("app.people").removeAll([]),
      );
      expect(await none).toBe(0);
    });

    test("documents replaced together are those that still have these versions", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      for (const id of ["one", "two", "changed"]) await collection.insert(written(id, { name: id }));
      await collection.replace(1, written("changed", { name: "changed" }, { version: 2 }));
      await collection.insert(written("expired", { name: "e" }, { deletedAt: start, purgeAt: start + DAY }));
      suite.clock.time = start + DAY;
      const next = (id: string, version: number, name = `${id} anew`) => ({
        expected: version - 1,
        document: written(id, { name }, { version }),
      });
      const replaced = await suite.store.transaction((transaction) =>
        transaction
          .collection("app.people")
          .replaceAll([
            next("one", 2),
            next("changed", 2),
            next("expired", 2),
            next("none", 2),
            next("two", 2),
          ]),
      );
      expect(replaced).toBe(2);
      const all = await collection.find({ filter: TRUE, visibility: "all", limit: 10, skip: 0 });
      expect(all.map(({ id, version }) => [id, version]).sort()).toEqual([
        ["changed", 2],
        ["one", 2],
        ["two", 2],
      ]);
      expect(await collection.count(eq(fields.name, "one anew"), "live")).toBe(1);
      const none = suite.store.transaction((transaction) =>
        transaction.collection("app.people").replaceAll([]),
      );
      expect(await none).toBe(0);
    });

    test("of documents replaced together none is where one violates a unique index", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      for (const id of ["one", "two", "three"]) await collection.insert(written(id, { name: id }));
      const failure = suite.store.transaction((transaction) =>
        transaction.collection("app.people").replaceAll([
          { expected: 1, document: written("one", { name: "free" }, { version: 2 }) },
          { expected: 1, document: written("two", { name: "three" }, { version: 2 }) },
        ]),
      );
      expect(await failureOf(failure)).toMatchObject({ name: "UniqueViolation", index: "by_name" });
      expect(await collection.get("one", "live")).toMatchObject({ version: 1 });
    });

    test("documents removed together stay when the work throws", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", {}));
      const thrown = new Error("stop");
      const failure = suite.store.transaction(async (transaction) => {
        expect(await transaction.collection("app.people").removeAll([{ id: "a", version: 1 }])).toBe(1);
        throw thrown;
      });
      expect(await failureOf(failure)).toBe(thrown);
      expect(await collection.get("a", "live")).toBeDefined();
    });

    test("when the work throws, none of its writes happened, and the caller gets what it threw", async () => {
      const collection = await suite.people(index("tags", ["tags"]));
      await collection.insert(written("keep", { name: "kept", tags: ["x"] }));
      const thrown = new Error("stop");
      const failure = failureOf(
        suite.store.transaction(async (transaction) => {
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

    test("an operation's failure says what it is, and the transaction is given up", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      await collection.insert(written("a", { name: "Ada" }));
      const inserted = async (id: string, name: string) => {
        await suite.store.transaction(async (transaction) => {
          const own = transaction.collection("app.people");
          await own.insert(written("first", {}));
          await own.insert(written(id, { name }));
        });
      };
      expect(await failureOf(inserted("a", "Bob"))).toMatchObject({ name: "DuplicateId", id: "a" });
      expect(await failureOf(inserted("a", "Ada"))).toBeInstanceOf(DuplicateId);
      expect(await failureOf(inserted("b", "Ada"))).toMatchObject({
        name: "UniqueViolation",
        index: "by_name",
      });
      expect(await failureOf(inserted("first", "Bob"))).toMatchObject({ name: "DuplicateId", id: "first" });
      expect(await collection.count(TRUE, "all")).toBe(1);
    });

    test("a unique value that another write of the transaction gives up is free", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      await collection.insert(written("a", { name: "Ada" }));
      await collection.insert(written("b", { name: "Bob" }));
      await suite.store.transaction(async (transaction) => {
        const own = transaction.collection("app.people");
        await own.remove("a", 1);
        await own.replace(1, written("b", { name: "Ada" }, { version: 2 }));
        await own.insert(written("a", { name: "Bob" }));
      });
      expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("Bob");
      expect(bodyOf(await collection.get("b", "live"))["name"]).toBe("Ada");
    });

    test("what is past its purgeAt does not stand in the way", async () => {
      const collection = await suite.people(index("by_name", ["name"], true));
      await collection.insert(written("a", {}, { deletedAt: start, purgeAt: start + DAY }));
      await collection.insert(written("b", { name: "Ada" }, { purgeAt: start + DAY }));
      suite.clock.time = start + DAY;
      let failures = 0;
      await suite.store.transaction(async (transaction) => {
        const own = transaction.collection("app.people");
        try {
          await own.insert(written("first", {}));
          await own.insert(written("a", { name: "Ada" }));
        } catch (error) {
          if (error instanceof DuplicateId || error instanceof UniqueViolation) failures += 1;
          throw error;
        }
      });
      expect(failures).toBe(0);
      expect(await collection.count(TRUE, "all")).toBe(2);
      expect(bodyOf(await collection.get("a", "live"))["name"]).toBe("Ada");
    });

    test("a failure affects only itself, whatever was sent along with it", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", {}));
      const results = await Promise.allSettled([
        collection.insert(written("e", {})),
        suite.store.transaction(async (transaction) => {
          await transaction.collection("app.people").insert(written("b", {}));
          throw new Error("stop");
        }),
        collection.insert(written("a", {})),
        suite.store.transaction((transaction) =>
          transaction.collection("app.people").insert(written("c", {})),
        ),
        suite.store.transaction(async () => {
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
      expect(idsOf(await collection.find({ filter: TRUE, visibility: "all", limit: 10, skip: 0 }))).toEqual([
        "a",
        "c",
        "d",
        "e",
      ]);
    });

    test("transactions run one after another: increments are never lost", async () => {
      const collection = await suite.people();
      await collection.insert(written("counter", { size: 0 }));
      const increment = () =>
        suite.store.transaction(async (transaction) => {
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
      await suite.people();
      const escaped = await suite.store.transaction(async (transaction) =>
        transaction.collection("app.people"),
      );
      expect(await failureOf(escaped.insert(written("a", {})))).toBeInstanceOf(Error);
      expect(await suite.store.collection("app.people").get("a", "all")).toBeUndefined();
    });

    test("a collection that was not provisioned is an error", async () => {
      const failure = await failureOf(
        suite.store.transaction(async (transaction) => void transaction.collection("app.nothing")),
      );
      expect(failure).toMatchObject({ message: expect.stringContaining("app.nothing") });
    });
  });
}
