import type { StoreCollection } from "./contract/collection.ts";
import type { DocumentWrite } from "./contract/document.ts";

/** What a batch holds at most. */
export interface BatchSize {
  readonly documents: number;
  /** Characters of text, by the average of the batch before. */
  readonly characters: number;
}

/** Documents of the first batch: nothing is known of their size. */
const FIRST = 100;

/**
 * All documents of a collection, deleted ones too, in the order of ids.
 * @param from the id after which they begin
 */
export async function* batches(
  collection: StoreCollection,
  size: BatchSize,
  from?: string,
): AsyncGenerator<readonly DocumentWrite[]> {
  let after = from;
  let limit = Math.min(FIRST, size.documents);
  for (;;) {
    const batch = await collection.scan(after, limit);
    if (batch.length === 0) return;
    yield batch;
    after = batch.at(-1)?.id;
    const characters = batch.reduce((sum, { text }) => sum + text.length, 1);
    limit = Math.max(1, Math.min(size.documents, Math.floor((size.characters * batch.length) / characters)));
  }
}
