import type { Every } from "../every.ts";

/** Work in the background of an instance. */
export interface BackgroundJob {
  /** Does a round at once, or another one after that which is under way. */
  wake(): void;
  /** Begins nothing more than the round that was asked for, and waits for what is under way. */
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
    if (finished || (stopped && !again)) return;
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
      while (underway !== undefined) await underway;
    },
  };
}
