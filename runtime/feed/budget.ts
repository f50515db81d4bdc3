/** Who holds something that counts. */
export interface Holder {
  readonly bytes: number;
  /** Where it stands in its budget; −1: nowhere. Of the budget alone. */
  place: number;
  /** Lets go of all that it holds, and says so by {@link Budget.changed}. */
  giveUp(): void;
}

/**
 * Bytes that any number of followers, of any number of hubs, hold together: where it is exceeded the largest of them give
 * up what they hold, one after another, until it is not.
 */
export class Budget {
  readonly bytes: number;
  #held = 0;
  /** Holders of something, none larger than the one at half its place. */
  readonly #heap: Holder[] = [];

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  /** Bytes that all of them hold. */
  get held(): number {
    return this.#held;
  }

  /** To be told each time that what a holder holds has become more or less. */
  changed(holder: Holder, by: number): void {
    this.#held += by;
    if (holder.place >= 0 && holder.bytes === 0) this.#remove(holder);
    else if (holder.place >= 0) this.#settle(holder, holder.place);
    else if (holder.bytes > 0) this.#settle(holder, this.#heap.length);
    while (this.#held > this.bytes) {
      const [largest] = this.#heap;
      if (largest === undefined) return;
      largest.giveUp();
    }
  }

  #remove(holder: Holder): void {
    const { place } = holder;
    holder.place = -1;
    const last = this.#heap.pop();
    if (last !== undefined && last !== holder) this.#settle(last, place);
  }

  /** Puts it at a place that is free, or its own, and from there to where it belongs. */
  #settle(holder: Holder, from: number): void {
    let place = from;
    for (let above = (place - 1) >> 1; place > 0; above = (place - 1) >> 1) {
      const other = this.#heap[above];
      if (other === undefined || other.bytes >= holder.bytes) break;
      this.#put(other, place);
      place = above;
    }
    for (;;) {
      const left = this.#heap[2 * place + 1];
      const right = this.#heap[2 * place + 2];
      const larger = right !== undefined && left !== undefined && right.bytes > left.bytes ? right : left;
      if (larger === undefined || larger === holder || larger.bytes <= holder.bytes) break;
      const { place: below } = larger;
      this.#put(larger, place);
      place = below;
    }
    this.#put(holder, place);
  }

  #put(holder: Holder, place: number): void {
    this.#heap[place] = holder;
    holder.place = place;
  }
}
