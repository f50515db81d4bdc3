import type { StoreCollection } from "./contract/collection.ts";
import type { DocumentWrite } from "./contract/document.ts";

/** What a batch holds at most. */
export interface BatchSize {
  readonly documents: number;
  /** Of their texts; the document that makes them longer is the last. */
  readonly characters: number;
}

/**
 * All documents of a collection, deleted ones too, in the order of ids.
 * @param from the id after which they begin
 */
export async function* batches(
  collection: Pick<StoreCollection, "scan">,
  size: BatchSize,
  from?: string,
): AsyncGenerator<readonly DocumentWrite[]> {
  let after = from;
  for (;;) {
    const batch = await collection.scan(after, size.documents, size.characters);
    if (batch.length === 0) return;
    yield batch;
    after = batch.at(-1)?.id;
  }
}
