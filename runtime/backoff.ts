import { randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";

/** Milliseconds. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 10_000;

/**
 * A pause after so many failures in a row: twice as long after each, up to a time, and at random below that, so that
 * instances come back one by one.
 * @throws AbortError
 */
export function backoff(failures: number, signal: AbortSignal): Promise<unknown> {
  const most = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1));
  return setTimeout(randomInt(most) + 1, undefined, { signal });
}
