import { afterEach, beforeEach, expect, test } from "vitest";
import { text } from "../../filter/algebra.ts";
import { field } from "../../filter/fields.ts";
import type { StoreCollection } from "../contract/collection.ts";
import type { Store } from "../contract/store.ts";
import { testStore } from "../testing/stores.ts";
import { INLINE_ROWS } from "./query.ts";

const name = field("name", "string");
/** Enough to leave the main thread for certain, although rows are counted by sampling. */
const MANY = INLINE_ROWS * 4;

let store: Store;
let collection: StoreCollection;
beforeEach(async () => {
  store = await testStore({ collections: [{ name: "app.things", fields: {}, indexes: [], feed: false }] });
  collection = store.collection("app.things");
});
afterEach(() => store.close());

const insert = (n: number) =>
  collection.insert({ id: `${n}`, version: 1, createdAt: n, text: '{"name":"STRAẞE \\u212a"}' });

test.each([
  ["the main thread", 1],
  ["the reader threads", MANY],
])("where 4: text is compared without case by the same function: %s", async (_, count) => {
  await Promise.all(Array.from({ length: count }, (_, n) => insert(n)));
  expect(await collection.count(text("endsWith", name, "straße k", true), "live")).toBe(count);
  expect(await collection.count(text("endsWith", name, "strasse k", true), "live")).toBe(0);
});
