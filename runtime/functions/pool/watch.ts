import { HeapWatch } from "./heap-watch.ts";
import type { FunctionThread } from "./thread.ts";

/** Milliseconds between two looks. */
const interval = 5;

/** Looks at what threads do, as long as they do something: none of them says that it takes too long. */
export class Watch {
  readonly #threads: Iterable<FunctionThread>;
  readonly #heaps = new HeapWatch();
  #timer: NodeJS.Timeout | undefined;

  constructor(threads: Iterable<FunctionThread>) {
    this.#threads = threads;
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
    for (const thread of [...this.#threads]) {
      thread.look(now);
      this.#heaps.look(thread);
      isAnyBusy ||= thread.isBusy;
    }
    if (isAnyBusy) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };
}
