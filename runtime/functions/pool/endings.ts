import { kept } from "../../kept.ts";

/** Tells any number of runs that their signal is aborted, with one listener a signal. */
export class Endings {
  readonly #listening = new WeakMap<AbortSignal, Set<() => void>>();

  /** @returns what ends it */
  listen(signal: AbortSignal, tell: () => void): () => void {
    const told = kept(this.#listening, signal, () => {
      const all = new Set<() => void>();
      signal.addEventListener("abort", () => {
        for (const each of all) each();
      });
      return all;
    });
    told.add(tell);
    return () => told.delete(tell);
  }
}
