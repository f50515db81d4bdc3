/** The server against the SDK as others use it: what it takes of it, the driver could have been answered by S3 itself. */
import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { CopyObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type S3Server, startS3 } from "./server.ts";

describe("the S3 server of the tests", () => {
  let s3: S3Server;
  let client: S3Client;
  beforeEach(async () => {
    s3 = await startS3();
    const { endpoint, key } = s3;
    client = new S3Client({
      endpoint,
      region: key.region,
      credentials: key,
      forcePathStyle: true,
      maxAttempts: 1,
    });
  });
  afterEach(async () => {
    client.destroy();
    await s3.close();
  });

  const key = "a folder/ä+b (1)'!.txt";
  const read = async () =>
    (await client.send(new GetObjectCommand({ Bucket: s3.bucket, Key: key }))).Body?.transformToString();

  test("takes bodies in chunks with their checksum behind them, and keys of any letters", async () => {
    const Body = Readable.from([Buffer.from("some "), Buffer.from("bytes")]);
    await client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: key, Body, ContentLength: 10 }));
    expect(await read()).toBe("some bytes");
  });

  test("copies", async () => {
    s3.objects.put("from here", Buffer.from("bytes"), "text/plain");
    const CopySource = `${s3.bucket}/${encodeURIComponent("from here")}`;
    await client.send(new CopyObjectCommand({ Bucket: s3.bucket, Key: key, CopySource }));
    expect(await read()).toBe("bytes");
  });

  test("takes multipart uploads of the SDK's own", async () => {
    const bytes = randomBytes(12_000_000);
    await new Upload({
      client,
      params: { Bucket: s3.bucket, Key: key, Body: Readable.from([bytes]) },
    }).done();
    const hash = createHash("sha256").update(s3.objects.get(key).body).digest("hex");
    expect(hash).toBe(createHash("sha256").update(bytes).digest("hex"));
  });

  test("answers nobody who signs nothing, or signs another body", async () => {
    expect((await fetch(`${s3.endpoint}/${s3.bucket}/x`)).status).toBe(403);
    expect((await fetch(`${s3.endpoint}/${s3.bucket}/x`, { method: "PUT", body: "x" })).status).toBe(403);
    const wrong = Buffer.from("another").toString("base64");
    const put = new PutObjectCommand({ Bucket: s3.bucket, Key: key, Body: "x", ChecksumSHA256: wrong });
    await expect(client.send(put)).rejects.toThrow("x-amz-checksum-sha256");
    expect(s3.objects.all.size).toBe(0);
  });
});
