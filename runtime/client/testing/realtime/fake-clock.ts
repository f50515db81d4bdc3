import type { Clock } from "../../subscriptions.ts";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that passes only when told to. */
export class FakeClock implements Clock {
  #now = 1_000_000;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers that have neither gone off nor been given up. */
  get pending(): number {
    return this.#timers.size;
  }

  /** To the next timer, at most so many milliseconds from now. */
  step(most: number): void {
    const next = Math.min(...[...this.#timers].map(({ at }) => at));
    this.#now = Math.max(this.#now, Math.min(next, this.#now + most));
    this.#ring();
  }

  /** By so many milliseconds, whose timers go off at their times, one after the other. */
  async pass(milliseconds: number): Promise<void> {
    await settled();
    const end = this.#now + milliseconds;
    while (this.#now < end) {
      this.step(end - this.#now);
      await settled();
    }
  }

  /** As computers do that sleep: timers are late, and go off when it wakes. */
  sleep(milliseconds: number): void {
    this.#now += milliseconds;
    this.#ring();
  }

  #ring(): void {
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > this.#now || !this.#timers.delete(timer)) continue;
      timer.callback();
    }
  }
}

/** When all has happened that what is there leads to, without any waiting. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}
