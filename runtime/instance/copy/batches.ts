import { type BatchSize, batches } from "../../store/batches.ts";
import type { StoreCollection } from "../../store/contract/collection.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";

const size: BatchSize = { documents: 1_000, characters: 8 * 1024 ** 2 };

/** All documents of a collection from after an id on, as they are copied. */
export function copyBatches(
  collection: StoreCollection,
  from?: string,
): AsyncGenerator<readonly DocumentWrite[]> {
  return batches(collection, size, from);
}

/** The same, one by one. */
export async function* documents(collection: StoreCollection): AsyncGenerator<DocumentWrite> {
  for await (const batch of copyBatches(collection)) yield* batch;
}
