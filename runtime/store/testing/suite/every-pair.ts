import { afterAll, beforeAll, expect, test } from "vitest";
import { compare, equalsArray, type Filter, like, text } from "../../../filter/algebra.ts";
import { documentFields, type Field, type FieldKind, field as fieldFor } from "../../../filter/fields.ts";
import { matches } from "../../../filter/predicate.ts";
import type { JsonObject, JsonValue } from "../../../json.ts";
import type { Store } from "../../contract/store.ts";
import { expectSame, storedTwice } from "./alike.ts";
import { idsOf, written } from "./fixtures.ts";
import { hostileTexts, parsed } from "./random.ts";

/** What chance meets too seldom: texts against each other, by every text operator, and whole arrays. */
export function describeEveryPair(open: () => Promise<Store>): void {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  let collections = 0;
  const expectAlike = async (field: Field, bodies: readonly JsonObject[], filters: readonly Filter[]) => {
    const documents = bodies.map((body, n) => written(`${n}`, body));
    const index = [{ field, descending: false }];
    const twice = await storedTwice(store, `app.r${collections++}`, [field], documents, [index]);
    const read = documents.map(parsed);
    for (const filter of filters) {
      const expected = documents.filter((_, n) => matches(filter, read[n] ?? {}));
      for (const collection of twice) {
        const found = await collection.find({ filter, visibility: "all", limit: 1000, skip: 0 });
        expectSame(idsOf(found).toSorted(), idsOf(expected).toSorted(), { documents, filter });
      }
    }
  };

  test.each([[["string"]], [["string", "integer"]]] as const)(
    "where 4: every text operator over every two texts, in a field of %s",
    async (kinds) => {
      const field = fieldFor("text", kinds);
      const patterns = hostileTexts.flatMap((pattern) => [
        pattern,
        `%${pattern}`,
        `${pattern}%`,
        `%${pattern}_%`,
        `_${pattern}`,
        `${pattern}%${pattern}`,
        Array.from(pattern, (point, n) => (n === 1 ? "_" : point)).join(""),
      ]);
      const filters = [false, true].flatMap((ignoreCase) => [
        ...[...new Set(patterns)].map((pattern) => like(field, pattern, ignoreCase)),
        ...(["startsWith", "endsWith", "contains"] as const).flatMap((op) =>
          hostileTexts.map((part) => text(op, field, part, ignoreCase)),
        ),
      ]);
      const bodies = [...hostileTexts, 1, true, null].map((value) => ({ text: value }));
      await expectAlike(field, bodies, filters);
    },
  );

  const listIn: readonly [string, readonly string[], (value: JsonValue) => JsonObject][] = [
    ["list", ["list"], (value) => ({ list: value })],
    ["outer.list", ["outer", "outer.list"], (value) => ({ outer: [{}, { list: value }] })],
    // As an older schema declared it.
    ["list", [], (value) => ({ list: value })],
    ["outer.list", ["outer"], (value) => ({ outer: [{ list: value }, 1] })],
  ];
  const listKinds: readonly (readonly FieldKind[])[] = [
    ["date"],
    ["date", "date-time"],
    ["string", "integer", "boolean"],
  ];

  test.each(
    listIn.flatMap(([path, arrays, body]) => listKinds.map((kinds) => ({ path, arrays, kinds, body }))),
  )(
    "where 6: every array of up to two values against every other: $path of $kinds, arrays in $arrays",
    async ({ path, arrays: declared, kinds, body }) => {
      const field = fieldFor(path, kinds, declared);
      const values = [null, "2026-03-01", "2026-03-01T00:00:00.000Z", "1", 1, 1.5, true, false];
      const arrays = [[], ...values.map((a) => [a]), ...values.flatMap((a) => values.map((b) => [a, b]))];
      const others = [null, 1, "[]", [[]], [["1"]], [["2026-03-01"]], [{}, "1"], ["1", "1", "1"]];
      await expectAlike(
        field,
        [...arrays, ...others].map(body),
        arrays.map((value) => equalsArray(field, value)),
      );
    },
  );

  test("where 6: a document counts once, however many of its elements match", async () => {
    const field = fieldFor("list", "integer", ["list"]);
    const documents = ["a", "b", "c", "d", "e"].map((id) => written(id, { list: [1, 2, 3] }));
    const filter = compare("gt", field, 0);
    for (const collection of await storedTwice(store, "app.counted", [field], documents, [
      [{ field, descending: false }],
    ])) {
      expect(await collection.count(filter, "live")).toBe(5);
      for (const order of [undefined, [{ field: documentFields.id, descending: true }]]) {
        const page = await collection.find({ filter, visibility: "live", order, limit: 2, skip: 2 });
        expect(idsOf(page)).toEqual(order === undefined ? ["c", "d"] : ["c", "b"]);
      }
    }
  });
}
