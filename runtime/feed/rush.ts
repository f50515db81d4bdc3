/** Milliseconds for which somebody who comes waits at most. */
const MOST = 1_000;
/** They wait at most so many times as long as it took for those before. */
const TIMES = 50;
/** Milliseconds after which those who came before have nothing to do with who comes. */
const QUIET = 2_000;

/**
 * When those who come to catch up, one after another, are taken along: at once where nobody came lately, and the later the
 * longer others have been coming. However many they are and however long they take, they go the same way few times.
 */
export class Rush {
  #began = Number.NEGATIVE_INFINITY;
  #ended = Number.NEGATIVE_INFINITY;
  #took = 0;

  /** Milliseconds until who comes now is taken along, with all who come until then. */
  wait(now: number): number {
    const since = now - this.#ended;
    if (since > QUIET) return 0;
    return Math.max(0, Math.min(this.#ended - this.#began, TIMES * this.#took, MOST) - since);
  }

  /** Some who had come were taken along, by the same clock. */
  passed(from: number, to: number): void {
    if (from - this.#ended > QUIET) this.#began = from;
    this.#took = to - from;
    this.#ended = to;
  }
}
