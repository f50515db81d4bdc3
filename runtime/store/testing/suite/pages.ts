import { describe, expect, test } from "vitest";
import { compare, eq, type Filter, isIn, not, or, TRUE } from "../../../filter/algebra.ts";
import { defaultOrder, type Order, positionOf } from "../../../filter/order.ts";
import type { StoreCollection } from "../../contract/collection.ts";
import type { Find } from "../../contract/query.ts";
import { findPage } from "../../page.ts";
import { bodyOf, fields, idsOf, index, type Suite, shape, start, written } from "./fixtures.ts";

const all: Find = { filter: TRUE, visibility: "live", limit: 100, skip: 0 };
const by = (...keys: readonly (readonly [keyof typeof fields, boolean])[]): Order =>
  keys.map(([name, descending]) => ({ field: fields[name], descending }));

/** Pages that are bounded by the length of documents, however these are found. */
export function describePages(suite: Suite): void {
  describe("pages bounded in characters", () => {
    /** Short and long documents: those from 16 KiB on are read by themselves. */
    const lengths = [10, 40_000, 10, 10, 20_000, 20_000, 90_000, 90_000, 10, 16_384, 5_000, 40_000];

    const filled = async (): Promise<StoreCollection> => {
      const indexes = [index("size", ["size"]), index("flag", ["flag", "size"]), index("tags", ["tags"])];
      await suite.store.provision([shape("app.people", { indexes })]);
      const collection = suite.store.collection("app.people");
      const documents = lengths.map((length, n) => {
        const body = { place: `p${n % 3}`, size: n % 5, flag: n % 2 === 0, tags: [`t${n % 4}`] };
        const createdAt = start + (n % 4);
        const deletedAt = n % 6 === 5 ? start : undefined;
        return written(`d${n}`, { ...body, name: "ö".repeat(length) }, { createdAt, deletedAt });
      });
      await collection.load(documents);
      return collection;
    };

    test("the last document is the one that makes the page longer, and never the only one", async () => {
      const collection = await filled();
      const query = { ...all, order: by(["id", false]) };
      const found = await collection.find({ ...query, characters: 60_000 });
      expect(idsOf(found)).toEqual(["d0", "d1", "d10", "d2", "d3", "d4"]);
      expect(found).toEqual((await collection.find(query)).slice(0, 6));
      expect(idsOf(await collection.find({ ...query, characters: 1 }))).toEqual(["d0", "d1"]);
      expect(await collection.find({ ...query, characters: 10_000_000 })).toEqual(
        await collection.find(query),
      );
      expect(idsOf(await collection.find({ ...query, characters: 60_000, limit: 2 }))).toEqual(["d0", "d1"]);
    });

    test("a page says whether there is more, be it too many documents or too long ones", async () => {
      const collection = await filled();
      const page = async (more: Partial<Find>, characters: number) => {
        const { found, hasMore } = await findPage(collection, {
          ...all,
          order: by(["id", false]),
          ...more,
          characters,
        });
        return `${idsOf(found).join(" ")} ${hasMore}`;
      };
      expect(await page({}, 60_000)).toBe("d0 d1 d10 d2 d3 true");
      expect(await page({ limit: 2 }, 60_000)).toBe("d0 d1 true");
      expect(await page({ limit: 3 }, 60_000)).toBe("d0 d1 d10 true");
      expect(await page({ after: ["d8"] }, 1)).toBe("d9 false");
      expect(await page({ after: ["d7"] }, 1)).toBe("d8 true");
      expect(await page({ after: ["d9"] }, 1)).toBe(" false");
      expect(await page({ limit: 10 }, 10_000_000)).toBe("d0 d1 d10 d2 d3 d4 d6 d7 d8 d9 false");
    });

    const filters: readonly (readonly [string, Filter])[] = [
      ["everything", TRUE],
      ["an indexed value", eq(fields.flag, true)],
      ["a range", compare("gte", fields.size, 2)],
      ["one of several values", isIn(fields.size, [1, 2, 4])],
      ["a value in an array", eq(fields.tags, "t1")],
      ["what no index serves", or(eq(fields.place, "p1"), not(eq(fields.size, 3)))],
    ];
    const orders: readonly (readonly [string, Order])[] = [
      ["the default order", defaultOrder],
      ["an indexed field", by(["size", false], ["id", false])],
      ["the same, backwards", by(["size", true], ["id", true])],
      ["a field without an index", by(["place", false], ["size", true], ["id", false])],
    ];

    test.each(filters)(
      "a walk by cursor, and one by skip, meet every document once: %s",
      async (_, filter) => {
        const collection = await filled();
        for (const [name, order] of orders) {
          for (const visibility of ["live", "all"] as const) {
            const query = { ...all, filter, visibility, order };
            const whole = await collection.find(query);
            const characters = 50_000;
            const walked = [];
            const skipped = [];
            let after: Find["after"];
            for (let more = true; more; ) {
              const { found, hasMore } = await findPage(collection, {
                ...query,
                after,
                limit: 4,
                characters,
              });
              const last = found.at(-1);
              walked.push(...found);
              after = last && positionOf(order, bodyOf(last));
              more = hasMore;
            }
            for (let more = true; more; ) {
              const skip = skipped.length;
              const { found, hasMore } = await findPage(collection, {
                ...query,
                skip,
                limit: 4,
                characters,
              });
              skipped.push(...found);
              more = hasMore;
            }
            expect(walked, `${name}, ${visibility}`).toEqual(whole);
            expect(skipped, `${name}, ${visibility}`).toEqual(whole);
          }
        }
      },
    );

    test("in a reader thread too, where many rows are looked at", async () => {
      const collection = await suite.people();
      const few = Array.from({ length: 2_500 }, (_, n) =>
        written(`d${String(n).padStart(4, "0")}`, {
          size: n % 500,
          name: "x".repeat(n % 500 === 7 ? 30_000 : 1),
        }),
      );
      await collection.load(few);
      const query = { ...all, filter: eq(fields.size, 7), order: by(["name", true], ["id", false]) };
      const found = await collection.find({ ...query, characters: 70_000 });
      expect(idsOf(found)).toEqual(["d0007", "d0507", "d1007"]);
      expect(found).toEqual((await collection.find(query)).slice(0, 3));
    });
  });
}
