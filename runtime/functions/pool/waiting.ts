/** Runs that wait for a thread, in their order, bounded in number and in time. */
import type { Asked } from "./asked.ts";
import type { PooledFunction } from "./pooled-function.ts";

export interface QueueBounds {
  readonly runs: number;
  /** Milliseconds that each waits at most. */
  readonly patience: number;
}

/** A run may go before those of other functions that came earlier, as long as they did so many milliseconds ago at most. */
const unfairness = 250;

export class RunQueue implements Iterable<Asked> {
  readonly #bounds: QueueBounds;
  readonly #full: () => Error;
  #runs = new Set<Asked>();
  #timer: NodeJS.Timeout | undefined;

  /** @param full what runs are refused with that it does not take, or that waited in vain */
  constructor(bounds: QueueBounds, full: () => Error) {
    this.#bounds = bounds;
    this.#full = full;
  }

  /** While it is gone through, those may leave that it has come to. */
  [Symbol.iterator](): Iterator<Asked> {
    return this.#runs.values();
  }

  get length(): number {
    return this.#runs.size;
  }

  /** It waits, or is refused. */
  add(asked: Asked): void {
    if (this.#runs.size >= this.#bounds.runs) {
      asked.refuse(this.#full());
      return;
    }
    this.#runs.add(asked);
    this.#timer ??= setTimeout(this.#expire, this.#bounds.patience);
  }

  /** They were taken in before any of those that wait. */
  addFirst(all: readonly Asked[]): void {
    if (all.length === 0) return;
    this.#runs = new Set([...all, ...this.#runs]);
    this.#timer ??= setTimeout(this.#expire, this.#bounds.patience);
  }

  delete(asked: Asked): void {
    this.#runs.delete(asked);
    if (this.#runs.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The first, or the first of the function whose thread is free, so that it need not be replaced. */
  next(owner?: PooledFunction): Asked | undefined {
    const [first] = this.#runs;
    if (first === undefined || owner === undefined || performance.now() - first.since > unfairness)
      return first;
    for (const asked of this.#runs) if (asked.owner === owner) return asked;
    return first;
  }

  /** Those that waited in vain leave. */
  readonly #expire = () => {
    this.#timer = undefined;
    const now = performance.now();
    for (const asked of this.#runs) {
      const left = this.#bounds.patience - (now - asked.since);
      if (left > 0) {
        this.#timer ??= setTimeout(this.#expire, Math.ceil(left));
        return;
      }
      this.#runs.delete(asked);
      asked.refuse(this.#full());
    }
  };
}
