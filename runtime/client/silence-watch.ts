import type { Clock } from "./subscriptions.ts";

/** When nothing has come for so many milliseconds, nothing will: heartbeats come every 25 seconds. */
const longestSilence = 60_000;
/** How often that is looked after: a computer that slept finds it out this soon. */
const watchInterval = 15_000;

/** Ends a request that has gone silent. Time that nobody measured, because the computer slept, counts. */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #controller: AbortController;
  #heardAt: number;
  #cancel: () => void;

  constructor(clock: Clock, controller: AbortController) {
    this.#clock = clock;
    this.#controller = controller;
    this.#heardAt = clock.now();
    this.#cancel = clock.after(watchInterval, () => this.#look());
  }

  heard(): void {
    this.#heardAt = this.#clock.now();
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    if (this.#clock.now() - this.#heardAt > longestSilence) this.#controller.abort();
    else this.#cancel = this.#clock.after(watchInterval, () => this.#look());
  }
}
