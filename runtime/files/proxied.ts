/** Bytes of a file that come through the server. */
import { type QuotaRoom, quotaExceeded } from "../documents/files/usage.ts";
import { ApiError } from "../errors.ts";
import { alwaysProxied, mostProxied } from "../realm/files.ts";
import { tooLarge } from "./errors.ts";
import type { Place } from "./place.ts";
import type { Sent } from "./sent.ts";

/** Bytes that a proxied upload may have. */
export function proxiedLimit({ field, storage }: Place): number {
  return Math.min(mostProxied(field), storage.maxUpload);
}

export function modeMismatch({ field }: Place): ApiError {
  const how = field.upload === "direct" ? "directly (_uploads)" : "in a resumable way (_tus)";
  return new ApiError(
    "upload_mode_mismatch",
    `Files of more than ${alwaysProxied} bytes are uploaded here ${how}.`,
  );
}

/** The bytes of the file, as far as the mode, the sizes and the quotas go. */
export async function* bounded(
  place: Place,
  sent: Pick<Sent, "bytes">,
  limit: number,
  room: QuotaRoom | undefined,
): AsyncGenerator<Buffer> {
  const { field, storage } = place;
  const isShort = limit < Math.min(field.maxSize, storage.maxUpload);
  const isFull = room !== undefined && room.bytes < limit;
  try {
    yield* sent.bytes(isFull ? room.bytes : limit);
  } catch (error) {
    const isLarge = error instanceof ApiError && error.code === "payload_too_large";
    if (!isLarge) throw error;
    if (isFull) throw quotaExceeded(room.whose);
    throw isShort ? modeMismatch(place) : tooLarge(limit);
  }
}
