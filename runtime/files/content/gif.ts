/** What a GIF says of itself, which its decoder does not: it takes one that is cut off, and drops the canvas of some sizes. */
import { open } from "node:fs/promises";
import type { Spooled } from "../../blobs/store.ts";
import { headOf } from "./head.ts";

const WINDOW = 65_536;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

/** The canvas that frames are put on, and where its blocks begin. @throws RangeError for a file that is cut before them */
export async function gifCanvas(spooled: Spooled) {
  const head = await headOf(spooled, 13);
  const [width, height] = [head.readUInt16LE(6), head.readUInt16LE(8)];
  return { width, height, blocks: 13 + tableSize(head.readUInt8(10)) };
}

/** Whether its blocks, one after another, lead to its trailer, or to the end of the file after a frame. */
export async function isWholeGif(spooled: Spooled): Promise<boolean> {
  const nothing = Buffer.alloc(0);
  if (spooled.kind === "memory") return isWhole(async (at) => (at === 0 ? spooled.bytes : nothing));
  const file = await open(spooled.path, "r");
  try {
    const window = Buffer.allocUnsafeSlow(WINDOW);
    return await isWhole(async (at) =>
      window.subarray(0, (await file.read(window, 0, WINDOW, at)).bytesRead),
    );
  } finally {
    await file.close();
  }
}

/** @param read what the file has from a place on; nothing after its end */
async function isWhole(read: (at: number) => Promise<Buffer>): Promise<boolean> {
  const blocks = throughBlocks();
  let window = await read(0);
  let start = 0;
  let at = 0;
  // Blocks may be of a byte each: nothing is awaited that is there.
  let step = blocks.next();
  while (step.done !== true) {
    at += step.value;
    if (at >= start + window.length) {
      start = at;
      window = await read(at);
    }
    const byte = window[at - start] ?? AFTER;
    at += 1;
    step = blocks.next(byte);
  }
  return step.value;
}

/** In the place of bytes after the end: it is no block, no flags and no size. */
const AFTER = -1;

/** Yields how many bytes to pass over, and is given the one that follows. */
function* throughBlocks(): Generator<number, boolean, number> {
  const flags = yield 10;
  let next = 2 + tableSize(flags);
  let before: number | undefined;
  for (;;) {
    const block = yield next;
    if (block === TRAILER || (block === AFTER && before === IMAGE)) return true;
    before = block;
    if (block === EXTENSION) next = 1;
    else if (block === IMAGE) next = 1 + tableSize(yield 8);
    else return false;
    let size = yield next;
    while (size > 0) size = yield size;
    // Without the empty block that ends them, some of them are missing.
    if (size === AFTER) return false;
    next = 0;
  }
}

/** Bytes of the table of colours that flags announce. */
function tableSize(flags: number): number {
  return flags > 0 && flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}
