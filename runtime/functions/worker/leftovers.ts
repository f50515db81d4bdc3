/** What a run may leave behind in its thread. */
import process from "node:process";
import { promisify } from "node:util";

type Timer = NodeJS.Timeout | NodeJS.Immediate;
type Callback = (...parameters: readonly unknown[]) => unknown;

/**
 * Knows which timers, immediates and other resources of the event loop (sockets, work of the thread pool) came with a run
 * and outlast it. It takes the places of the global functions that make and clear timers.
 */
export class Leftovers {
  readonly #timers = new Set<unknown>();
  #before = 0;

  constructor(global: typeof globalThis) {
    for (const name of ["setTimeout", "setImmediate", "setInterval"] as const) {
      Object.assign(global, { [name]: this.#making(global[name], name === "setInterval") });
    }
    for (const name of ["clearTimeout", "clearImmediate", "clearInterval"] as const) {
      Object.assign(global, { [name]: this.#clearing(global[name]) });
    }
  }

  /**
   * What there is now belongs to the module, not to a run.
   * @param next whether it follows another in the same turn: then it is what there was behind that
   */
  begin(next: boolean): void {
    this.#timers.clear();
    if (!next) this.#before = resources();
  }

  /** What is left since {@link begin}, in words; undefined: nothing. */
  left(): string | undefined {
    if (this.#timers.size > 0) return "timers";
    const now = resources();
    if (now > this.#before) return "connections or other work";
    this.#before = now;
    return undefined;
  }

  #making<Make extends (callback: Callback, ...rest: readonly never[]) => Timer>(
    make: Make,
    repeats: boolean,
  ) {
    const timers = this.#timers;
    const made = (callback: Callback, ...rest: readonly unknown[]): Timer => {
      const followed = (...parameters: readonly unknown[]) => {
        if (!repeats) timers.delete(timer);
        return callback(...parameters);
      };
      // What is no function is refused as it always is.
      const timer: Timer = Reflect.apply(make, undefined, [
        typeof callback === "function" ? followed : callback,
        ...rest,
      ]);
      timers.add(timer);
      return timer;
    };
    const promised = Object.getOwnPropertyDescriptor(make, promisify.custom);
    return promised === undefined ? made : Object.defineProperty(made, promisify.custom, promised);
  }

  #clearing(clear: (timer: never) => void) {
    return (timer: unknown): void => {
      this.#timers.delete(timer);
      Reflect.apply(clear, undefined, [timer]);
    };
  }
}

const activeResources = process.getActiveResourcesInfo.bind(process);

function resources(): number {
  return activeResources().length;
}
