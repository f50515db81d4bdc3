import { HeapWatch } from "./heap-watch.ts";
import type { Load } from "./load.ts";
import type { FunctionThread } from "./thread.ts";

/** Milliseconds between two looks. */
const interval = 5;

/** Looks at what threads do, as long as they do something: none of them says that it takes too long. */
export class Watch {
  readonly #threads: Iterable<FunctionThread>;
  readonly #load: Pick<Load, "isFull">;
  readonly #looked: () => void;
  /** The server has its hands full. */
  isFull = false;
  readonly #heaps = new HeapWatch();
  #timer: NodeJS.Timeout | undefined;

  /** @param looked called after each look */
  constructor(threads: Iterable<FunctionThread>, load: Pick<Load, "isFull">, looked: () => void) {
    this.#threads = threads;
    this.#load = load;
    this.#looked = looked;
  }

  /** Something runs. */
  begin(): void {
    this.#timer ??= setInterval(this.#look, interval).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#heaps.close();
  }

  readonly #look = () => {
    const now = performance.now();
    let isAnyBusy = false;
    this.isFull = this.#load.isFull(now);
    for (const thread of [...this.#threads]) {
      thread.look(now, this.isFull);
      this.#heaps.look(thread);
      isAnyBusy ||= thread.isBusy;
    }
    this.#looked();
    if (isAnyBusy) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };
}
