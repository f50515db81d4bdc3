import type { Filter } from "../filter/algebra.ts";
import type { Order, Position } from "../filter/order.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import type { Store } from "../store/contract/store.ts";

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

/** All of a collection that match, in an order that can be gone on in. */
export interface Walk<Record> {
  readonly collection: string;
  readonly filter: Filter;
  readonly order: Order;
  readonly read: (document: StoredDocument) => Record;
  /** Of a record in the order. */
  readonly position: (record: Record) => Position;
  /** Records read at once. */
  readonly page: number;
}

/** The live records that match, page after page, none of which is empty. */
export async function* walk<Record>(
  store: Store,
  { collection, filter, order, read, position, page }: Walk<Record>,
): AsyncGenerator<readonly Record[], void> {
  let after: { readonly after?: Position } = {};
  for (;;) {
    const documents = await store
      .collection(collection)
      .find({ filter, visibility: "live", order, ...after, limit: page, skip: 0 });
    const records = documents.map(read);
    const last = records.at(-1);
    if (last === undefined) return;
    yield records;
    if (records.length < page) return;
    after = { after: position(last) };
  }
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
