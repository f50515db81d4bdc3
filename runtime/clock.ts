/** Time, injected so that tests can hold it still. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

export const systemClock: Clock = { now: Date.now };

let latest = Number.NaN;
let latestText = "";

/**
 * A time in epoch milliseconds as RFC 3339 text in UTC. The last one is remembered: printing a date is dear, and the
 * documents of a batch mostly share theirs.
 */
export function timestamp(at: number): string {
  if (at !== latest) {
    latestText = new Date(at).toISOString();
    latest = at;
  }
  return latestText;
}
