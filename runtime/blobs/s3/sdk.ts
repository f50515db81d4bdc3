import type { S3Client } from "@aws-sdk/client-s3";

/** What of Amazon's SDK speaks to buckets. */
export type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/**
 * It takes a second and 30 MB, and is no part of bundles: loaded where a bucket is opened. What imports it otherwise than
 * so has every bundle ask for it.
 */
export async function loadSdk() {
  const [client, { getSignedUrl }] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("@aws-sdk/s3-request-presigner"),
  ]);
  return { client, getSignedUrl };
}

/** A bucket, and what speaks to it. */
export interface Bucket {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly name: string;
  /** Milliseconds before a request is sent for the second time; then twice as many. */
  readonly pause: number;
}
