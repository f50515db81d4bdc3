/** Time, injected so that tests can hold it still. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

export const systemClock: Clock = { now: Date.now };
