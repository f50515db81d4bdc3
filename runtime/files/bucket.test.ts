/** Files in a bucket are answered as those in a folder. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type S3Server, startS3 } from "../blobs/testing/s3/server.ts";
import { collection } from "../documents/testing/shop.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const papers = collection("papers", { files: [fileField("scan", { maxSize: 20 * 1024 * 1024 })] });

let s3: S3Server;
let vault: Vault;
beforeAll(async () => {
  s3 = await startS3();
  const { bucket, endpoint, key } = s3;
  const driver = {
    kind: "s3",
    bucket,
    endpoint,
    region: key.region,
    pathStyle: true,
    prefix: "shop/",
  } as const;
  vault = await startVault("disabled", [papers], { driver }, { settings: { s3Credentials: key } });
});
afterAll(async () => {
  await vault.stop();
  await s3.close();
});

it.each([10, 12 * 1024 * 1024])(
  "a file of %s bytes is uploaded, read in parts and whole, and removed",
  async (size) => {
    const id = await vault.made("papers");
    const bytes = randomBytes(size);
    const file = await vault.uploaded(`papers/${id}/_files/scan`, 0, { bytes });
    const path = `papers/${id}/_files/scan/${file["id"]}`;
    expect((await vault.bring("GET", path)).bytes.equals(bytes)).toBe(true);
    const part = await vault.bring("GET", path, { headers: { range: "bytes=-4" } });
    expect([part.status, part.bytes.equals(bytes.subarray(-4))]).toEqual([206, true]);
    expect((await vault.bring("DELETE", path)).status).toBe(204);
    expect((await vault.bring("GET", path)).status).toBe(404);
  },
);
