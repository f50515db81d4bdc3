/**
 * Images, by sharp: what is stored of them, and their versions. Read and written are the formats that its prebuilt libvips
 * has both ways: JPEG, PNG, WebP, GIF, TIFF and AVIF. Others (SVG, HEIC, BMP, raw ones of cameras, …) are files as any
 * other: stored as they came, with what their cameras wrote into them, without versions.
 */
import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Metadata } from "sharp";
import type { Spool } from "../../blobs/spool.ts";
import type { Spooled } from "../../blobs/store.ts";
import { unavailable } from "../../errors.ts";
import type { ImageVersion } from "../../realm/files.ts";
import { Turns } from "../../turns.ts";
import {
  about,
  type Decoding,
  decoded,
  type Image,
  type ImageLimits,
  InvalidImage,
  imageLimits,
  type Making,
  requireWithin,
  type Write,
} from "./decoding.ts";
import { gifCanvas, isWholeGif } from "./gif.ts";
import { formatOf, written } from "./image-formats.ts";
import { canvasGif, endedJpeg } from "./mending.ts";
import { palettePng } from "./palette-png.ts";

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
  const write: Write = (image, format, of) =>
    // Inks are made colours, which leaves their profile nothing to say.
    written(of.metadata.space === "cmyk" ? image : image.keepIccProfile(), format, of, "original");
  return made(source, type, spool, limits, { write, keep: keptPalette });
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
  const write: Write = (image, format, of) => {
    const isBox = width !== undefined && height !== undefined && fit !== "inside";
    const background = format === "jpeg" ? "#ffffff" : { r: 0, g: 0, b: 0, alpha: 0 };
    const resized = image.resize({ width, height, fit, background, withoutEnlargement: !isBox });
    return written(resized, format, of, "version");
  };
  return made(source, type, spool, limits, { width, height, write });
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

async function made(
  spooled: Spooled,
  type: string,
  spool: Spool,
  limits: ImageLimits,
  making: Making,
): Promise<Image> {
  const format = formatOf(type);
  if (format === undefined) throw new InvalidImage(`images are not read from ${type}`);
  const of: Decoding = { type, format, spool, limits };
  return turns.run(async () => {
    try {
      return await (format === "gif" ? ofGif(spooled, of, making) : decoded(spooled, of, making));
    } catch (error) {
      // Some programs leave the marker of the end out. Without anything else that is missing, it is a picture.
      if (format !== "jpeg" || !(error instanceof InvalidImage) || !unended.test(error.message)) throw error;
      const whole = await endedJpeg(spooled, spool);
      try {
        return await decoded(whole, { ...of, failOn: "warning" }, making);
      } finally {
        await spool.discard(whole);
      }
    }
  });
}

/** In the words of the decoder. */
const unended = /premature end of JPEG image/;

/** The decoder drops the canvas of some sizes, and has the first frame for it: it is given a frame that is the canvas. */
async function ofGif(spooled: Spooled, of: Decoding, making: Making): Promise<Image> {
  const { width, height, pageHeight, pages = 1, format } = await about(spooled, of);
  if (format !== "gif") throw new InvalidImage("it is no gif");
  if (!(await isWholeGif(spooled))) throw new InvalidImage("it is cut off");
  const canvas = await gifCanvas(spooled);
  if (canvas.width <= width && canvas.height <= (pageHeight ?? height)) return decoded(spooled, of, making);
  requireWithin({ width: canvas.width, height: canvas.height, pages }, of.limits);
  const framed = await canvasGif(spooled, of.spool, canvas);
  try {
    return await decoded(framed, { ...of, isFramed: true }, making);
  } finally {
    await of.spool.discard(framed);
  }
}

/** A PNG with a palette keeps it, unless it is to be turned. */
async function keptPalette(spooled: Spooled, metadata: Metadata): Promise<Buffer | undefined> {
  const { format, isPalette, orientation = 1 } = metadata;
  return format === "png" && isPalette && orientation === 1 ? palettePng(spooled) : undefined;
}
