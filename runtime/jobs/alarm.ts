import type { Clock } from "../clock.ts";

/** Rings once at the earliest of the times that it is set to; set it anew for what comes after that. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #at = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** @param at epoch milliseconds */
  set(at: number): void {
    if (at >= this.#at) return;
    clearTimeout(this.#timer);
    this.#at = at;
    // Timers may come a moment early.
    this.#timer = setTimeout(this.#now, Math.max(0, at - this.#clock.now()) + 1).unref();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#at = Number.POSITIVE_INFINITY;
  }

  readonly #now = () => {
    this.#at = Number.POSITIVE_INFINITY;
    this.#ring();
  };
}
