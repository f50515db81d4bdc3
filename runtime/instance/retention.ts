import { trimHistory } from "../jobs/history.ts";
import type { JobKind, JobRealm } from "../jobs/kind.ts";
import { realmCollections } from "./realm.ts";

/** Documents removed in one write, so that others get their turn in between. */
const batch = 200;
/** Writes a sweep makes for one collection; the next sweep goes on. */
const batches = 500;

/**
 * Removes for good what has passed its end in a realm, every minute: deleted documents after their retention, sessions,
 * idempotency records, and jobs.
 * @param kinds whose finished jobs it bounds
 */
export function retention(kinds: readonly JobKind[]): JobKind {
  return {
    name: "retention",
    limit: 1,
    backoff: [],
    every: 60_000,
    async step(realm, _, { goesOn }) {
      const expired = await purgeExpired(realm, goesOn);
      const removed = expired + (await trimHistory(realm, kinds, goesOn));
      if (removed > 0) realm.log.info({ realm: realm.definition.name, removed }, "purged expired documents");
      return { result: { removed } };
    },
  };
}

async function purgeExpired({ definition, store }: JobRealm, goesOn: () => boolean): Promise<number> {
  let removed = 0;
  for (const { name } of realmCollections(definition)) {
    const collection = store.collection(name);
    for (let round = 0; round < batches; round += 1) {
      if (!goesOn()) return removed;
      const now = await collection.removeExpired(batch);
      removed += now;
      if (now < batch) break;
    }
  }
  return removed;
}
