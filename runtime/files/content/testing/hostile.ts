/** Images that nobody should decode, or cannot. */
import { crc32, deflateSync } from "node:zlib";

/** A PNG that says it is of a size, whose pixels are what is given. */
export function pngOf(width: number, height: number, pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits of grey.
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixels, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Steps across and down of the passes of an interlaced PNG, and where they begin. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** A PNG of as many colours as so many bits tell, with a comment that nobody is to see. */
export function palettePngOf(
  width: number,
  height: number,
  depth: number,
  isInterlaced: boolean,
  comment: string,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, 3, 0, 0, isInterlaced ? 1 : 0], 8);
  const colours = 2 ** depth;
  const palette = Buffer.from(
    Array.from({ length: colours }, (_, at) => [(at * 37) % 256, (at * 101) % 256, 255 - at]).flat(),
  );
  const rows = (isInterlaced ? passes : ([[0, 0, 1, 1]] as const)).flatMap(([x, y, across, down]) => {
    const columns = Math.ceil((width - x) / across);
    const lines = Math.ceil((height - y) / down);
    if (columns <= 0 || lines <= 0) return [];
    return Array.from({ length: lines }, (_, line) => {
      const row = Buffer.alloc(1 + Math.ceil((columns * depth) / 8));
      for (let at = 0; at < columns; at += 1) {
        const value = (x + at * across + 3 * (y + line * down)) % colours;
        const bit = at * depth;
        row[1 + (bit >> 3)] = (row[1 + (bit >> 3)] ?? 0) | (value << (8 - depth - (bit & 7)));
      }
      return row;
    });
  });
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("tRNS", Buffer.from([0x80])),
    chunk("tEXt", Buffer.from(`Comment\0${comment}`)),
    chunk("IDAT", deflateSync(Buffer.concat(rows), { level: 6 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A GIF that says it has so many frames of a size, and has a pixel for each. */
export function gifOf(width: number, height: number, frames: number): Buffer {
  const header = Buffer.from("GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff", "latin1");
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  const control = Buffer.from("\x21\xf9\x04\0\x0a\0\0\0", "latin1");
  const image = Buffer.from("\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0", "latin1");
  image.writeUInt16LE(width, 5);
  image.writeUInt16LE(height, 7);
  const frame = Buffer.concat([control, image]);
  return Buffer.concat([header, ...Array.from({ length: frames }, () => frame), Buffer.from(";")]);
}
