/** Bytes that come in pieces, in one buffer that grows: many small pieces would take many times their bytes. */
export class GrowingBuffer {
  size = 0;
  /** The first piece as it is, while it is the only one. */
  #buffer: Buffer | undefined;

  /** Bytes that it takes in memory. */
  get capacity(): number {
    return this.#buffer?.length ?? 0;
  }

  /** @param most what it will hold, where that is known: it grows no further while that is enough */
  append(piece: Buffer, most: number): void {
    const held = this.#buffer;
    const size = this.size + piece.length;
    if (held === undefined) this.#buffer = piece;
    else if (size > held.length) {
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(size, Math.min(2 * size, most)));
      held.copy(this.#buffer, 0, 0, this.size);
      piece.copy(this.#buffer, this.size);
    } else piece.copy(held, this.size);
    this.size = size;
  }

  /** Undefined where nothing came. */
  all(): Buffer | undefined {
    return this.#buffer?.subarray(0, this.size);
  }

  clear(): void {
    this.#buffer = undefined;
    this.size = 0;
  }
}
