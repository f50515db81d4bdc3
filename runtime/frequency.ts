import type { Clock } from "./clock.ts";
import { kept } from "./kept.ts";
import type { Rate } from "./units.ts";

/** Callers that are known; beyond them the one that has been quiet for longest is forgotten. */
const KNOWN = 10_000;

/**
 * Slices of a period in which calls are counted together where more are allowed than there are slices. A caller's record
 * has at most one number pair more than this, whatever the rate: 4 KB, and 40 MB for all callers that are known.
 */
const SLICES = 240;

/**
 * How often callers did something lately, each by itself, in this instance. No period has more calls than the rate allows.
 * Calls count until their slice has left the period: to the millisecond where at most 240 are allowed, beyond that at
 * most 1/240 of the period longer.
 */
export class Frequency {
  readonly #rate: Rate;
  readonly #clock: Clock;
  /** Callers in the order of their newest calls. */
  readonly #callers = new Map<string, RecentCalls>();

  /** @param rate how often each may */
  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Milliseconds until the caller may do it once more; 0: now. */
  wait(caller: string): number {
    return this.#callers.get(caller)?.wait(this.#clock.now()) ?? 0;
  }

  /** Counts a call of the caller. */
  count(caller: string): void {
    const calls = kept(this.#callers, caller, () => new RecentCalls(this.#rate));
    calls.count(this.#clock.now());
    this.#callers.delete(caller);
    this.#callers.set(caller, calls);
    for (const quiet of this.#callers.keys()) {
      if (this.#callers.size <= KNOWN) break;
      this.#callers.delete(quiet);
    }
  }
}

/** The newest calls of one caller, as many as are allowed in a period, counted by slices of it. */
class RecentCalls {
  readonly #rate: Rate;
  /** Milliseconds; slice `n` begins at `n` times as many. */
  readonly #width: number;
  /** The slices that have calls, oldest first. */
  readonly #slices: number[] = [];
  /** How many calls each of them has. */
  readonly #counts: number[] = [];
  #total = 0;

  constructor(rate: Rate) {
    this.#rate = rate;
    this.#width = rate.limit <= SLICES ? 1 : Math.ceil(rate.period / SLICES);
  }

  /** Milliseconds until there may be one more; 0: now. */
  wait(now: number): number {
    this.#forget(now);
    const oldest = this.#slices[0];
    return oldest === undefined || this.#total < this.#rate.limit ? 0 : this.#end(oldest) - now;
  }

  count(now: number): void {
    this.#forget(now);
    const slice = this.#sliceOf(now);
    const newest = this.#slices.length - 1;
    if (this.#slices[newest] === slice) this.#counts[newest] = (this.#counts[newest] ?? 0) + 1;
    else {
      this.#slices.push(slice);
      this.#counts.push(1);
    }
    this.#total += 1;
    this.#forget(now);
  }

  /** Drops slices that have left the period, those older than the calls that are allowed, and those to come: a clock was wrong then. */
  #forget(now: number): void {
    const current = this.#sliceOf(now);
    while ((this.#slices.at(-1) ?? current) > current) {
      this.#slices.pop();
      this.#total -= this.#counts.pop() ?? 0;
    }
    for (;;) {
      const [oldest, calls] = [this.#slices[0], this.#counts[0]];
      if (oldest === undefined || calls === undefined) return;
      if (this.#end(oldest) > now && this.#total - calls < this.#rate.limit) return;
      this.#slices.shift();
      this.#counts.shift();
      this.#total -= calls;
    }
  }

  /** When the calls of a slice have left the period: so long after its last millisecond. */
  #end(slice: number): number {
    return (slice + 1) * this.#width - 1 + this.#rate.period;
  }

  #sliceOf(now: number): number {
    return Math.floor(now / this.#width);
  }
}
