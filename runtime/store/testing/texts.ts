import type { Store } from "../contract/store.ts";

/** Brings all documents into the text indexes of a store, as jobs of an instance do. */
export async function fillTexts(store: Store): Promise<void> {
  for (const collection of store.unfilledTexts()) while (await store.fillText(collection));
}
