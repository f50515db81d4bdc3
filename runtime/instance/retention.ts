import type { Clock } from "../clock.ts";
import type { Log, RealmInstance } from "../realm/exchange.ts";
import type { Lease } from "../store/contract.ts";
import { realmCollections } from "./realm.ts";

/** Documents removed in one write, so that others get their turn in between. */
const batch = 200;
/** Writes a sweep makes for one collection; the next sweep goes on. */
const batches = 500;

/**
 * Milliseconds that a sweep has a realm to itself without renewing its lease, so long that a slow write does not end it.
 * Where the store is shared, an instance that dies leaves the realm to the others after that.
 */
const leaseTime = 60_000;

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

/** Renews a lease when half of its time is over; false when it was lost. */
function holding(lease: Lease, clock: Clock): () => Promise<boolean> {
  let renewed = clock.now();
  return async () => {
    const now = clock.now();
    if (now - renewed < leaseTime / 2) return true;
    renewed = now;
    return lease.renew();
  };
}

/** Calls back again and again until told to stop; `setInterval` in production, held still by tests. */
export type Every = (milliseconds: number, work: () => void) => () => void;

export const every: Every = (milliseconds, work) => {
  const timer = setInterval(work, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};

export interface RetentionJob {
  /** Starts no further sweep and waits for the one under way. */
  stop(): Promise<void>;
}

/** Purges at once, so that what expired while the process was down goes, and then every minute. */
export function startRetention(realms: readonly RealmInstance[], log: Log, repeat: Every): RetentionJob {
  let stopped = false;
  let sweep: Promise<void> | undefined;
  const run = () => {
    sweep ??= sweepAll().finally(() => {
      sweep = undefined;
    });
  };
  const cancel = repeat(60_000, run);
  run();
  return {
    async stop() {
      stopped = true;
      cancel();
      await sweep;
    },
  };

  async function sweepAll(): Promise<void> {
    for (const realm of realms) {
      if (stopped) return;
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
  }
}
