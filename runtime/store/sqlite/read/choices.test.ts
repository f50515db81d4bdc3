import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../clock.ts";
import {
  and,
  between,
  compare,
  eq,
  exists,
  FALSE,
  type Filter,
  isIn,
  not,
  search,
} from "../../../filter/algebra.ts";
import { documentFields, field } from "../../../filter/fields.ts";
import { compareDocuments, defaultOrder, type Order, orderBy, positionOf } from "../../../filter/order.ts";
import { matches } from "../../../filter/predicate.ts";
import { textIndex } from "../../../filter/search/index.ts";
import type { JsonObject } from "../../../json.ts";
import type { StoreCollection } from "../../contract/collection.ts";
import type { DocumentWrite } from "../../contract/document.ts";
import type { Store } from "../../contract/store.ts";
import { parsed } from "../../testing/suite/random.ts";
import { openSqliteStore } from "../store.ts";

/**
 * Statements that choose among ways by what they count do so from thousands of rows on: whichever they choose, the pages
 * are those that the filter and the order mean.
 */
const fields = {
  ...documentFields,
  text: field("text", "string"),
  kind: field("kind", "string"),
  status: field("status", "string"),
  due: field("due", ["date-time", "null"]),
  size: field("size", "integer"),
};
const text = textIndex({ fields: [{ field: fields.text, weight: 1 }], defaultLanguage: "en" });
const index = (name: string, ...keys: readonly (typeof fields.kind)[]) => ({
  name,
  keys: keys.map((key) => ({ field: key, descending: key === fields.due })),
  unique: false,
});

/** More than are few wherever something is counted. */
const COUNT = 12_000;
const documents: readonly DocumentWrite[] = Array.from({ length: COUNT }, (_, n) => {
  const id = `d${`${n}`.padStart(5, "0")}`;
  const createdAt = Date.UTC(2026, 0, 1) + (n % 997) * 1000;
  // Not in the order of ids, some alike, some absent.
  const due =
    n % 11 === 0 ? {} : { due: new Date(Date.UTC(2026, 1, 1) + ((n * 7919) % 5000) * 60_000).toISOString() };
  const body: JsonObject = {
    id,
    text: `${n % 100 === 0 ? "" : "common "}${n % 300 === 0 ? "seldom" : "other"}`,
    kind: n % 150 === 0 ? (n % 4 === 0 ? "odd" : "strange") : "usual",
    status: n % 50 === 0 ? "rare" : (["open", "closed"][n % 2] ?? ""),
    size: n % 20,
    ...due,
    _meta: { created_at: new Date(createdAt).toISOString(), version: 1 },
  };
  if (n % 600 === 0) delete body["kind"];
  return { id, version: 1, createdAt, text: JSON.stringify(body) };
});
const bodies = documents.map(parsed);

let store: Store;
let things: StoreCollection;
beforeAll(async () => {
  store = await openSqliteStore({ location: ":memory:", realm: "r", clock: systemClock, queryTime: 60_000 });
  const indexes = [
    index("kind", fields.kind),
    index("status_due", fields.status, fields.due),
    index("due", fields.due),
    index("size", fields.size),
  ];
  await store.provision([{ name: "app.things", fields, indexes, text, feed: false, permanent: true }]);
  things = store.collection("app.things");
  for (let at = 0; at < COUNT; at += 1000) await things.load(documents.slice(at, at + 1000));
});
afterAll(() => store.close());

const searching = (value: string): Filter => {
  const terms = text.parse(value, undefined);
  if ("problem" in terms) throw new Error(terms.problem);
  return search(text, terms);
};
const by = (...keys: readonly (typeof fields.kind)[]): Order =>
  orderBy(keys.map((key) => ({ field: key, descending: key === fields.due })));

const orders: readonly (readonly [string, Order])[] = [
  ["the default order", defaultOrder],
  ["an indexed date, descending", by(fields.due)],
  ["two fields of an index", by(fields.status, fields.due)],
  ["a field without an index of its own order", by(fields.size, fields.due)],
];
const common = searching("common");
const filters: readonly (readonly [string, Filter])[] = [
  ["nearly all are found", common],
  ["nearly all are found, half have a value", and(common, eq(fields.status, "open"))],
  ["nearly all are found, few have a value", and(common, eq(fields.status, "rare"), eq(fields.size, 10))],
  ["nearly all are found, without one", and(common, not(exists(fields.due)), isIn(fields.size, [3, 4]))],
  ["few are found", and(searching("seldom"), eq(fields.status, "open"))],
  ["nothing is found", searching("nothing")],
  ["nothing is wanted", FALSE],
  ["an empty range is wanted", between(fields.size, 3, 2)],
  ["nothing is wanted of a value", isIn(fields.status, [])],
  ["a common value is excluded", not(eq(fields.kind, "usual"))],
  [
    "a common value is excluded, and more asked",
    and(not(eq(fields.kind, "usual")), compare("gt", fields.size, 4)),
  ],
  ["a rare value is excluded", not(eq(fields.kind, "odd"))],
  [
    "a rare value is excluded, and more asked",
    and(not(eq(fields.kind, "odd")), compare("lt", fields.size, 2)),
  ],
  ["without a value", and(eq(fields.status, "open"), not(exists(fields.due)))],
];

describe.each(filters)("Lists of 12,000 documents, %s", (_, filter) => {
  const wanted = bodies.filter((body) => matches(filter, body));

  test.each(orders)("in %s: the first pages, by position and by skip", async (__, order) => {
    const sorted = wanted.toSorted(compareDocuments(order)).map((body) => ({ body, id: body["id"] }));
    const limit = 21;
    let after: JsonObject | undefined;
    for (let page = 0; page < 3; page++) {
      const expected = sorted.slice(page * limit, (page + 1) * limit).map(({ id }) => id);
      const query = { filter, visibility: "live" as const, order, limit };
      const skipped = await things.find({ ...query, skip: page * limit });
      expect(skipped.map(({ id }) => id)).toEqual(expected);
      const position = after === undefined ? undefined : positionOf(order, after);
      const found = await things.find({ ...query, after: position, skip: 0 });
      expect(found.map(({ id }) => id)).toEqual(expected);
      after = sorted[(page + 1) * limit - 1]?.body;
      if (after === undefined) break;
    }
  });

  test("are counted", async () => {
    expect(await things.count(filter, "live")).toBe(wanted.length);
  });
});
