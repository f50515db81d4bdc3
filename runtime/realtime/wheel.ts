import type { Every } from "../every.ts";

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
  #stop: (() => void) | undefined;
  readonly #repeat: Every;

  /** @param period milliseconds */
  constructor(period: number, repeat: Every) {
    this.#period = period;
    this.#repeat = repeat;
  }

  add(beating: Beating): void {
    this.#parts[this.#at]?.add(beating);
    this.#count += 1;
    this.#stop ??= this.#repeat(this.#period / PARTS, () => this.#turn());
  }

  delete(beating: Beating): void {
    if (!this.#parts.some((part) => part.delete(beating))) return;
    this.#count -= 1;
    if (this.#count > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  #turn(): void {
    this.#at = (this.#at + 1) % PARTS;
    for (const beating of [...(this.#parts[this.#at] ?? [])]) beating.beat();
  }
}
