/** Runs that wait for a thread, in their order, bounded in number and in time. */
import { setMaxListeners } from "node:events";
import type { Outcome, Run } from "../invocation.ts";

export interface Waiting {
  readonly owner: string;
  readonly run: Run;
  /** When it came; of `performance.now()`. */
  readonly since: number;
  readonly begin: (outcome: Promise<Outcome>) => void;
}

export interface QueueBounds {
  readonly runs: number;
  /** Milliseconds that each waits at most. */
  readonly patience: number;
}

/** A run may go before those of other functions that came earlier, as long as they did so many milliseconds ago at most. */
const unfairness = 250;

export class RunQueue implements Iterable<Waiting> {
  readonly #bounds: QueueBounds;
  readonly #full: () => Error;
  readonly #runs = new Set<Waiting>();

  /** @param full what is thrown where it takes no more, or nothing came of waiting */
  constructor(bounds: QueueBounds, full: () => Error) {
    this.#bounds = bounds;
    this.#full = full;
  }

  /** While it is gone through, those may leave that it has come to. */
  [Symbol.iterator](): Iterator<Waiting> {
    return this.#runs.values();
  }

  get length(): number {
    return this.#runs.size;
  }

  /** Resolves with what comes of it; rejects where it waited in vain, or is told to stop waiting. */
  wait(owner: string, run: Run): Promise<Outcome> {
    if (this.#runs.size >= this.#bounds.runs) return Promise.reject(this.#full());
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        run.signal.removeEventListener("abort", cancel);
        this.#runs.delete(waiting);
      };
      const cancel = () => {
        leave();
        resolve({ result: { kind: "cancelled" }, duration: 0, logs: [] });
      };
      const timer = setTimeout(() => {
        leave();
        reject(this.#full());
      }, this.#bounds.patience);
      const begin = (outcome: Promise<Outcome>) => {
        leave();
        resolve(outcome);
      };
      const waiting: Waiting = { owner, run, since: performance.now(), begin };
      listen(run.signal, cancel);
      this.#runs.add(waiting);
    });
  }

  /** The first, or the first of the function whose thread is free, so that it need not be replaced. */
  next(owner?: string): Waiting | undefined {
    const [first] = this.#runs;
    if (first === undefined || owner === undefined || performance.now() - first.since > unfairness)
      return first;
    for (const waiting of this.#runs) if (waiting.owner === owner) return waiting;
    return first;
  }
}

/** As many runs as there are may end with one signal. */
export function listen(signal: AbortSignal, abort: () => void): void {
  setMaxListeners(0, signal);
  signal.addEventListener("abort", abort);
}
