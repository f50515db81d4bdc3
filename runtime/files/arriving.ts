/** What came, judged: its type by its content, and images as they are stored. */
import type { Spooled } from "../blobs/store.ts";
import { ApiError } from "../errors.ts";
import { InvalidImage } from "./content/decoding.ts";
import { isImage, storedImage } from "./content/images.ts";
import { judge, UnsupportedType } from "./content/judge.ts";
import type { Place } from "./place.ts";

/** Bytes as they will be stored, and what they are. */
export interface Arrived {
  readonly spooled: Spooled;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
  /** Pixels; of images. */
  readonly width?: number;
  readonly height?: number;
}

/**
 * @param claim the media type that the client says
 * @throws ApiError `unsupported_file_type` | `invalid_image` | `unavailable` where too many images wait; StorageUnavailable
 */
export async function arrived(
  { field, storage }: Place,
  spooled: Spooled,
  claim: string | undefined,
): Promise<Arrived> {
  try {
    const type = await judge(spooled, claim, field.accept);
    if (!isImage(type)) return { spooled, type, size: spooled.size, sha256: spooled.sha256 };
    const image = await storedImage(spooled, type, storage.spool);
    const { size, sha256 } = image.spooled;
    return { ...image, type, size, sha256 };
  } catch (error) {
    if (error instanceof UnsupportedType) throw new ApiError("unsupported_file_type", error.message);
    if (error instanceof InvalidImage)
      throw new ApiError("invalid_image", "The image is damaged, cut off, or larger than is taken.", {
        details: [{ path: "", reason: error.message }],
      });
    throw error;
  }
}
