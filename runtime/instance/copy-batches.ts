import type { DocumentWrite, StoreCollection } from "../store/contract.ts";

/** Documents of the first batch, and the most of any. */
const FIRST = 100;
const MOST = 1_000;

/** Text that a batch may hold, by the average of the batch before; in characters. */
const TEXT = 8 * 1024 ** 2;

/** All documents of a collection from after an id on, in the order of ids. */
export async function* batches(
  collection: StoreCollection,
  from?: string,
): AsyncGenerator<readonly DocumentWrite[]> {
  let after = from;
  let limit = FIRST;
  for (;;) {
    const batch = await collection.scan(after, limit);
    if (batch.length === 0) return;
    yield batch;
    after = batch.at(-1)?.id;
    const characters = batch.reduce((sum, { text }) => sum + text.length, 1);
    limit = Math.max(1, Math.min(MOST, Math.floor((TEXT * batch.length) / characters)));
  }
}

/** The same, one by one. */
export async function* documents(collection: StoreCollection): AsyncGenerator<DocumentWrite> {
  for await (const batch of batches(collection)) yield* batch;
}
