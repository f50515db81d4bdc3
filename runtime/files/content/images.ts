/**
 * Images, by sharp: what is stored of them, and their versions. Read and written are the formats that its prebuilt libvips
 * has both ways: JPEG, PNG, WebP, GIF, TIFF and AVIF. Others (SVG, HEIC, BMP, raw ones of cameras, …) are files as any
 * other: stored as they came, with what their cameras wrote into them, without versions.
 */
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import type { Metadata, OutputInfo, Sharp, SharpOptions } from "sharp";
import type { Spool } from "../../blobs/spool.ts";
import { type Spooled, StorageUnavailable } from "../../blobs/store.ts";
import { unavailable } from "../../errors.ts";
import type { ImageVersion } from "../../realm/files.ts";
import { Turns } from "../../turns.ts";
import { isWholeGif } from "./gif.ts";
import { headOf } from "./head.ts";
import { formatOf, hasFrames, type ImageFormat, type Source, written } from "./image-formats.ts";

/** What may be asked of us by an image. */
export interface ImageLimits {
  /**
   * Pixels of it, or of a frame. 50 megapixels are more than cameras of phones and most others give; decoded, one takes
   * 200 MB of memory at most where it has to be turned, and little where it has not.
   */
  readonly pixels: number;
  readonly frames: number;
  /** Pixels of all frames. */
  readonly animatedPixels: number;
  /** Seconds of work on it. */
  readonly seconds: number;
}

export const imageLimits: ImageLimits = {
  pixels: 50_000_000,
  frames: 1_000,
  animatedPixels: 100_000_000,
  seconds: 30,
};

/** What is said to be an image is damaged, cut off, or larger than is taken. */
export class InvalidImage extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, { cause });
    this.name = "InvalidImage";
  }
}

export interface Image {
  /** The caller's to discard. */
  readonly spooled: Spooled;
  /** Pixels; of a frame where there are several. */
  readonly width: number;
  readonly height: number;
}

/** Whether {@link storedImage} and {@link rendered} take files of a media type. */
export function isImage(type: string): boolean {
  return formatOf(type) !== undefined;
}

/**
 * An image as it is stored: the same format and frames, orientation applied, colour profile kept, nothing else that was in
 * the file. Equal input gives equal bytes.
 * @throws InvalidImage; ApiError `unavailable` where too many wait; StorageUnavailable
 */
export function storedImage(
  source: Spooled,
  type: string,
  spool: Spool,
  limits: ImageLimits = imageLimits,
): Promise<Image> {
  return made(source, type, spool, limits, {}, (image, format, of) =>
    // Inks are made colours, which leaves their profile nothing to say.
    written(of.metadata.space === "cmyk" ? image : image.keepIccProfile(), format, of, "original"),
  );
}

/**
 * A version of an image, of the same type. `cover` and `contain` of two given sides fill that box, the latter with
 * margins; whatever else is fitted in is never made larger.
 * @throws as {@link storedImage}
 */
export function rendered(
  source: Spooled,
  type: string,
  { width, height, fit }: ImageVersion,
  spool: Spool,
  limits: ImageLimits = imageLimits,
): Promise<Image> {
  return made(source, type, spool, limits, { width, height }, (image, format, of) => {
    const isBox = width !== undefined && height !== undefined && fit !== "inside";
    const background = format === "jpeg" ? "#ffffff" : { r: 0, g: 0, b: 0, alpha: 0 };
    const resized = image.resize({ width, height, fit, background, withoutEnlargement: !isBox });
    return written(resized, format, of, "version");
  });
}

/** To be raised when versions are made in another way: those that were made before are made anew. */
const RENDERING = 1;

/** What tells versions of a file apart: 16 hexadecimal digits of what is asked for. */
export function specHash({ width, height, fit }: ImageVersion): string {
  const spec = JSON.stringify([RENDERING, width ?? null, height ?? null, fit]);
  return createHash("sha256").update(spec).digest("hex").slice(0, 16);
}

/** Threads that Node has for files, names, passwords and images alike: half of them are for others. */
const threads = Number(process.env["UV_THREADPOOL_SIZE"]) || 4;
const turns = new Turns(Math.max(1, Math.min(availableParallelism(), Math.floor(threads / 2))), 256, () =>
  unavailable("Too many images are being worked on; try again shortly."),
);

/** Absent: as large as it is. */
interface Box {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

type Write = (image: Sharp, format: ImageFormat, source: Source) => Sharp;

async function made(
  spooled: Spooled,
  type: string,
  spool: Spool,
  limits: ImageLimits,
  box: Box,
  write: Write,
): Promise<Image> {
  const format = formatOf(type);
  if (format === undefined) throw new InvalidImage(`images are not read from ${type}`);
  return turns.run(async () => {
    const sharp = await library();
    const input = spooled.kind === "memory" ? spooled.bytes : spooled.path;
    const options: SharpOptions = {
      failOn: "error",
      // Of all frames together: a frame is judged by what the file says, before anything is decoded.
      limitInputPixels: limits.animatedPixels,
      pages: hasFrames(format) ? -1 : 1,
    };
    const path = spool.newPath();
    try {
      const metadata = await sharp(input, { ...options, limitInputPixels: false }).metadata();
      if (metadata.mediaType !== type) throw new InvalidImage(`it is no ${format}`);
      requireWithin(metadata, limits);
      if (format === "gif" && !(await isWholeGif(spooled))) throw new InvalidImage("it is cut off");
      const source = { metadata, isLossless: format === "webp" && (await isLosslessWebp(spooled)) };
      const image = sharp(input, options).autoOrient().timeout({ seconds: limits.seconds });
      const result = write(image, format, source);
      const [{ width, height, pageHeight }, taken] = isSmall(metadata, box)
        ? await inMemory(result, spool)
        : [await result.toFile(path), await spool.adopt(path)];
      return { spooled: taken, width, height: pageHeight ?? height };
    } catch (error) {
      await rm(path, { force: true });
      throw told(error);
    }
  });
}

/** Pixels that take few megabytes in any format: not worth a file before it is known whether they are worth one. */
const SMALL = 1_000_000;

function isSmall(of: Metadata, { width = of.width, height = of.height }: Box): boolean {
  return width * height * (of.pages ?? 1) <= SMALL;
}

async function inMemory(image: Sharp, spool: Spool): Promise<[OutputInfo, Spooled]> {
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return [info, await spool.take(only(data), data.length)];
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

type Library = typeof import("sharp").default;
let configured: Library | undefined;

/** Loaded with the first image: it takes some 20 MB. */
async function library(): Promise<Library> {
  if (configured === undefined) {
    const { default: sharp } = await import("sharp");
    // Each image is another one; one thread for each of several is less work than several for each.
    sharp.cache(false);
    sharp.concurrency(1);
    configured = sharp;
  }
  return configured;
}

/** @throws InvalidImage */
function requireWithin({ width, height, pageHeight, pages = 1 }: Metadata, limits: ImageLimits): void {
  const frame = width * (pageHeight ?? height);
  if (frame > limits.pixels) throw new InvalidImage(`it has more than ${limits.pixels} pixels`);
  if (pages > limits.frames) throw new InvalidImage(`it has more than ${limits.frames} frames`);
  if (frame * pages > limits.animatedPixels) {
    throw new InvalidImage(`its frames have more than ${limits.animatedPixels} pixels`);
  }
}

/** Bytes in which a WebP file has begun with its pixels, after a colour profile. */
const WEBP_HEAD = 16_384;

async function isLosslessWebp(spooled: Spooled): Promise<boolean> {
  const head = await headOf(spooled, WEBP_HEAD);
  return head.includes("VP8L", 12, "latin1") && !head.includes("VP8 ", 12, "latin1");
}

/** What the system says of the file that is written, in the words of libvips. */
const unwritten =
  /unix error: (?:No space left|Disk quota|Permission denied|Read-only|No such file|Input\/output)/i;

/** Sharp has no errors of its own. */
function told(error: unknown): unknown {
  if (error instanceof InvalidImage || error instanceof StorageUnavailable) return error;
  const why = error instanceof Error ? error.message : `${error}`;
  return unwritten.test(why)
    ? new StorageUnavailable(`an image cannot be written: ${why}`, error)
    : new InvalidImage(why, error);
}
