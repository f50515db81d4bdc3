import { expect } from "vitest";
import type { Field } from "../../../filter/fields.ts";
import type { OrderKey } from "../../../filter/order.ts";
import type { StoreCollection } from "../../contract/collection.ts";
import type { DocumentWrite } from "../../contract/document.ts";
import type { Store } from "../../contract/store.ts";

/** What tests need that compare an engine with the meaning in memory. */

/** The same documents of a collection with these fields, without indexes and with these. */
export async function storedTwice(
  store: Store,
  name: string,
  declared: readonly Field[],
  documents: readonly DocumentWrite[],
  keys: readonly (readonly OrderKey[])[],
): Promise<readonly StoreCollection[]> {
  const fields = Object.fromEntries(declared.map((field) => [field.path, field]));
  const indexes = keys.map((of, n) => ({ name: `i${n}`, keys: of, unique: false }));
  const [plain, indexed] = [`${name}.plain`, `${name}.indexed`];
  await store.provision([
    { name: plain, fields, indexes: [], feed: false },
    { name: indexed, fields, indexes, feed: false },
  ]);
  const collections = [store.collection(plain), store.collection(indexed)];
  for (const collection of collections) await collection.load(documents);
  return collections;
}

/** Equal lists of ids; else says which query of which documents it was. */
export function expectSame(
  found: readonly string[],
  expected: readonly string[],
  { documents, ...query }: { readonly documents: readonly DocumentWrite[]; readonly [name: string]: unknown },
): void {
  if (found.join() === expected.join()) return;
  const involved = documents.filter(({ id }) => found.includes(id) || expected.includes(id));
  const message = [JSON.stringify(query), ...involved.map(({ text }) => text)].join("\n");
  expect(found, message).toEqual(expected);
}
