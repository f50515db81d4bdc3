import type { Clock } from "../clock.ts";
import { Frequency } from "../frequency.ts";
import type { FunctionLimits } from "../realm/functions.ts";
import { FunctionBusy } from "./invocation.ts";

/** What `functions` of realm.yaml bounds, in this instance. */
export class RealmLimits {
  readonly #concurrency: number;
  readonly #calls: Frequency | undefined;
  #running = 0;

  constructor({ concurrency, rate }: FunctionLimits, clock: Clock) {
    this.#concurrency = concurrency ?? Number.POSITIVE_INFINITY;
    this.#calls = rate && new Frequency(rate, clock);
  }

  /** @throws FunctionBusy where as many run as may */
  async running<T>(run: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#concurrency) throw new FunctionBusy();
    this.#running += 1;
    try {
      return await run();
    } finally {
      this.#running -= 1;
    }
  }

  /** Takes one more call; else answers the milliseconds until one is taken. */
  take(): number {
    if (this.#calls === undefined) return 0;
    const wait = this.#calls.wait("");
    if (wait === 0) this.#calls.count("");
    return wait;
  }
}
