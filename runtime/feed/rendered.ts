/** Bytes that are kept by default. */
const MOST = 8 * 2 ** 20;

/**
 * What was made of changes for all who share them, as the frame that tells it to everybody with the same view. Of the newest
 * so many bytes; what is forgotten is made again when somebody still asks.
 */
export class Renderings {
  readonly #most: number;
  readonly #kept = new Map<object, Map<string, Buffer>>();
  #bytes = 0;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** Of what is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What was made of the change under this key, or is made now. */
  of(change: object, key: string, make: () => Buffer): Buffer {
    const known = this.#kept.get(change)?.get(key);
    if (known !== undefined) return known;
    const made = make();
    const own = this.#kept.get(change) ?? new Map<string, Buffer>();
    this.#kept.set(change, own.set(key, made));
    this.#bytes += made.byteLength;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#most) break;
      this.#forget(oldest);
    }
    return made;
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  #forget(change: object): void {
    for (const { byteLength } of this.#kept.get(change)?.values() ?? []) this.#bytes -= byteLength;
    this.#kept.delete(change);
  }
}
