import { describe, expect, test } from "vitest";
import { and, compare, eq, exists, isIn, not, or, TRUE } from "../../../filter/algebra.ts";
import type { Visibility } from "../../contract/document.ts";
import type { IndexShape } from "../../contract/shape.ts";
import { fields, idsOf, index, type Suite, shape, start, written } from "./fixtures.ts";

/** Lists and counts, with indexes and without. */
export function describeQueries(suite: Suite): void {
  test("a permanent collection: live documents have no purgeAt, deleted ones do", async () => {
    await suite.store.provision([
      shape("app.people", { permanent: true, indexes: [index("size", ["size"])] }),
    ]);
    const collection = suite.store.collection("app.people");
    const expiring = written("x", {}, { purgeAt: start + 1 });
    await expect(collection.insert(expiring)).rejects.toThrow("purgeAt");
    for (let n = 0; n < 5; n++) await collection.insert(written(`${n}`, { size: 1 }));
    await expect(collection.replace(1, { ...expiring, id: "0", version: 2 })).rejects.toThrow("purgeAt");
    const deleted = written("1", { size: 1 }, { version: 2, deletedAt: start, purgeAt: start + 1 });
    expect(await collection.replace(1, deleted)).toBe(true);

    const seen = async (visibility: Visibility) => {
      const found = await Promise.all(
        [TRUE, eq(fields.size, 1)].map(async (filter) => [
          await collection.count(filter, visibility),
          (await collection.find({ filter, visibility, limit: 10, skip: 0 })).length,
        ]),
      );
      return [...found.flat(), (await collection.get("1", visibility)) === undefined];
    };
    expect(await seen("live")).toEqual([4, 4, 4, 4, true]);
    expect(await seen("deleted")).toEqual([1, 1, 1, 1, false]);
    suite.clock.time = start + 1;
    expect(await seen("live")).toEqual([4, 4, 4, 4, true]);
    expect(await seen("deleted")).toEqual([0, 0, 0, 0, true]);
    expect(await seen("all")).toEqual([4, 4, 4, 4, true]);
  });

  describe("find", () => {
    test("is in order of creation time, then id by code point", async () => {
      const collection = await suite.people();
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
      const collection = await suite.people();
      for (const id of ["a", "b", "c"]) await collection.insert(written(id, {}));
      await collection.replace(1, written("a", { name: "changed" }, { version: 2 }));
      expect(idsOf(await collection.find({ filter: TRUE, visibility: "live", limit: 10, skip: 0 }))).toEqual([
        "a",
        "b",
        "c",
      ]);
    });

    test("limit and skip", async () => {
      const collection = await suite.people();
      for (let n = 0; n < 10; n++) await collection.insert(written(`${n}`, { size: n }));
      const page = async (limit: number, skip: number, filter = TRUE) =>
        idsOf(await collection.find({ filter, visibility: "live", limit, skip }));
      expect(await page(3, 0)).toEqual(["0", "1", "2"]);
      expect(await page(3, 8)).toEqual(["8", "9"]);
      expect(await page(3, 10)).toEqual([]);
      expect(await page(2, 1, compare("gte", fields.size, 5))).toEqual(["6", "7"]);
    });

    test("by filter, in every visibility", async () => {
      const collection = await suite.people();
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
      const [any] = await collection.find({ filter: TRUE, visibility: "all", limit: 1, skip: 0 });
      expect(any).not.toHaveProperty("score");
    });

    test("is two-valued: a filter and its opposite divide the documents", async () => {
      const collection = await suite.people();
      await collection.insert(written("a", { name: "Ada" }));
      await collection.insert(written("b", { name: null }));
      await collection.insert(written("c", {}));
      await collection.insert(written("d", { name: { not: "a string" } }));
      for (const filter of [eq(fields.name, "Ada"), exists(fields.name), compare("lt", fields.name, "B")]) {
        expect((await collection.count(filter, "live")) + (await collection.count(not(filter), "live"))).toBe(
          4,
        );
      }
      expect(await collection.count(not(eq(fields.name, "Ada")), "live")).toBe(3);
    });

    test("true is not 1, nor a number its digits", async () => {
      const collection = await suite.people();
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
      const collection = await suite.people(...indexes);
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
          and(compare("gte", fields["_meta.created_at"], new Date(start).toISOString()), eq(fields.size, 5)),
        ),
      ).toBe("d15");

      await collection.replace(1, written("d14", { name: "n4", tags: ["other"] }, { version: 2 }));
      await collection.remove("d29");
      expect(await found(isIn(fields.tags, ["t4", "other"]))).toBe("d14 d24 d39");
    });
  });

  test("one document among thousands with the same element of an indexed array", async () => {
    const collection = await suite.people(index("tags", ["tags"]));
    const tags = ["same"];
    await collection.load(Array.from({ length: 2000 }, (_, n) => written(`${n}`, { tags })));
    for (let n = 0; n < 20; n++) {
      expect(await collection.get(`${n}`, "live", eq(fields.tags, "same"))).toBeDefined();
      expect(await collection.get(`${n}`, "live", eq(fields.tags, "other"))).toBeUndefined();
    }
  });

  describe("reads and writes together", () => {
    test("a read sees every write acknowledged before it, expensive ones too", async () => {
      const collection = await suite.people();
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
      const collection = await suite.people();
      await Promise.all(
        Array.from({ length: 40 }, async (_, writer) => {
          for (let n = 0; n < 10; n++) await collection.insert(written(`${writer}-${n}`, {}));
        }),
      );
      expect(await collection.count(TRUE, "live")).toBe(400);
    });
  });
}
