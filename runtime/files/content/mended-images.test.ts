/** Images that everybody reads, and decoders alone refuse, change or make larger. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openSpool, type Spool } from "../../blobs/spool.ts";
import { InvalidImage } from "./decoding.ts";
import { rendered, storedImage } from "./images.ts";
import { bytesOf, inMemory, onDisk } from "./testing/files.ts";
import { chunk, palettePngOf } from "./testing/hostile.ts";

let folder: string;
let spool: Spool;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "images-"));
  spool = await openSpool(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  expect(readdirSync(folder).filter((name) => !mine.has(join(folder, name)))).toEqual([]);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  mine.clear();
});

/** Files that a test has made: all others are left behind. */
const mine = new Set<string>();

async function stored(bytes: Buffer, type: string): Promise<Buffer> {
  const source = onDisk(bytes, spool);
  if (source.kind === "file") mine.add(source.path);
  const both = [await storedImage(source, type, spool), await storedImage(inMemory(bytes), type, spool)];
  const [one, two] = both.map(({ spooled }) => bytesOf(spooled));
  for (const { spooled } of both) await spool.discard(spooled);
  if (one === undefined || two === undefined) throw new Error("nothing is stored");
  expect(one.equals(two)).toBe(true);
  return one;
}

interface Pixel {
  readonly x: number;
  readonly y: number;
}

/** A GIF with a canvas, each frame of which is one white pixel; shown until the next one, for 100 ms more each. */
function gif(width: number, height: number, frames: readonly Pixel[]): Buffer {
  const header = Buffer.from("GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff", "latin1");
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  const loop = Buffer.from("\x21\xff\x0bNETSCAPE2.0\x03\x01\x03\0\0", "latin1");
  const all = frames.map(({ x, y }, at) => {
    const control = Buffer.from("\x21\xf9\x04\x04\x0a\0\0\0", "latin1");
    control.writeUInt16LE(10 * (at + 1), 4);
    const image = Buffer.from("\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x4c\x01\0", "latin1");
    image.writeUInt16LE(x, 1);
    image.writeUInt16LE(y, 3);
    return Buffer.concat([control, image]);
  });
  return Buffer.concat([header, ...(frames.length > 1 ? [loop] : []), ...all, Buffer.from(";")]);
}

/** Where white is, by frame. */
async function white(bytes: Buffer, width: number, height: number): Promise<readonly (readonly Pixel[])[]> {
  const raw = await sharp(bytes, { pages: -1 }).ensureAlpha().raw().toBuffer();
  const frames: Pixel[][] = Array.from({ length: raw.length / (4 * width * height) }, () => []);
  for (let at = 0; at < raw.length; at += 4) {
    if (raw.readUInt32BE(at) !== 0xffffffff) continue;
    const pixel = at / 4;
    const row = Math.floor(pixel / width);
    frames[Math.floor(row / height)]?.push({ x: pixel % width, y: row % height });
  }
  return frames;
}

const sizes: readonly (readonly [number, number])[] = [
  ...([
    [640, 480],
    [640, 512],
    [800, 600],
    [1_024, 768],
    [1_280, 1_024],
    [1_600, 1_200],
  ] as const),
  ...([
    [2_049, 20],
    [20, 2_049],
    [3_000, 2_500],
    [1, 3_000],
  ] as const),
  ...([
    [1_024, 767],
    [100, 100],
    [2_048, 30],
    [1, 1],
    [17, 5],
  ] as const),
];

describe.each(sizes)("A GIF of %i by %i", (width, height) => {
  const corner = { x: width - 1, y: height - 1 };
  const middle = { x: width >> 1, y: height >> 1 };
  test.each<readonly [string, readonly Pixel[]]>([
    ["a frame in its corner", [corner]],
    ["a frame at its beginning", [{ x: 0, y: 0 }]],
    ["frames all over it", [{ x: 0, y: 0 }, middle, corner]],
    ["frames that go back", [corner, { x: 0, y: 0 }]],
  ])("keeps its canvas and its frames with %s", async (_, frames) => {
    const sent = gif(width, height, frames);
    const bytes = await stored(sent, "image/gif");
    const {
      width: wide,
      height: all = 0,
      pageHeight = all,
      delay,
      loop,
    } = await sharp(bytes, { pages: -1 }).metadata();
    expect([wide, pageHeight]).toEqual([width, height]);
    const seen = await white(bytes, width, height);
    // What frames show stays until the end; equal ones after each other are one.
    const distinct = new Map<string, Pixel>(frames.map((pixel) => [JSON.stringify(pixel), pixel]));
    const order = (pixels: readonly Pixel[]) => pixels.toSorted((a, b) => a.y - b.y || a.x - b.x);
    expect(seen.map(order).at(-1)).toEqual(order([...distinct.values()]));
    if (distinct.size < frames.length) return;
    expect(seen.map(order)).toEqual(frames.map((__, at) => order(frames.slice(0, at + 1))));
    if (frames.length === 1) return;
    const before = await sharp(sent, { pages: -1 }).metadata();
    expect([delay, loop]).toEqual([frames.map((__, at) => 100 * (at + 1)), before.loop]);
  });
});

describe("An image without its last marker", () => {
  const photo = (progressive: boolean) =>
    sharp({
      create: {
        width: 90,
        height: 70,
        channels: 3,
        background: "#123456",
        noise: { type: "gaussian", mean: 128, sigma: 60 },
      },
    })
      .jpeg({ progressive })
      .toBuffer();
  const raw = (bytes: Buffer) => sharp(bytes).raw().toBuffer();

  test.each([false, true])(
    "of a JPEG (progressive: %s) is taken, and is the same picture",
    async (progressive) => {
      const whole = await photo(progressive);
      const expected = await raw(await stored(whole, "image/jpeg"));
      for (const missing of [1, 2]) {
        const bytes = await stored(whole.subarray(0, -missing), "image/jpeg");
        expect((await raw(bytes)).equals(expected)).toBe(true);
        expect(bytes.subarray(-2).toString("hex")).toBe("ffd9");
      }
    },
  );

  test.each([false, true])(
    "is refused where more is missing of a JPEG (progressive: %s)",
    async (progressive) => {
      const whole = await photo(progressive);
      for (const missing of [3, 4, 5, 10, 100, whole.length >> 1])
        await expect(stored(whole.subarray(0, -missing), "image/jpeg"), `${missing}`).rejects.toThrow(
          InvalidImage,
        );
    },
  );

  test("of a GIF is taken; where more is missing, it is refused", async () => {
    const whole = gif(50, 40, [
      { x: 1, y: 1 },
      { x: 9, y: 9 },
    ]);
    const expected = await stored(whole, "image/gif");
    expect((await stored(whole.subarray(0, -1), "image/gif")).equals(expected)).toBe(true);
    for (const missing of [2, 3, 4, 5, 10, 16, 20])
      await expect(stored(whole.subarray(0, -missing), "image/gif"), `${missing}`).rejects.toThrow(
        InvalidImage,
      );
  });
});

describe("A PNG with a palette", () => {
  const cases = [1, 2, 4, 8].flatMap((depth) =>
    [false, true].flatMap((interlaced) => [1, 7, 8, 33].map((width) => [depth, interlaced, width] as const)),
  );
  const pixels = (bytes: Buffer) => sharp(bytes).ensureAlpha().raw().toBuffer();

  test.each(cases)(
    "of %i bits (interlaced: %s), %i wide, keeps it with each pixel",
    async (depth, interlaced, width) => {
      const bytes = palettePngOf(width, 21, depth, interlaced, "secret");
      const made = await stored(bytes, "image/png");
      const { isPalette, bitsPerSample, comments, exif } = await sharp(made).metadata();
      expect([isPalette, bitsPerSample, comments, exif]).toEqual([true, depth, undefined, undefined]);
      expect((await pixels(made)).equals(await pixels(bytes))).toBe(true);
      expect(made.includes("secret")).toBe(false);
      expect(made.length).toBeLessThanOrEqual(bytes.length);
      const thumb = await rendered(inMemory(made), "image/png", { width: 5, fit: "inside" }, spool);
      expect(thumb.width).toBe(Math.min(5, width));
      await spool.discard(thumb.spooled);
    },
  );

  test("that is turned is a picture as others", async () => {
    const turned = await sharp(palettePngOf(20, 10, 8, false, "x"))
      .withExif({})
      .withMetadata({ orientation: 6 })
      .png({ palette: true })
      .toBuffer();
    const { width, height } = await sharp(await stored(turned, "image/png")).metadata();
    expect([width, height]).toEqual([10, 20]);
  });

  const good = palettePngOf(30, 30, 8, false, "x");
  const idat = good.indexOf("IDAT");
  test.each<readonly [string, () => Buffer]>([
    ["cut off", () => good.subarray(0, -30)],
    ["with a wrong sum", () => Buffer.from(good.with(idat + 6, (good[idat + 6] ?? 0) ^ 1))],
    [
      "without pixels",
      () =>
        Buffer.concat([
          good.subarray(0, idat - 4),
          chunk("IDAT", deflateSync(Buffer.alloc(31))),
          chunk("IEND", Buffer.alloc(0)),
        ]),
    ],
  ])("that is damaged is refused: %s", async (_, bytes) => {
    await expect(stored(Buffer.from(bytes()), "image/png")).rejects.toThrow(InvalidImage);
  });

  test("and bytes hidden behind its pixels loses them", async () => {
    const hidden = Buffer.concat([deflateSync(Buffer.alloc(31 * 30)), Buffer.from("hidden in the pixels")]);
    const bytes = Buffer.concat([
      good.subarray(0, idat - 4),
      chunk("IDAT", hidden),
      chunk("IEND", Buffer.alloc(0)),
      Buffer.from("hidden behind"),
    ]);
    expect((await stored(bytes, "image/png")).includes("hidden")).toBe(false);
  });
});
