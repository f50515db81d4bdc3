import { setTimeout } from "node:timers/promises";
import type { JobKind } from "../jobs/kind.ts";
import { storeNameOf } from "../realm/definition.ts";

/** Milliseconds for which others have the main thread between two pieces. */
const pause = 2;

const minute = 60_000;

/** Whose text index is to be filled. */
interface Indexing {
  /** As the store names the collection. */
  readonly collection: string;
}

/**
 * Brings documents into text indexes that were declared anew or otherwise (spec: Full-text search 7, Versioning 5). How far
 * it has come is recorded with the index itself, piece by piece, so that the next process goes on right there.
 */
export const textIndexing: JobKind = {
  name: "text_index",
  limit: 1,
  // Want of space may last for a while, and searches wait for it: two days.
  backoff: [1_000, 10_000, minute, ...Array.from({ length: 288 }, () => 10 * minute)],
  needed({ definition, store }) {
    const unfilled = new Set(store.unfilledTexts());
    return definition.collections
      .map((collection) => ({ ...collection, stored: storeNameOf(collection) }))
      .filter(({ stored }) => unfilled.has(stored))
      .map(({ database, name, stored }) => {
        const state: Indexing = { collection: stored };
        return { target: `collection:${database}/${name}`, state };
      });
  },
  async step({ store }, job, { goesOn }) {
    const state: Indexing = JSON.parse(job.state);
    // Nothing is left to do, either, of one that is declared no longer.
    while (await store.fillText(state.collection)) {
      await setTimeout(pause);
      if (!goesOn()) return { state };
    }
    return {};
  },
};
