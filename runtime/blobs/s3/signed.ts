import type { BlobKey, SignedAccess } from "../store.ts";
import type { Bucket } from "./sdk.ts";

/** Addresses of the bucket that stand for a request each: nobody can make another one of them. */
export function signedAccess(
  { sdk, client, name: Bucket }: Bucket,
  objectKey: (key: BlobKey) => string,
): SignedAccess {
  const { getSignedUrl } = sdk;
  const { GetObjectCommand, PutObjectCommand } = sdk.client;
  return {
    most: 5 * 1024 ** 3,
    async put(key, { size, sha256, type }, seconds) {
      const checksum = Buffer.from(sha256, "hex").toString("base64");
      const command = new PutObjectCommand({
        Bucket,
        Key: objectKey(key),
        ContentLength: size,
        ContentType: type,
        ChecksumSHA256: checksum,
      });
      const url = await getSignedUrl(client, command, {
        expiresIn: seconds,
        // Headers, so that the client has to send them: what stands in the address alone is not compared with the body.
        signableHeaders: new Set(["host", "content-type", "content-length", "x-amz-checksum-sha256"]),
        unhoistableHeaders: new Set(["x-amz-checksum-sha256"]),
      });
      return {
        url,
        headers: {
          "content-type": type,
          "content-length": String(size),
          "x-amz-checksum-sha256": checksum,
        },
      };
    },
    get: (key, { disposition, type }, seconds) =>
      getSignedUrl(
        client,
        new GetObjectCommand({
          Bucket,
          Key: objectKey(key),
          ResponseContentDisposition: disposition,
          ResponseContentType: type,
        }),
        { expiresIn: seconds },
      ),
  };
}
