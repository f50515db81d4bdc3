import { attempts } from "./attempts.ts";
import { toldBy } from "./failures.ts";
import type { Bucket } from "./sdk.ts";

/** What a bucket answers who may not list what is under way in it, or knows nothing of the kind. */
const unable: ReadonlySet<number | undefined> = new Set([403, 405, 501]);

/**
 * Ends multipart uploads that began before a time: their parts take up room, and no list of objects shows them. Where a
 * bucket does not let us look for them nothing is ended: its own rules do that.
 * @param before epoch milliseconds
 * @returns how many
 */
export async function abortMultiparts(
  bucket: Bucket,
  Prefix: string,
  before: number,
  isOurs: (key: string) => boolean,
): Promise<number> {
  const { sdk, client, name: Bucket } = bucket;
  let ended = 0;
  let marker: { readonly KeyMarker?: string | undefined; readonly UploadIdMarker?: string | undefined } = {};
  for (;;) {
    const command = new sdk.client.ListMultipartUploadsCommand({ Bucket, Prefix, ...marker });
    const page = await attempts(bucket, () => client.send(command)).catch((error: unknown) => {
      if (unable.has(toldBy(error).status)) return undefined;
      throw error;
    });
    for (const { Key = "", UploadId, Initiated } of page?.Uploads ?? []) {
      if (!isOurs(Key) || Initiated === undefined || Initiated.getTime() >= before) continue;
      const abort = new sdk.client.AbortMultipartUploadCommand({ Bucket, Key, UploadId });
      await attempts(bucket, () => client.send(abort)).catch((error: unknown) => {
        // Somebody else has.
        if (toldBy(error).name !== "NoSuchUpload") throw error;
      });
      ended += 1;
    }
    if (page?.IsTruncated !== true || page.NextKeyMarker === undefined) return ended;
    marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}
