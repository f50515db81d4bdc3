import { uploadLocked } from "./records.ts";

/**
 * A body that is stored in parts: each takes so many bytes of it. What breaks it off ends a part as its end does: what has
 * come is there, and {@link failure} says why there is no more.
 */
export class Pieces {
  /** Nothing more comes. */
  ended = false;
  failure: unknown;
  readonly #source: AsyncIterator<Buffer>;
  readonly #stopped: Promise<"stopped">;
  #rest: Buffer | undefined;

  /** @param stop aborted where no more is wanted of it */
  constructor(source: AsyncIterable<Buffer>, stop: AbortSignal) {
    this.#source = source[Symbol.asyncIterator]();
    this.#stopped = new Promise((resolve) => {
      if (stop.aborted) resolve("stopped");
      else stop.addEventListener("abort", () => resolve("stopped"), { once: true });
    });
  }

  /** The next bytes, as many at most. */
  async *upTo(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      const piece = this.#rest ?? (await this.#next());
      this.#rest = undefined;
      if (piece === undefined) return;
      if (piece.length > left) this.#rest = piece.subarray(left);
      yield this.#rest === undefined ? piece : piece.subarray(0, left);
      left -= piece.length;
    }
  }

  /** Whether there is nothing behind what was taken. */
  async atEnd(): Promise<boolean> {
    this.#rest ??= await this.#next();
    return this.#rest === undefined;
  }

  async #next(): Promise<Buffer | undefined> {
    if (this.ended) return undefined;
    try {
      const next = await Promise.race([this.#source.next(), this.#stopped]);
      if (next !== "stopped" && next.done !== true) return next.value;
      if (next === "stopped") {
        this.failure = uploadLocked();
        void this.#source.return?.();
      }
    } catch (error) {
      this.failure = error;
    }
    this.ended = true;
    return undefined;
  }
}
