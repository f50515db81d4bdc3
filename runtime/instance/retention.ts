import type { Log, RealmInstance } from "../realm/exchange.ts";
import type { StoreCollection } from "../store/contract.ts";
import { realmCollections } from "./realm.ts";

/** Documents removed in one write, so that others get their turn in between. */
const batch = 200;
/** Writes a sweep makes for one collection; the next sweep goes on. */
const batches = 500;

/**
 * Removes for good what has passed its end in a realm: deleted documents after their retention, sessions and
 * idempotency records. Answers how many.
 */
export async function purgeExpired({
  definition,
  store,
}: Pick<RealmInstance, "definition" | "store">): Promise<number> {
  let removed = 0;
  for (const { name } of realmCollections(definition))
    removed += await purgeCollection(store.collection(name));
  return removed;
}

async function purgeCollection(collection: StoreCollection): Promise<number> {
  let removed = 0;
  for (let round = 0; round < batches; round += 1) {
    const now = await collection.removeExpired(batch);
    removed += now;
    if (now < batch) break;
  }
  return removed;
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
        const removed = await purgeExpired(realm);
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
