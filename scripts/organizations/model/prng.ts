/** Numbers from a seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 (included) to 1 (excluded). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const [value] = values.slice(Math.floor(this.next() * values.length)).map((each) => ({ each }));
    if (value === undefined) throw new Error("nothing to pick from");
    return value.each;
  }

  /** Up to `most` of them, in their order. */
  some<T>(values: readonly T[], most: number): readonly T[] {
    return values.filter(() => this.chance(0.5)).slice(0, most);
  }
}
