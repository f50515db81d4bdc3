import type { Every } from "../every.ts";
import type { JobKind, JobRealm } from "../jobs/kind.ts";
import { JobWorker, lookEvery } from "../jobs/worker.ts";

/** Milliseconds that the shutdown waits for steps under way, and for what is due of kinds that drain. */
const patience = 2_000;

/** The jobs of the realms of an instance. */
export interface Jobs {
  /** Looks for what is due in a realm. @param delay milliseconds until it is; default: none */
  wake(realm: string, delay?: number): void;
  /** Ends what is done for a job that was cancelled. */
  drop(realm: string, job: string): void;
  /** Begins nothing more, but what drains. */
  pause(): void;
  /** Finishes what is under way, as far as there is time: so many milliseconds, but some at least. */
  stop(patience?: number): Promise<void>;
}

/**
 * Does the jobs of realms: at once, so that those go on which the last process left half done, whenever one is queued, and
 * every ten seconds. Where the store is shared every instance does some of them.
 */
export function startJobs<Realm extends JobRealm>(
  realms: readonly Realm[],
  kindsOf: (realm: Realm) => readonly JobKind[],
  repeat: Every,
  times: { readonly patience: number } = { patience },
): Jobs {
  const workers = new Map(
    realms.map((realm) => [realm.definition.name, new JobWorker(realm, kindsOf(realm))]),
  );
  const all = [...workers.values()];
  const cancel = repeat(lookEvery, () => {
    for (const worker of all) worker.tick();
  });
  for (const worker of all) worker.wake();
  return {
    wake: (realm, delay) => workers.get(realm)?.wake(delay),
    drop: (realm, job) => workers.get(realm)?.drop(job),
    pause() {
      for (const worker of all) worker.pause();
    },
    async stop(patience = 0) {
      cancel();
      await Promise.all(all.map((worker) => worker.stop(Math.max(times.patience, patience))));
    },
  };
}
