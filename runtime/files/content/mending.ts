/** Files that decoders refuse or read otherwise than everybody else does, as they read them right. */
import type { Spool } from "../../blobs/spool.ts";
import type { Spooled } from "../../blobs/store.ts";
import { spooledBytes } from "../bytes.ts";

/** The marker of a JPEG's end, which some programs leave out. */
const END = Buffer.from([0xff, 0xd9]);

/** A JPEG with an end. The caller's to discard. */
export function endedJpeg(spooled: Spooled, spool: Spool): Promise<Spooled> {
  return inserted(spooled, spool, spooled.size, END);
}

/**
 * A GIF whose first frame is an empty one of all its canvas: of some sizes the decoder takes the first frame for the canvas.
 * The caller's to discard.
 * @param at where the blocks begin
 */
export function canvasGif(
  spooled: Spooled,
  spool: Spool,
  { width, height, blocks }: { readonly width: number; readonly height: number; readonly blocks: number },
): Promise<Spooled> {
  const control = Buffer.from([0x21, 0xf9, 4, 1, 0, 0, 0, 0]);
  const image = Buffer.from([0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 2]);
  image.writeUInt16LE(width, 5);
  image.writeUInt16LE(height, 7);
  return inserted(spooled, spool, blocks, Buffer.concat([control, image, emptyPixels(width * height)]));
}

/** So many pixels of the colour 0, in codes of LZW for a table of four colours, in blocks. */
function emptyPixels(count: number): Buffer {
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  const put = (code: number, width: number) => {
    held |= code << bits;
    bits += width;
    for (; bits >= 8; bits -= 8, held >>>= 8) bytes.push(held & 0xff);
  };
  const [CLEAR, STOP] = [4, 5];
  let width = 3;
  put(CLEAR, width);
  let left = count;
  while (left > 0) {
    put(0, width);
    left -= 1;
    // Each code is the one that it defines itself, of one pixel more than the one before.
    for (let next = STOP + 1, run = 2; left >= run && next < 4_095; next += 1, run += 1) {
      put(next, width);
      left -= run;
      if (next + 1 === 1 << width && width < 12) width += 1;
    }
    if (left > 0) {
      put(CLEAR, width);
      width = 3;
    }
  }
  put(STOP, width);
  if (bits > 0) bytes.push(held & 0xff);
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    blocks.push(Buffer.from([block.length, ...block]));
  }
  return Buffer.concat([...blocks, Buffer.from([0])]);
}

function inserted(spooled: Spooled, spool: Spool, at: number, bytes: Buffer): Promise<Spooled> {
  return spool.take(pieces(spooled, at, bytes), spooled.size + bytes.length);
}

async function* pieces(spooled: Spooled, at: number, bytes: Buffer): AsyncGenerator<Uint8Array> {
  let left: number | undefined = at;
  for await (const piece of spooledBytes(spooled)) {
    if (left !== undefined && left <= piece.length) {
      yield piece.subarray(0, left);
      yield bytes;
      yield piece.subarray(left);
      left = undefined;
    } else {
      yield piece;
      if (left !== undefined) left -= piece.length;
    }
  }
}
