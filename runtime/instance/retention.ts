import { holding, leaseTime } from "../jobs/holding.ts";
import type { Log, RealmInstance } from "../realm/exchange.ts";
import { type BackgroundJob, type Every, startJob } from "./job.ts";
import { realmCollections } from "./realm.ts";

/** Documents removed in one write, so that others get their turn in between. */
const batch = 200;
/** Writes a sweep makes for one collection; the next sweep goes on. */
const batches = 500;

type Swept = Pick<RealmInstance, "definition" | "store" | "clock">;

/**
 * Removes for good what has passed its end in a realm: deleted documents after their retention, sessions and
 * idempotency records. Answers how many; undefined where another sweep, of another instance perhaps, is at it.
 */
export async function purgeExpired({ definition, store, clock }: Swept): Promise<number | undefined> {
  const lease = await store.lease("retention", leaseTime);
  if (lease === undefined) return undefined;
  const hold = holding(lease, clock);
  let removed = 0;
  try {
    for (const { name } of realmCollections(definition)) {
      const collection = store.collection(name);
      for (let round = 0; round < batches; round += 1) {
        if (!(await hold())) return removed;
        const now = await collection.removeExpired(batch);
        removed += now;
        if (now < batch) break;
      }
    }
    return removed;
  } finally {
    await lease.release();
  }
}

/** Purges at once, so that what expired while the process was down goes, and then every minute. */
export function startRetention(realms: readonly RealmInstance[], log: Log, repeat: Every): BackgroundJob {
  return startJob(repeat, async (stopped) => {
    for (const realm of realms) {
      if (stopped()) return false;
      try {
        const removed = (await purgeExpired(realm)) ?? 0;
        if (removed > 0) log.info({ realm: realm.definition.name, removed }, "purged expired documents");
      } catch (err) {
        log.error(
          { err, realm: realm.definition.name },
          "purging expired documents failed; trying again in a minute",
        );
      }
    }
    return false;
  });
}
