/** A file, or a part of it, as a source: one piece is read ahead of whoever takes them. */
import { closeSync, fstatSync, read } from "node:fs";
import type { ByteSource } from "../../realm/exchange.ts";
import type { ByteRange } from "../store.ts";
import { opened } from "./descriptors.ts";

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
  #left: number | undefined;
  /** How many reads are under way; the descriptor is closed when there are none. */
  #reading = 0;
  #ended = false;
  #isClosed = false;
  #abort: (() => void) | undefined;

  constructor(descriptor: number, range: ByteRange | undefined, signal: AbortSignal) {
    this.#descriptor = descriptor;
    this.#position = range?.first ?? 0;
    this.#left = range && range.last - range.first + 1;
    this.#signal = signal;
  }

  async begin(): Promise<ByteSource> {
    const first = await this.#piece();
    if (this.#ended) return { whole: first, [Symbol.asyncIterator]: () => this.#pieces(first) };
    if (this.#signal.aborted) this.#end();
    this.#signal.throwIfAborted();
    this.#abort = () => this.#end();
    this.#signal.addEventListener("abort", this.#abort, { once: true });
    return { [Symbol.asyncIterator]: () => this.#pieces(first) };
  }

  async *#pieces(first: Buffer): AsyncGenerator<Buffer, void, undefined> {
    let piece: Buffer | undefined = first;
    try {
      while (piece !== undefined && piece.length > 0) {
        const ahead: Promise<Buffer> | undefined = this.#ended ? undefined : this.#piece();
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

  /** Empty at the end. */
  async #piece(): Promise<Buffer> {
    this.#signal.throwIfAborted();
    this.#reading += 1;
    try {
      // What is open is known: this waits for no device.
      const left = this.#left ?? fstatSync(this.#descriptor).size;
      const wanted = Math.min(PIECE, left);
      const buffer = Buffer.allocUnsafeSlow(wanted);
      const got = await this.#read(buffer);
      this.#position += got;
      this.#left = left - got;
      // Regular files give less than is asked for at their end alone.
      if (got < wanted || this.#left === 0) this.#ended = true;
      return buffer.subarray(0, got);
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
    if (this.#abort !== undefined) this.#signal.removeEventListener("abort", this.#abort);
    // A file that was only read has nothing to write at its closing: a thread for it would cost ten times as much.
    closeSync(this.#descriptor);
  }
}
