import type { Clock } from "../clock.ts";
import type { Lease } from "../store/contract.ts";

/** Calls back again and again until told to stop; `setInterval` in production, held still by tests. */
export type Every = (milliseconds: number, work: () => void) => () => void;

export const every: Every = (milliseconds, work) => {
  const timer = setInterval(work, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};

/** Work in the background of an instance. */
export interface BackgroundJob {
  /** Does a round at once, or another one after that which is under way. */
  wake(): void;
  /** Begins nothing more and waits for what is under way. */
  stop(): Promise<void>;
}

/**
 * Does a round of work at once and then every minute, one at a time.
 * @param round answers whether all is done, for good; it ends early where `stopped` says so
 */
export function startJob(repeat: Every, round: (stopped: () => boolean) => Promise<boolean>): BackgroundJob {
  let stopped = false;
  let finished = false;
  let again = false;
  let underway: Promise<void> | undefined;
  const run = () => {
    if (finished || stopped) return;
    again = false;
    underway ??= round(() => stopped)
      .then((all) => {
        finished = all;
        if (all) cancel();
      })
      .finally(() => {
        underway = undefined;
        if (again) run();
      });
  };
  const cancel = repeat(60_000, run);
  run();
  return {
    wake() {
      if (underway === undefined) run();
      else again = true;
    },
    async stop() {
      stopped = true;
      cancel();
      await underway;
    },
  };
}

/**
 * Milliseconds that a background job has a realm to itself without renewing its lease, so long that a slow write does not
 * end it. Where the store is shared, an instance that dies leaves the realm to the others after that.
 */
export const leaseTime = 60_000;

/** Renews a lease when half of its time is over; false when it was lost. */
export function holding(lease: Lease, clock: Clock): () => Promise<boolean> {
  let renewed = clock.now();
  return async () => {
    const now = clock.now();
    if (now - renewed < leaseTime / 2) return true;
    renewed = now;
    return lease.renew();
  };
}
