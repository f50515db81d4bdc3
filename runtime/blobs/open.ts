import type { LocalStorage, S3Storage } from "../realm/files.ts";
import { openLocalBlobs } from "./local/store.ts";
import { openS3Blobs, type S3Credentials } from "./s3/store.ts";
import type { Spool } from "./spool.ts";
import type { BlobStore } from "./store.ts";

export interface BlobsOptions {
  /** Of the realm alone; of storages on this machine. */
  readonly folder: string;
  readonly spool: Spool;
  /** Of S3; absent: the SDK looks for them where its programs do. */
  readonly credentials?: S3Credentials | undefined;
}

/**
 * Opens the storage of a realm. Whether a bucket can be reached is told by `health()`, not here.
 * @throws StorageUnavailable where a folder cannot be used
 */
export async function openBlobs(
  driver: LocalStorage | S3Storage,
  { folder, spool, credentials }: BlobsOptions,
): Promise<BlobStore> {
  if (driver.kind === "local") return openLocalBlobs(folder, spool);
  return openS3Blobs(driver, { credentials });
}
