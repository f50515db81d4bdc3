/** A file, or a part of it, as a source: one piece is read ahead of whoever takes them. */
import { read } from "node:fs";
import type { ByteSource } from "../../realm/exchange.ts";
import type { ByteRange } from "../store.ts";
import { closed, opened } from "./descriptors.ts";

/** Bytes of a piece. */
const PIECE = 65_536;

/**
 * The descriptor is closed when all was read, at the end of whoever reads, and when the signal aborts. The first piece is
 * there before this answers: a small file is closed by then.
 * @throws what the file system says, now or in reading
 */
export async function openFile(
  path: string,
  range: ByteRange | undefined,
  signal: AbortSignal,
): Promise<ByteSource> {
  signal.throwIfAborted();
  const file = new OpenFile(await opened(path), range, signal);
  return file.begin();
}

class OpenFile {
  readonly #descriptor: number;
  readonly #signal: AbortSignal;
  #position: number;
  #left: number;
  /** How many reads are under way; the descriptor is closed when there are none. */
  #reading = 0;
  #ended = false;
  #isClosed = false;
  readonly #abort = () => this.#end();

  constructor(descriptor: number, range: ByteRange | undefined, signal: AbortSignal) {
    this.#descriptor = descriptor;
    this.#position = range?.first ?? 0;
    this.#left = range === undefined ? Number.POSITIVE_INFINITY : range.last - range.first + 1;
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort, { once: true });
  }

  async begin(): Promise<ByteSource> {
    const first = await this.#piece();
    return { [Symbol.asyncIterator]: () => this.#pieces(first) };
  }

  async *#pieces(first: Buffer | undefined): AsyncGenerator<Buffer, void, undefined> {
    let piece = first;
    try {
      while (piece !== undefined) {
        const ahead = this.#ended ? undefined : this.#piece();
        // Where nobody asks for it any more, nobody is told what came of it.
        ahead?.catch(() => undefined);
        yield piece;
        this.#signal.throwIfAborted();
        piece = await ahead;
      }
    } finally {
      this.#end();
    }
  }

  /** Undefined at the end. */
  async #piece(): Promise<Buffer | undefined> {
    this.#signal.throwIfAborted();
    const wanted = Math.min(PIECE, this.#left);
    this.#reading += 1;
    try {
      const buffer = Buffer.allocUnsafeSlow(wanted);
      const got = await this.#read(buffer);
      this.#position += got;
      this.#left -= got;
      // Regular files give less than is asked for at their end alone.
      if (got < wanted || this.#left === 0) this.#ended = true;
      return got === 0 ? undefined : buffer.subarray(0, got);
    } catch (error) {
      this.#ended = true;
      throw error;
    } finally {
      this.#reading -= 1;
      if (this.#ended) this.#end();
    }
  }

  #read(buffer: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      read(this.#descriptor, buffer, 0, buffer.length, this.#position, (error, got) =>
        error === null ? resolve(got) : reject(error),
      );
    });
  }

  #end(): void {
    this.#ended = true;
    if (this.#isClosed || this.#reading > 0) return;
    this.#isClosed = true;
    this.#signal.removeEventListener("abort", this.#abort);
    // A file that was only read has nothing to lose at its closing.
    closed(this.#descriptor).catch(() => undefined);
  }
}
