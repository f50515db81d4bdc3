import { BlobMissing, StorageUnavailable } from "../blobs/store.ts";
import { ApiError, retryAfter } from "../errors.ts";

/** Absent, of another field or document, or hidden from the caller: they are not told apart. */
export function noSuchFile(): ApiError {
  return new ApiError("not_found", "There is no such file.");
}

/** What clients see of an error of the storage; others stay as they are. */
export function fileError(error: unknown): unknown {
  if (error instanceof BlobMissing)
    return new ApiError("file_missing", "The bytes of the file are gone.", { cause: error });
  if (error instanceof StorageUnavailable) return storageUnavailable(error);
  return error;
}

export function storageUnavailable(cause?: unknown): ApiError {
  const headers = retryAfter(5_000);
  return new ApiError("storage_unavailable", "The file storage cannot be reached.", { headers, cause });
}

export function tooLarge(most: number): ApiError {
  return new ApiError("payload_too_large", `A file here has at most ${most} bytes.`);
}

/** @param path of the header */
export function invalidHeader(path: string, reason: string): ApiError {
  return new ApiError("invalid_header", `${path} is malformed.`, { details: [{ path, reason }] });
}
