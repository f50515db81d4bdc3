/** As many runs as may stand in line for one thread. */
export const longestLine = 128;

/** Runs are numbered from 1 to this, and then again. */
const lastNumber = 2 ** 30;

/** The number of the run after this one. */
export function numberAfter(run: number): number {
  return (run % lastNumber) + 1;
}

/**
 * Which of the runs that stand in line for a thread has begun: memory that the pool and the thread share. Whoever comes
 * first has a run: the thread that begins it, or the pool that takes it back; so none runs twice, whatever becomes of
 * the thread.
 */
export class Starts {
  readonly buffer: SharedArrayBuffer;
  /** The run last ended; then, by number, a run that stands in line, or its number below zero once it has begun. */
  readonly #cells: Int32Array;

  constructor(buffer = new SharedArrayBuffer((longestLine + 1) * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
  }

  /** The run may be begun. */
  offer(run: number): void {
    Atomics.store(this.#cells, cellOf(run), run);
  }

  /** False: it was taken back. */
  begin(run: number): boolean {
    return Atomics.compareExchange(this.#cells, cellOf(run), run, -run) === run;
  }

  /** Takes it back; false: it has begun. */
  withdraw(run: number): boolean {
    return Atomics.compareExchange(this.#cells, cellOf(run), run, 0) === run;
  }

  hasBegun(run: number): boolean {
    return Atomics.load(this.#cells, cellOf(run)) === -run;
  }

  /** Nothing of the run goes on; what came of it is on its way. */
  end(run: number): void {
    Atomics.store(this.#cells, 0, run);
  }

  hasEnded(run: number): boolean {
    return Atomics.load(this.#cells, 0) === run;
  }
}

function cellOf(run: number): number {
  return 1 + (run % longestLine);
}
