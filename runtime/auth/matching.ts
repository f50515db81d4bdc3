import type { Filter } from "../filter/algebra.ts";
import type { Store, StoredDocument } from "../store/contract.ts";

/** Records removed in one transaction. */
const atOnce = 100;

/** A live record of a collection that matches: the one there is, where the filter names a unique value. */
export async function findOne(
  store: Store,
  collection: string,
  filter: Filter,
): Promise<StoredDocument | undefined> {
  const [found] = await store.collection(collection).find({ filter, visibility: "live", limit: 1, skip: 0 });
  return found;
}

/** Removes the records of a collection that match, for good; answers how many. */
export async function removeAll(store: Store, collection: string, filter: Filter): Promise<number> {
  let removed = 0;
  for (;;) {
    const found = await store
      .collection(collection)
      .find({ filter, visibility: "live", limit: atOnce, skip: 0 });
    if (found.length === 0) return removed;
    await store.transaction(async (transaction) => {
      const records = transaction.collection(collection);
      for (const { id } of found) await records.remove(id);
    });
    removed += found.length;
    if (found.length < atOnce) return removed;
  }
}
