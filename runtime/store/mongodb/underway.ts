import { StoreUnavailable } from "../contract/errors.ts";

/** Operations of a store that are under way, so that it is closed after them. */
export class Underway {
  readonly #patience: number;
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  /** @param patience milliseconds, longer than any operation may take as long as the server or the driver speaks */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /**
   * @param patience another one; infinite where nobody knows how long it takes
   * @throws StoreUnavailable where there is no answer in that time: a server may fall silent without its connection
   * @throws Error once it is closed
   */
  async run<T>(operation: () => Promise<T>, patience = this.#patience): Promise<T> {
    if (this.#closed) throw new Error("the store is closed");
    const running = Number.isFinite(patience) ? withPatience(operation, patience) : operation();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Refuses further operations and waits for those under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#running);
  }
}

function withPatience<T>(operation: () => Promise<T>, patience: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new StoreUnavailable(new Error("the server does not answer")));
    const timer = setTimeout(giveUp, patience);
    operation()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
