/** The formats of images, and how each is written. */
import type { Metadata, Sharp } from "sharp";
import type { versionedTypes } from "../../realm/files.ts";

export type ImageFormat = "jpeg" | "png" | "webp" | "gif" | "tiff" | "avif";

const formats: Readonly<Record<(typeof versionedTypes)[number], ImageFormat>> = {
  "image/jpeg": "jpeg",
  "image/png": "png",
  "image/webp": "webp",
  "image/gif": "gif",
  "image/tiff": "tiff",
  "image/avif": "avif",
};

const byType: ReadonlyMap<string, ImageFormat> = new Map(Object.entries(formats));

/** Of a media type; undefined for those that are not read. */
export function formatOf(type: string): ImageFormat | undefined {
  return byType.get(type);
}

/** Whether a file may have several frames, or pages. */
export function hasFrames(format: ImageFormat): boolean {
  return format === "gif" || format === "webp" || format === "tiff";
}

/** What the file says of itself that the writer has to know, and its metadata does not. */
export interface Source {
  readonly metadata: Metadata;
  /** Of WebP. */
  readonly isLossless: boolean;
  /** Of GIF: the first frame was added, and is left out. */
  readonly isFramed?: true | undefined;
}

/** @param purpose `original`: as close to what came as the format allows */
export function written(
  image: Sharp,
  format: ImageFormat,
  { metadata, isLossless, isFramed }: Source,
  purpose: "original" | "version",
): Sharp {
  const isOriginal = purpose === "original";
  const deep = isOriginal && metadata.depth === "ushort" && /16$/.test(metadata.space);
  const kept = deep ? image.toColourspace(metadata.space) : image;
  switch (format) {
    case "jpeg":
      return image.jpeg({
        quality: isOriginal ? 92 : 80,
        // There are others between these two.
        chromaSubsampling: isOriginal && metadata.chromaSubsampling !== "4:2:0" ? "4:4:4" : "4:2:0",
        progressive: metadata.isProgressive === true,
      });
    case "png":
      return kept.png({ progressive: metadata.isProgressive === true });
    case "webp":
      return image.webp(isLossless ? { lossless: true } : { quality: isOriginal ? 92 : 80 });
    case "gif":
      // They are those of all frames of the file.
      return image.gif(isFramed && metadata.delay ? { delay: metadata.delay.slice(1) } : {});
    case "tiff":
      return metadata.bitsPerSample === 1 && isOriginal
        ? image.tiff({ bitdepth: 1, compression: "ccittfax4" })
        : kept.tiff({ compression: "deflate", predictor: "horizontal" });
    case "avif":
      return image.avif({ quality: isOriginal ? 80 : 50, effort: 3, bitdepth: 8 });
  }
}
