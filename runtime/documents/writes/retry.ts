import { randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { writeConflict } from "../errors.ts";

/** How often a write that lost a race is tried, and what it waits for in between. */
export interface Retry {
  readonly attempts: number;
  /** @param lost how many attempts have lost */
  pause(lost: number): Promise<unknown>;
}

/** Spec, Limits: write retries. */
export const shortBackoff: Retry = { attempts: 3, pause: (lost) => setTimeout(randomInt(1, 12 * lost)) };

/** Inside a transaction nobody else writes. */
export const once: Retry = { attempts: 1, pause: () => Promise.resolve() };

/**
 * Reads, decides and writes until nobody else has written in between.
 * @param attempt answers undefined when it lost
 * @throws ApiError `write_conflict` when all attempts lost
 */
export async function optimistic<T>(retry: Retry, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let lost = 0; lost < retry.attempts; lost += 1) {
    if (lost > 0) await retry.pause(lost);
    const done = await attempt();
    if (done !== undefined) return done;
  }
  throw writeConflict();
}
