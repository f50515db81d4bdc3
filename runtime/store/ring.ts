/** How much of the newest history is kept at hand. */
export interface RingBounds {
  readonly items: number;
  readonly bytes: number;
}

/** What came at a position. */
export interface Positioned {
  readonly position: string;
}

/** A stretch of the history. */
export interface Stretch<T> {
  readonly items: readonly T[];
  /** From where to go on. */
  readonly position: string;
  /** Whether there is no more yet. */
  readonly isEnd: boolean;
}

interface Entry<T> {
  readonly position: string;
  /** Absent at positions after which something comes, but nothing came. */
  readonly item?: T;
  readonly bytes: number;
}

/**
 * The newest items of a history, without a gap. Positions are only looked up, never compared: readers hold those that they
 * were given.
 */
export class Ring<T extends Positioned> {
  readonly #bounds: RingBounds;
  readonly #bytesOf: (item: T) => number;
  /** The first is only where the others begin: what came with it is not answered. */
  #entries: Entry<T>[] = [];
  #places = new Map<string, number>();
  /** Entries forgotten, so that places stay as they are. */
  #forgotten = 0;
  #bytes = 0;

  constructor(bounds: RingBounds, bytesOf: (item: T) => number) {
    this.#bounds = bounds;
    this.#bytesOf = bytesOf;
  }

  /** Forgets everything; what comes is after this position. */
  begin(position: string): void {
    this.clear();
    this.mark(position);
  }

  clear(): void {
    this.#entries = [];
    this.#places.clear();
    this.#bytes = 0;
    this.#forgotten = 0;
  }

  /** The newest position; undefined before the beginning. */
  get last(): string | undefined {
    return this.#entries.at(-1)?.position;
  }

  /** The oldest position after which everything is known. */
  get first(): string | undefined {
    return this.#entries[0]?.position;
  }

  /** Of what is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  has(position: string): boolean {
    return this.#places.has(position);
  }

  /** The position after which what came at this one is the next; undefined where the ring does not reach back so far. */
  before(position: string): string | undefined {
    const place = this.#places.get(position);
    return place === undefined ? undefined : this.#entries[place - this.#forgotten - 1]?.position;
  }

  add(items: readonly T[]): void {
    for (const item of items) {
      // The one with which the ring begins.
      if (this.has(item.position)) continue;
      this.#push({ position: item.position, item, bytes: this.#bytesOf(item) });
    }
    this.#forget();
  }

  /** A later position, up to which nothing came after the last item. */
  mark(position: string): void {
    if (!this.has(position)) this.#push({ position, bytes: 0 });
    this.#forget();
  }

  /**
   * Items after a position: at most `limit`, or fewer, the last of which makes them more than so many bytes; undefined
   * where the ring does not reach back to it.
   */
  after(position: string, limit: number, bytes: number): Stretch<T> | undefined {
    const place = this.#places.get(position);
    if (place === undefined) return undefined;
    const items: T[] = [];
    let taken = 0;
    let at = place - this.#forgotten;
    while (at < this.#entries.length - 1 && items.length < limit && taken <= bytes) {
      at += 1;
      const entry = this.#entries[at];
      if (entry?.item === undefined) continue;
      items.push(entry.item);
      taken += entry.bytes;
    }
    const isEnd = at === this.#entries.length - 1;
    return { items, position: this.#entries[at]?.position ?? position, isEnd };
  }

  #push(entry: Entry<T>): void {
    this.#places.set(entry.position, this.#forgotten + this.#entries.length);
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
  }

  /** Where there is too much, down to three quarters, so that not every item moves all the others. */
  #forget(): void {
    const { items, bytes } = this.#bounds;
    if (this.#entries.length <= items && this.#bytes <= bytes) return;
    let count = 0;
    let left = this.#bytes;
    // The newest item is always kept.
    while (count < this.#entries.length - 2) {
      if (this.#entries.length - count <= 0.75 * items && left <= 0.75 * bytes) break;
      left -= this.#entries[count]?.bytes ?? 0;
      count += 1;
    }
    for (const { position } of this.#entries.splice(0, count)) this.#places.delete(position);
    this.#forgotten += count;
    this.#bytes = left;
    this.#letFirstGo();
  }

  #letFirstGo(): void {
    const [first] = this.#entries;
    if (first === undefined) return;
    this.#entries[0] = { position: first.position, bytes: 0 };
    this.#bytes -= first.bytes;
  }
}
