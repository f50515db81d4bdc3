/** What came, judged: its type by its content, and images as they are stored. */
import type { Spooled } from "../blobs/store.ts";
import { ApiError } from "../errors.ts";
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
 * @throws ApiError `unsupported_file_type`
 */
export async function arrived(
  { field }: Place,
  spooled: Spooled,
  claim: string | undefined,
): Promise<Arrived> {
  try {
    const type = await judge(spooled, claim, field.accept);
    return { spooled, type, size: spooled.size, sha256: spooled.sha256 };
  } catch (error) {
    if (error instanceof UnsupportedType) throw new ApiError("unsupported_file_type", error.message);
    throw error;
  }
}
