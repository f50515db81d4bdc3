import type { Clock } from "./clock.ts";
import type { Rate } from "./units.ts";

/** Callers that are known; beyond them the one that has been quiet for longest is forgotten. */
const KNOWN = 10_000;

/** How often callers did something lately, each by itself, in this instance. */
export class Frequency {
  readonly #rate: Rate;
  readonly #clock: Clock;
  /** When they did it, as often as is allowed, oldest first; callers in the order of their newest. */
  readonly #times = new Map<string, readonly number[]>();

  /** @param rate how often each may */
  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Milliseconds until the caller may do it once more; 0: now. */
  wait(caller: string): number {
    const { limit, period } = this.#rate;
    const now = this.#clock.now();
    const oldest = this.#recent(caller, now).at(-limit);
    return oldest === undefined ? 0 : oldest + period - now;
  }

  /** The caller did it. */
  count(caller: string): void {
    const now = this.#clock.now();
    const times = [...this.#recent(caller, now), now].slice(-this.#rate.limit);
    this.#times.delete(caller);
    this.#times.set(caller, times);
    for (const quiet of this.#times.keys()) {
      if (this.#times.size <= KNOWN) break;
      this.#times.delete(quiet);
    }
  }

  /** Later than now it was by a clock that was wrong then. */
  #recent(caller: string, now: number): readonly number[] {
    const since = now - this.#rate.period;
    return this.#times.get(caller)?.filter((at) => at > since && at <= now) ?? [];
  }
}
