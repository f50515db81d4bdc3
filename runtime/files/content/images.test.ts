import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openSpool, type Spool } from "../../blobs/spool.ts";
import type { ImageVersion } from "../../realm/files.ts";
import { InvalidImage } from "./decoding.ts";
import { isImage, rendered, specHash, storedImage } from "./images.ts";
import { mediaType } from "./media-types.ts";
import { bytesOf, honest, honestBytes, inMemory, onDisk } from "./testing/files.ts";
import { zipOf } from "./testing/zip.ts";

let folder: string;
let spool: Spool;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "images-"));
  spool = await openSpool(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});

const images = honest.filter(({ claim }) => isImage(mediaType(claim)));
const stored = (bytes: Buffer, type: string) => storedImage(onDisk(bytes, spool), type, spool);
const about = (bytes: Buffer) => sharp(bytes, { pages: -1 }).metadata();
const pixels = (bytes: Buffer) => sharp(bytes, { pages: -1 }).keepIccProfile().ensureAlpha().raw().toBuffer();
const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: "#123456",
      noise: { type: "gaussian", mean: 128, sigma: 60 },
    },
  });

/** Every pixel a little other than its neighbours. */
function gradient(width: number, height: number): Sharp {
  const pixels = Array.from({ length: width * height }, (_, n) => {
    const [x, y] = [n % width, Math.floor(n / width)];
    return [8 * x, 12 * y, 5 * (x + y)];
  });
  return sharp(Buffer.from(pixels.flat()), { raw: { width, height, channels: 3 } });
}

describe("images by real producers", () => {
  test("of each format that is read are here", () => {
    expect(new Set(images.map(({ claim }) => mediaType(claim)))).toEqual(
      new Set(["image/jpeg", "image/png", "image/gif", "image/webp", "image/tiff", "image/avif"]),
    );
  });

  test.each(images)(
    "$file is stored without metadata, as large and as often as it was",
    async ({ file, claim }) => {
      const bytes = honestBytes(file);
      const before = await about(bytes);
      const { spooled, width, height } = await stored(bytes, mediaType(claim));
      const after = await about(bytesOf(spooled));
      expect(after.mediaType).toBe(mediaType(claim));
      expect([after.exif, after.xmp, after.iptc, after.comments, after.orientation]).toEqual(
        Array.from({ length: 4 }).concat(after.format === "tiff" ? 1 : undefined),
      );
      expect([width, height]).toEqual([
        before.autoOrient.width,
        before.pageHeight ?? before.autoOrient.height,
      ]);
      expect([after.pages ?? 1, after.delay, after.loop]).toEqual([
        before.pages ?? 1,
        before.delay,
        before.loop,
      ]);
    },
  );

  test.each(images)(
    "$file gives equal bytes each time, from memory and from disk",
    async ({ file, claim }) => {
      const type = mediaType(claim);
      const bytes = honestBytes(file);
      const [one, two] = [await stored(bytes, type), await storedImage(inMemory(bytes), type, spool)];
      expect(bytesOf(one.spooled).equals(bytesOf(two.spooled))).toBe(true);
      expect(one.spooled.sha256).toBe(two.spooled.sha256);
      const version: ImageVersion = { width: 16, height: 16, fit: "cover" };
      const first = await rendered(one.spooled, type, version, spool);
      const second = await rendered(two.spooled, type, version, spool);
      expect(first.spooled.sha256).toBe(second.spooled.sha256);
      expect([first.width, first.height]).toEqual([16, 16]);
    },
  );

  // Of an animated PNG the first frame is taken, and what comes after it is passed over.
  test.each(images.filter(({ file }) => file !== "ffmpeg.png"))(
    "$file cut in its middle is refused, and nothing is left of it",
    async ({ file, claim }) => {
      const bytes = honestBytes(file);
      for (const part of [0.1, 0.5]) {
        const cut = inMemory(bytes.subarray(0, Math.floor(bytes.length * part)));
        await expect(storedImage(cut, mediaType(claim), spool)).rejects.toThrow(InvalidImage);
      }
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

describe("what is stored of an image", () => {
  test("has its orientation applied, and no artist and no place", async () => {
    const bytes = honestBytes("exiftool.jpg");
    expect(bytes.includes("GPS") || bytes.includes("me\0")).toBe(true);
    const { spooled, width, height } = await stored(bytes, "image/jpeg");
    expect([width, height]).toEqual([30, 40]);
    // Red was above; turned by 6 it is to the right.
    const { data } = await sharp(bytesOf(spooled)).raw().toBuffer({ resolveWithObject: true });
    const red = (x: number) => data[(20 * 30 + x) * 3] ?? 0;
    expect(red(28)).toBeGreaterThan(red(1) + 100);
    expect(bytesOf(spooled).includes("Exif")).toBe(false);
  });

  // The same at every run: of noise JPEG is sometimes further off.
  const profiled = () => gradient(30, 20).withIccProfile("p3");
  test.each([
    ["jpeg", (image: Sharp) => image.jpeg({ quality: 100 })],
    ["png", (image: Sharp) => image.png()],
    ["webp", (image: Sharp) => image.webp({ lossless: true })],
    ["tiff", (image: Sharp) => image.tiff()],
  ] as const)("keeps its colour profile, and the colours by it: %s", async (format, make) => {
    const bytes = await make(profiled()).toBuffer();
    const after = bytesOf((await stored(bytes, `image/${format}`)).spooled);
    const profile = (await about(bytes)).icc;
    expect(profile).toBeInstanceOf(Buffer);
    expect((await about(after)).icc).toEqual(profile);
    const [was, is] = [await pixels(bytes), await pixels(after)];
    const far = was.reduce((most, value, n) => Math.max(most, Math.abs(value - (is[n] ?? 0))), 0);
    expect(far).toBeLessThanOrEqual(format === "jpeg" ? 40 : 0);
  });

  test("has inks made colours", async () => {
    const bytes = await noise(20, 20).toColourspace("cmyk").withIccProfile("cmyk").jpeg().toBuffer();
    const after = await about(bytesOf((await stored(bytes, "image/jpeg")).spooled));
    expect([after.space, after.hasProfile]).toEqual(["srgb", false]);
  });

  test.each([
    ["magick.png", "image/png"],
    ["magick.gif", "image/gif"],
    ["ffmpeg.gif", "image/gif"],
    ["magick.tiff", "image/tiff"],
  ])("is what it was, pixel by pixel, where its format loses nothing: %s", async (file, type) => {
    const bytes = honestBytes(file);
    const after = bytesOf((await stored(bytes, type)).spooled);
    expect((await pixels(after)).equals(await pixels(bytes))).toBe(true);
    expect((await about(after)).depth).toBe((await about(bytes)).depth);
  });

  test("has all pages of a TIFF", async () => {
    const strips = await Promise.all(
      ["#f00", "#0f0"].map((background) =>
        sharp({ create: { width: 8, height: 8, channels: 3, background } })
          .raw()
          .toBuffer(),
      ),
    );
    const raw = { width: 8, height: 16, channels: 3, pageHeight: 8 } as const;
    const bytes = await sharp(Buffer.concat(strips), { raw }).tiff().toBuffer();
    expect((await about(bytes)).pages).toBe(2);
    const { spooled, height } = await stored(bytes, "image/tiff");
    expect([(await about(bytesOf(spooled))).pages, height]).toEqual([2, 8]);
  });

  test("has nothing of what was hidden behind it", async () => {
    const both = Buffer.concat([honestBytes("magick.jpg"), zipOf({ "a.class": Buffer.from("hidden") })]);
    const after = bytesOf((await stored(both, "image/jpeg")).spooled);
    expect(after.includes("PK\x03\x04")).toBe(false);
  });

  test("loses little: a photograph keeps its size within bounds", async () => {
    const bytes = await noise(400, 300).blur(2).jpeg({ quality: 85 }).toBuffer();
    const after = bytesOf((await stored(bytes, "image/jpeg")).spooled);
    expect(after.length).toBeLessThan(bytes.length * 2);
  });
});

describe("a version", () => {
  test.each([
    [{ width: 100, height: 100, fit: "cover" }, 100, 100],
    [{ width: 100, height: 100, fit: "contain" }, 100, 100],
    [{ width: 100, height: 100, fit: "inside" }, 100, 50],
    [{ width: 50, fit: "cover" }, 50, 25],
    [{ height: 50, fit: "inside" }, 100, 50],
    [{ width: 1_600, fit: "cover" }, 400, 200],
    [{ width: 800, height: 800, fit: "inside" }, 400, 200],
    [{ width: 500, height: 500, fit: "cover" }, 500, 500],
  ] as const)("of 400 by 200 by %j is %i by %i", async (version, width, height) => {
    for (const format of ["jpeg", "png", "webp", "gif"] as const) {
      const bytes = await noise(400, 200).toFormat(format).toBuffer();
      const made = await rendered(inMemory(bytes), `image/${format}`, version, spool);
      expect([made.width, made.height]).toEqual([width, height]);
      const found = await about(bytesOf(made.spooled));
      expect([found.format, found.width, found.height]).toEqual([format, width, height]);
    }
  });

  test("of an animation is one", async () => {
    const made = await rendered(
      inMemory(honestBytes("ffmpeg.gif")),
      "image/gif",
      { width: 20, fit: "inside" },
      spool,
    );
    expect([made.width, made.height]).toEqual([20, 15]);
    const { pages, delay } = await about(bytesOf(made.spooled));
    expect([pages, delay]).toEqual([5, [200, 200, 200, 200, 200]]);
  });

  test("has margins: white in JPEG, nothing where that can be", async () => {
    const bytes = await noise(40, 20).png().toBuffer();
    const box: ImageVersion = { width: 40, height: 40, fit: "contain" };
    const png = await rendered(inMemory(bytes), "image/png", box, spool);
    expect([...(await pixels(bytesOf(png.spooled))).subarray(0, 4)]).toEqual([0, 0, 0, 0]);
    // Of one colour, since JPEG leaves a shimmer of noise some pixels around it.
    const jpg = await sharp({ create: { width: 40, height: 20, channels: 3, background: "#777" } })
      .jpeg()
      .toBuffer();
    const jpeg = await rendered(inMemory(jpg), "image/jpeg", box, spool);
    const corner = (await pixels(bytesOf(jpeg.spooled))).subarray(0, 3);
    for (const value of corner) expect(value).toBeGreaterThan(245);
  });

  test("is told apart by all that is asked for", () => {
    const versions: ImageVersion[] = [
      { width: 1, fit: "cover" },
      { height: 1, fit: "cover" },
      { width: 1, height: 1, fit: "cover" },
      { width: 1, height: 1, fit: "contain" },
      { width: 1, height: 1, fit: "inside" },
    ];
    const hashes = versions.map(specHash);
    expect(new Set(hashes).size).toBe(5);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{16}$/);
    expect(specHash({ fit: "cover", width: 1 })).toBe(hashes[0]);
  });
});
