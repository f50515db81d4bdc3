/** Something that is to be looked at from time to time. */
export interface Beating {
  beat(): void;
}

/** Parts of the period in which those that began in it are looked at together. */
const PARTS = 25;

/** Looks at each of many once in a period, counted from when it began, with one timer for all. */
export class Wheel {
  readonly #period: number;
  readonly #parts: readonly Set<Beating>[] = Array.from({ length: PARTS }, () => new Set<Beating>());
  #at = 0;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param period milliseconds */
  constructor(period: number) {
    this.#period = period;
  }

  /** Answers how to take it off. */
  add(beating: Beating): () => void {
    const part = this.#parts[this.#at] ?? new Set();
    part.add(beating);
    this.#count += 1;
    this.#timer ??= setInterval(() => this.#turn(), this.#period / PARTS).unref();
    return () => {
      if (!part.delete(beating)) return;
      this.#count -= 1;
      if (this.#count > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #turn(): void {
    this.#at = (this.#at + 1) % PARTS;
    for (const beating of [...(this.#parts[this.#at] ?? [])]) beating.beat();
  }
}
