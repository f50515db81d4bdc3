/** What decodes images and makes others of them, within limits. */
import { rm } from "node:fs/promises";
import type { Metadata, OutputInfo, Sharp, SharpOptions } from "sharp";
import type { Spool } from "../../blobs/spool.ts";
import { type Spooled, StorageUnavailable } from "../../blobs/store.ts";
import { headOf } from "./head.ts";
import { hasFrames, type ImageFormat, type Source } from "./image-formats.ts";

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

export type Write = (image: Sharp, format: ImageFormat, source: Source) => Sharp;

/** What is made of an image. */
export interface Making {
  /** Pixels; absent: as large as it is. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly write: Write;
  /** What is stored in place of what the decoder would make of it; answers undefined where there is nothing of that kind. */
  readonly keep?: (spooled: Spooled, metadata: Metadata) => Promise<Buffer | undefined>;
}

export interface Decoding {
  readonly type: string;
  readonly format: ImageFormat;
  readonly spool: Spool;
  readonly limits: ImageLimits;
  /** Default: what is cut off, and what is broken. */
  readonly failOn?: "error" | "warning";
  /** The first frame is none of the picture's. */
  readonly isFramed?: true;
}

function optionsOf({ format, limits, failOn = "error", isFramed }: Decoding): SharpOptions {
  return {
    failOn,
    // Of all frames together: a frame is judged by what the file says, before anything is decoded.
    limitInputPixels: limits.animatedPixels,
    pages: hasFrames(format) ? -1 : 1,
    ...(isFramed && { page: 1 }),
  };
}

/** @throws InvalidImage */
export async function about(spooled: Spooled, of: Decoding): Promise<Metadata> {
  try {
    const sharp = await library();
    return await sharp(inputOf(spooled), { ...optionsOf(of), limitInputPixels: false }).metadata();
  } catch (error) {
    throw told(error);
  }
}

function inputOf(spooled: Spooled): Buffer | string {
  return spooled.kind === "memory" ? spooled.bytes : spooled.path;
}

export async function decoded(
  spooled: Spooled,
  of: Decoding,
  { width: wide, height: high, write, keep }: Making,
): Promise<Image> {
  const { type, format, spool, limits, isFramed } = of;
  const sharp = await library();
  const path = spool.newPath();
  try {
    const metadata = await about(spooled, of);
    if (metadata.mediaType !== type) throw new InvalidImage(`it is no ${format}`);
    if (!isFramed) requireWithin(metadata, limits);
    const kept = await keep?.(spooled, metadata);
    if (kept !== undefined) {
      const { width, height } = metadata;
      return { spooled: await spool.take(only(kept), kept.length), width, height };
    }
    const source = { metadata, isLossless: format === "webp" && (await isLosslessWebp(spooled)), isFramed };
    const image = sharp(inputOf(spooled), optionsOf(of)).autoOrient().timeout({ seconds: limits.seconds });
    const result = write(image, format, source);
    const [{ width, height, pageHeight }, taken] = isSmall(metadata, { width: wide, height: high })
      ? await inMemory(result, spool)
      : [await result.toFile(path), await spool.adopt(path)];
    return { spooled: taken, width, height: pageHeight ?? height };
  } catch (error) {
    await rm(path, { force: true });
    throw told(error);
  }
}

/** Pixels that take few megabytes in any format: not worth a file before it is known whether they are worth one. */
const SMALL = 1_000_000;

function isSmall(
  of: Metadata,
  { width = of.width, height = of.height }: Pick<Making, "width" | "height">,
): boolean {
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
export function requireWithin(
  { width, height, pageHeight, pages = 1 }: Pick<Metadata, "width" | "height" | "pageHeight" | "pages">,
  limits: ImageLimits,
): void {
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
