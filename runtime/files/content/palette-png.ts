/**
 * PNG files with a palette, as they are stored: their pixels packed anew, with the palette and what says of which colours it
 * is, without anything else. The decoder knows no palettes, and would write several times the bytes.
 */
import { promisify } from "node:util";
import { crc32, deflate, inflate } from "node:zlib";
import type { Spooled } from "../../blobs/store.ts";
import { bytesAt } from "./head.ts";

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const PALETTE = 3;

/** Chunks beside the pixels that are part of the picture, in an order that is allowed. */
const kept = ["iCCP", "sRGB", "gAMA", "cHRM", "PLTE", "tRNS"] as const;
/** Bytes of the largest of them: a colour profile. */
const LARGEST = 4 * 1_048_576;
/** Bytes of pixels beyond which the best packing takes too long. */
const MUCH = 8 * 1_048_576;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly isInterlaced: boolean;
}

/** The bytes of such a file; undefined where it is another one, or anything about it is not as it should be. */
export async function palettePng(spooled: Spooled): Promise<Buffer | undefined> {
  const chunks = new Map<string, Buffer>();
  const pixels: Buffer[] = [];
  let packed = 0;
  let most = 0;
  let at = SIGNATURE.length;
  if (!(await bytesAt(spooled, 0, at)).equals(SIGNATURE)) return undefined;
  for (;;) {
    const start = await bytesAt(spooled, at, 8);
    if (start.length < 8) return undefined;
    const length = start.readUInt32BE(0);
    const type = start.toString("latin1", 4, 8);
    const isPixels = type === "IDAT";
    if (isPixels || type === "IHDR" || kept.some((each) => each === type)) {
      if (length > (isPixels ? most : LARGEST)) return undefined;
      const body = await bytesAt(spooled, at + 4, length + 8);
      if (body.length < length + 8 || crc32(body.subarray(0, -4)) !== body.readUInt32BE(length + 4))
        return undefined;
      const data = body.subarray(4, -4);
      if (isPixels) {
        packed += length;
        if (packed > most) return undefined;
        pixels.push(data);
      } else if (chunks.has(type)) return undefined;
      else chunks.set(type, data);
    }
    if (type === "IHDR") {
      const header = headerIn(chunks);
      if (header === undefined) return undefined;
      // Packing makes nothing much larger.
      most = Math.ceil(rawLength(header) * 1.01) + 65_536;
    }
    at += 12 + length;
    if (type === "IEND") break;
  }
  const header = headerIn(chunks);
  if (header === undefined || !chunks.has("PLTE")) return undefined;
  const raw = await unpacked(Buffer.concat(pixels), header);
  if (raw === undefined) return undefined;
  const level = raw.length > MUCH ? 6 : 9;
  const data = await promisify(deflate)(raw, { level, memLevel: 9 });
  const others = kept.flatMap((type) => {
    const found = chunks.get(type);
    return found === undefined ? [] : [chunk(type, found)];
  });
  const first = chunks.get("IHDR") ?? Buffer.alloc(0);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", first),
    ...others,
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function headerIn(chunks: ReadonlyMap<string, Buffer>): Header | undefined {
  const data = chunks.get("IHDR");
  if (data?.length !== 13 || data[9] !== PALETTE || data[10] !== 0 || data[11] !== 0) return undefined;
  const [width, height, depth = 0] = [data.readUInt32BE(0), data.readUInt32BE(4), data[8]];
  if (width === 0 || height === 0 || ![1, 2, 4, 8].includes(depth) || (data[12] ?? 2) > 1) return undefined;
  return { width, height, depth, isInterlaced: data[12] === 1 };
}

/** Where the passes of an interlaced picture begin, and how far apart their pixels are. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Bytes of each row, with its filter, and how many rows: by pass. */
function rowsOf({ width, height, depth, isInterlaced }: Header): readonly (readonly [number, number])[] {
  const each = isInterlaced ? passes : ([[0, 0, 1, 1]] as const);
  return each.flatMap(([x, y, across, down]) => {
    const [columns, rows] = [Math.ceil((width - x) / across), Math.ceil((height - y) / down)];
    return columns > 0 && rows > 0 ? [[1 + Math.ceil((columns * depth) / 8), rows] as const] : [];
  });
}

function rawLength(header: Header): number {
  return rowsOf(header).reduce((sum, [bytes, rows]) => sum + bytes * rows, 0);
}

/** All rows, each with a filter that there is; undefined where there are not just these. */
async function unpacked(packed: Buffer, header: Header): Promise<Buffer | undefined> {
  const length = rawLength(header);
  const raw = await promisify(inflate)(packed, { maxOutputLength: length + 1 }).catch(() => undefined);
  if (raw?.length !== length) return undefined;
  let at = 0;
  for (const [bytes, rows] of rowsOf(header)) {
    for (let row = 0; row < rows; row += 1, at += bytes) if ((raw[at] ?? 5) > 4) return undefined;
  }
  return raw;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
