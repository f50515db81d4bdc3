import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { and, compare, eq, type Filter, not, TRUE } from "../../../filter/algebra.ts";
import { documentFields, field } from "../../../filter/fields.ts";
import {
  compareDocuments,
  defaultOrder,
  type Order,
  orderBy,
  type Position,
  positionOf,
} from "../../../filter/order.ts";
import { matches } from "../../../filter/predicate.ts";
import type { JsonValue } from "../../../json.ts";
import { runs } from "../../../testing/random.ts";
import type { StoreCollection } from "../../contract/collection.ts";
import type { DocumentWrite, Visibility } from "../../contract/document.ts";
import { bodyOf, fields, idsOf, index, inLanes, type Suite, start, written } from "./fixtures.ts";

const created = documentFields["_meta.created_at"];
const { id } = documentFields;
const mixed = field("mixed", ["string", "integer", "boolean", "object"]);
const sizes = field("sizes", "integer", ["sizes"]);
const codes = field("lines.code", "string", ["lines"]);

const by = (...keys: readonly (Order[number]["field"] | readonly ["-", Order[number]["field"]])[]): Order =>
  orderBy(
    keys.map((key) =>
      "path" in key ? { field: key, descending: false } : { field: key[1], descending: true },
    ),
  );

/** Orders other than the default one, and positions in them. */
export function describeOrder(suite: Suite): void {
  const live = { filter: TRUE, visibility: "live", limit: 100, skip: 0 } as const;

  describe("find in an order", () => {
    const sorted = async (bodies: Readonly<Record<string, JsonValue>>, path: string, order: Order) => {
      const collection = await suite.people();
      for (const [id, value] of Object.entries(bodies))
        await collection.insert(written(id, value === undefined ? {} : { [path]: value }));
      await collection.insert(written("missing", {}));
      return idsOf(await collection.find({ ...live, order })).join(" ");
    };

    test("null and missing come first, then strings by code point; ties by id", async () => {
      const names = { b: "b", z: "😀", y: "\uffff", null: null, a: "a", other: "a", upper: "B" };
      expect(await sorted(names, "name", by(fields.name))).toBe("missing null upper a other b y z");
    });

    test("descending is the exact reverse but for ties, which stay by id", async () => {
      const names = { b: "b", z: "😀", y: "\uffff", null: null, a: "a", other: "a", upper: "B" };
      expect(await sorted(names, "name", by(["-", fields.name]))).toBe("z y b a other upper missing null");
    });

    test("mixed kinds: numbers, strings, objects, arrays, booleans", async () => {
      const values = {
        yes: true,
        no: false,
        text: "1",
        int: 2,
        frac: 1.5,
        arr: [0],
        obj: { a: 1 },
        empty: "",
      };
      const ascending = "missing frac int empty text obj arr no yes";
      expect(await sorted(values, "mixed", by(mixed))).toBe(ascending);
      const other = await suite.store.collection("app.people").find({ ...live, order: by(["-", mixed]) });
      expect(idsOf(other)).toEqual(ascending.split(" ").reverse());
    });

    test("a value of another type than the only one declared counts as missing", async () => {
      const values = { one: 1, text: "0", yes: true, two: 2.5, list: [0] };
      expect(await sorted(values, "size", by(fields.size))).toBe("list missing text yes one two");
    });

    test("an array counts by its smallest element ascending and its largest descending, an empty one as null", async () => {
      const values = { a: [5, 1], b: [2, 3], c: [], d: [null, 4], e: 0 };
      expect(await sorted(values, "sizes", by(sizes))).toBe("c missing e a b d");
      const other = await suite.store.collection("app.people").find({ ...live, order: by(["-", sizes]) });
      expect(idsOf(other)).toEqual(["a", "d", "b", "e", "c", "missing"]);
    });

    test("a path through an array counts by all that it reaches", async () => {
      const values = { a: [{ code: "m" }, { code: "b" }], b: [{ code: "c" }], c: [{}], d: [] };
      expect(await sorted(values, "lines", by(codes))).toBe("c d missing a b");
    });

    test("by server-owned fields, and by the id alone", async () => {
      const collection = await suite.people();
      for (const [at, id] of ["c", "a", "b"].entries())
        await collection.insert(written(id, {}, { createdAt: start + at, version: 3 - at }));
      const found = async (order: Order) => idsOf(await collection.find({ ...live, order })).join(" ");
      expect(await found(by(["-", created]))).toBe("b a c");
      expect(await found(by(id))).toBe("a b c");
      expect(await found(by(["-", id]))).toBe("c b a");
      expect(await found(by(documentFields["_meta.version"]))).toBe("b a c");
    });
  });

  describe("after a position", () => {
    test("comes every document once, page by page, whatever the order, its directions and the indexes", async () => {
      const keys = [fields.name, fields.size, fields.flag, created, id];
      const declared = [
        index("name_size", ["name", "-size"]),
        index("size", ["size"]),
        index("flag_name", ["-flag", "name", "_meta.created_at"]),
        index("code", ["place"], true),
      ];
      const collections = ["plain", "indexed"].map((name) => `app.${name}`);
      await suite.store.provision(
        collections.map((name) => ({
          name,
          fields,
          indexes: name === "app.plain" ? [] : declared,
          feed: false,
        })),
      );
      const documents = population(90);
      for (const name of collections) await suite.store.collection(name).load(documents);

      const order = fc
        .uniqueArray(fc.record({ field: fc.constantFrom(...keys, fields.place), descending: fc.boolean() }), {
          selector: ({ field }) => field.path,
          minLength: 1,
          maxLength: 3,
        })
        .map(orderBy);
      const filter = fc.constantFrom(
        TRUE,
        eq(fields.name, "n1"),
        and(eq(fields.flag, true), not(eq(fields.size, 2))),
        compare("gt", fields.size, 1),
        compare("lte", fields.name, "n2"),
      );
      const visibility = fc.constantFrom<Visibility>("live", "live", "deleted", "all");
      await fc.assert(
        fc.asyncProperty(order, filter, visibility, fc.constantFrom(2, 7, 13, 40), async (...given) => {
          const [order, filter, visibility, limit] = given;
          const expected = inMemory(documents, filter, visibility, order);
          for (const name of collections) {
            const collection = suite.store.collection(name);
            expect(await walked(collection, { filter, visibility, order, limit })).toEqual(expected);
          }
        }),
        { seed: 7, numRuns: runs(150) },
      );
    });

    test("stays where it is while documents are inserted, edited and removed around it", async () => {
      const collection = await suite.people(index("size", ["-size"]));
      for (let n = 0; n < 10; n++) await collection.insert(written(`d${n}`, { size: n }));
      const order = by(["-", fields.size]);
      const page = await collection.find({ ...live, order, limit: 4 });
      expect(idsOf(page)).toEqual(["d9", "d8", "d7", "d6"]);
      const after = positionOf(order, bodyOf(page.at(-1)));

      await collection.remove("d6");
      await collection.replace(1, written("d8", { size: 1 }, { version: 2 }));
      await collection.replace(1, written("d3", { size: 100 }, { version: 2 }));
      await collection.insert(written("c", { size: 6 }));
      await collection.insert(written("e", { size: 6 }));
      const next = await collection.find({ ...live, order, after, limit: 5 });
      expect(idsOf(next)).toEqual(["e", "d5", "d4", "d2", "d1"]);
    });

    test("of a document that never was", async () => {
      const collection = await suite.people(index("size", ["size"]));
      for (const n of [1, 2, 3]) await collection.insert(written(`d${n}`, { size: n }));
      const found = async (after: Position, order = by(fields.size)) =>
        idsOf(await collection.find({ ...live, order, after })).join(" ");
      expect(await found([1.5, "zzz"])).toBe("d2 d3");
      expect(await found([2, ""])).toBe("d2 d3");
      expect(await found([null, "zzz"])).toBe("d1 d2 d3");
      expect(await found([null, ""], by(["-", fields.size]))).toBe("");
      expect(await found([3, "d3"])).toBe("");
      expect(await found([null], [{ field: fields.size, descending: true }])).toBe("");
      expect(await found([new Date(start).toISOString(), "d1"], defaultOrder)).toBe("d2 d3");
    });

    test("within the documents of a filter, agreeing with it or not", async () => {
      const collection = await suite.people(index("name_size", ["name", "size"]));
      for (let n = 0; n < 12; n++)
        await collection.insert(written(`d${10 + n}`, { name: `n${n % 3}`, size: n }));
      const order = by(fields.name, fields.size);
      const found = async (name: string) =>
        idsOf(
          await collection.find({ ...live, filter: eq(fields.name, "n1"), order, after: [name, 4, "d14"] }),
        );
      expect(await found("n1")).toEqual(["d17", "d20"]);
      expect(await found("n0")).toEqual(["d11", "d14", "d17", "d20"]);
      expect(await found("n2")).toEqual([]);
    });

    test("skips what it is asked to skip", async () => {
      const collection = await suite.people(index("size", ["size"]));
      for (let n = 0; n < 9; n++) await collection.insert(written(`d${n}`, { size: n >> 1 }));
      const order = by(fields.size);
      const found = await collection.find({ ...live, order, after: [1, "d2"], skip: 2, limit: 3 });
      expect(idsOf(found)).toEqual(["d5", "d6", "d7"]);
      await collection.insert(written("n1", {}));
      await collection.insert(written("n2", {}));
      const reverse = { ...live, order: by(["-", fields.size]), after: [1, "d2"], limit: 2 };
      expect(idsOf(await collection.find({ ...reverse, skip: 2 }))).toEqual(["d1", "n1"]);
      expect(idsOf(await collection.find({ ...reverse, skip: 4 }))).toEqual(["n2"]);
    });

    test("among thousands of equal values", async () => {
      const declared = [index("flag", ["-flag"]), index("name", ["name", "-size"])];
      const collection = await suite.people(...declared);
      const documents = Array.from({ length: 5000 }, (_, n) => {
        const body = { flag: n % 1000 !== 0, ...(n < 2500 ? {} : { name: "same", size: n % 2 }) };
        return written(`d${(n * 7919) % 100_000}`, body, { createdAt: start + (n % 7) });
      });
      await collection.load(documents);
      for (const order of [
        by(["-", fields.flag]),
        by(fields.flag),
        by(fields.name),
        by(["-", fields.name]),
        by(["-", fields.name], fields.size),
        by(["-", fields.name], ["-", fields.size]),
      ]) {
        const expected = inMemory(documents, TRUE, "live", order);
        const pages = { filter: TRUE, visibility: "live", order, limit: 300 } as const;
        expect(await walked(collection, pages)).toEqual(expected);
      }
    });

    test("where equal values were thousands and are few now", async () => {
      for (const order of [by(fields.size), by(["-", fields.size])]) {
        const name = `app.${order[0]?.descending}`;
        await suite.store.provision([{ name, fields, indexes: [index("size", ["size"])], feed: false }]);
        const collection = suite.store.collection(name);
        const size = order[0]?.descending ? 9 : 1;
        const documents = Array.from({ length: 3000 }, (_, n) => written(`d${n}`, { size }));
        await collection.load(documents);
        const first = () => collection.find({ ...live, order, limit: 20 });
        expect(await first()).toHaveLength(20);

        const kept = documents.slice(0, 3);
        await inLanes(documents.slice(3), ({ id }) => collection.remove(id));
        const others = [2, 3, 2, 4, 4].map((size, n) => written(`e${n}`, { size }));
        for (const document of others) await collection.insert(document);
        const expected = inMemory([...kept, ...others], TRUE, "live", order);
        expect(idsOf(await first())).toEqual(expected);
        expect(idsOf(await collection.find({ ...live, order, skip: 2 }))).toEqual(expected.slice(2));

        const missing = [written("a", {}), written("z", {})];
        for (const document of missing) await collection.insert(document);
        expect(idsOf(await first())).toEqual(inMemory([...kept, ...others, ...missing], TRUE, "live", order));

        for (const { id } of [...kept, ...others]) await collection.remove(id);
        expect(idsOf(await first())).toEqual(["a", "z"]);
      }
    });
  });
}

/** Documents with few values each, some of them missing; two thirds live. */
function population(count: number): readonly DocumentWrite[] {
  return Array.from({ length: count }, (_, n) => {
    const body = {
      ...(n % 5 === 0 ? {} : { name: n % 7 === 0 ? null : `n${n % 4}` }),
      ...(n % 6 === 0 ? {} : { size: (n % 3) / 2 + (n % 2) }),
      ...(n % 4 === 0 ? {} : { flag: n % 3 === 0 }),
      ...(n % 9 === 0 ? {} : { place: `p${(n * 37) % 101}` }),
    };
    return written(`d${(n * 61) % 100}`, body, {
      createdAt: start - (n % 8) * 1000,
      deletedAt: n % 3 === 2 ? start : undefined,
    });
  });
}

function inMemory(
  documents: readonly DocumentWrite[],
  filter: Filter,
  visibility: Visibility,
  order: Order,
): readonly string[] {
  const compared = compareDocuments(order);
  return documents
    .filter(({ deletedAt }) => visibility === "all" || (deletedAt === undefined) === (visibility === "live"))
    .map((document) => ({ id: document.id, body: bodyOf(document) }))
    .filter(({ body }) => matches(filter, body))
    .sort((a, b) => compared(a.body, b.body))
    .map((document) => document.id);
}

/** All ids, from one position to the next. */
async function walked(
  collection: StoreCollection,
  find: { filter: Filter; visibility: Visibility; order: Order; limit: number },
): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: Position | undefined;
  for (;;) {
    const page = await collection.find({ ...find, skip: 0, after });
    expect(page.length).toBeLessThanOrEqual(find.limit);
    if (ids.length > 10_000) throw new Error("positions go round in circles");
    ids.push(...idsOf(page));
    const last = page.at(-1);
    if (last === undefined || page.length < find.limit) return ids;
    after = positionOf(find.order, bodyOf(last));
  }
}
