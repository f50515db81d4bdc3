/** Whether a GIF is whole: what decodes it takes one that is cut off, and shows the frames that came. */
import { open } from "node:fs/promises";
import type { Spooled } from "../../blobs/store.ts";

const WINDOW = 65_536;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

/** Whether its blocks, one after another, lead to its trailer. */
export async function isWholeGif(spooled: Spooled): Promise<boolean> {
  if (spooled.kind === "memory") return isWhole(new Bytes(spooled.bytes, async () => 0));
  const file = await open(spooled.path, "r");
  try {
    const window = Buffer.allocUnsafeSlow(WINDOW);
    const read = async (at: number) => (await file.read(window, 0, WINDOW, at)).bytesRead;
    return await isWhole(new Bytes(window, read, await read(0)));
  } finally {
    await file.close();
  }
}

async function isWhole(bytes: Bytes): Promise<boolean> {
  bytes.skip(10);
  bytes.skip(2 + tableSize(await bytes.next()));
  for (;;) {
    const block = await bytes.next();
    if (block === TRAILER) return true;
    if (block === EXTENSION) bytes.skip(1);
    else if (block === IMAGE) {
      bytes.skip(8);
      bytes.skip(1 + tableSize(await bytes.next()));
    } else return false;
    for (let size = await bytes.next(); size > 0; size = await bytes.next()) bytes.skip(size);
  }
}

/** Bytes of the table of colours that flags announce. */
function tableSize(flags: number): number {
  return flags > 0 && flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** The bytes of a file in their order, of which most are passed over. */
class Bytes {
  readonly #window: Buffer;
  /** Fills the window from a place in the file; answers how many bytes came. */
  readonly #read: (at: number) => Promise<number>;
  #start = 0;
  #length: number;
  #at = 0;

  constructor(window: Buffer, read: (at: number) => Promise<number>, length = window.length) {
    this.#window = window;
    this.#read = read;
    this.#length = length;
  }

  skip(count: number): void {
    this.#at += count;
  }

  /** A negative number after the end: it is no block, no flags and no size. */
  async next(): Promise<number> {
    if (this.#at >= this.#start + this.#length) {
      this.#start = this.#at;
      this.#length = await this.#read(this.#at);
      if (this.#length === 0) return -1;
    }
    const byte = this.#window[this.#at - this.#start] ?? -1;
    this.#at += 1;
    return byte;
  }
}
