/** Documents of the first batch, and of any at most. */
const FIRST = 200;
const MOST = 4_000;

/** Milliseconds for which the documents of a batch may keep others from writing: at least, and at most. */
const WORK = [8, 200] as const;

/** Milliseconds that a batch took: its documents, and what ends it, whatever their number. */
export interface BatchTimes {
  readonly work: number;
  readonly end: number;
}

/**
 * How many documents are written together. Requests wait meanwhile, so few; but of batches that take longer to end than to
 * write nothing would come, so more where a disk is slow.
 */
export class BatchSize {
  #most = MOST;
  #documents = FIRST;

  /** @param rate documents in a second at most: a batch is a quarter of them, so that they come evenly; default: any */
  limit(rate = Number.POSITIVE_INFINITY): void {
    this.#most = Math.min(MOST, Math.max(1, Math.floor(rate / 4)));
    this.#documents = Math.min(this.#documents, this.#most);
  }

  get documents(): number {
    return this.#documents;
  }

  /** Takes the times of a batch into account; they vary, so by half or double at most. @param written its documents */
  learn(written: number, { work, end }: BatchTimes): void {
    if (written === 0) return;
    const wanted = between(end, ...WORK);
    const fitting = (written * wanted) / Math.max(work, 0.01);
    const next = between(fitting, this.#documents / 2, this.#documents * 2);
    this.#documents = Math.round(between(next, 1, this.#most));
  }
}

function between(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
