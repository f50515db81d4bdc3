import type { Clock } from "../clock.ts";
import { parseDuration } from "../units.ts";

/** A time that stands until it is moved on. */
export class HeldClock implements Clock {
  #time: number;

  /** @throws RangeError for what is no time */
  constructor(now: string | Date) {
    this.#time = new Date(now).getTime();
    if (Number.isNaN(this.#time)) throw new RangeError("testRealm: now is no time");
  }

  now(): number {
    return this.#time;
  }

  set(time: number): void {
    this.#time = time;
  }

  /** @throws RangeError for what is no duration */
  advance(duration: string): void {
    const milliseconds = parseDuration(duration);
    if (milliseconds === undefined) throw new RangeError(`advance: ${duration} is no duration such as 10m`);
    this.#time += milliseconds;
  }
}
