import { randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ApiError } from "./errors.ts";

/** How often a write that lost a race is tried, and what it waits for in between. */
export interface Retry {
  readonly attempts: number;
  /** @param lost how many attempts have lost */
  pause(lost: number): Promise<unknown>;
}

/** Spec, Limits: write retries of documents. */
export const shortBackoff: Retry = { attempts: 3, pause: (lost) => setTimeout(randomInt(1, 12 * lost)) };

/** Of what many may change at the same moment, where each that loses has let another one win. */
export const longBackoff: Retry = {
  attempts: 20,
  pause: (lost) => setTimeout(randomInt(1, 6 * Math.min(lost, 10))),
};

/** Inside a transaction nobody else writes. */
export const once: Retry = { attempts: 1, pause: () => Promise.resolve() };

/** What an attempt rested on is so no longer: it has lost, and writes nothing. */
export class Outdated extends Error {
  constructor() {
    super("what this was decided on has changed");
    this.name = "Outdated";
  }
}

/**
 * Reads, decides and writes until nobody else has written in between.
 * @param attempt answers undefined, or throws {@link Outdated}, when it lost
 * @throws ApiError `write_conflict` when all attempts lost
 */
export async function optimistic<T>(retry: Retry, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let lost = 0; lost < retry.attempts; lost += 1) {
    if (lost > 0) await retry.pause(lost);
    try {
      const done = await attempt();
      if (done !== undefined) return done;
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
    }
  }
  throw new ApiError("write_conflict", "Other writes came in between; try again.");
}
