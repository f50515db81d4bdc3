/** Resumable uploads by the official client of the tus protocol, over cuts. */
import { randomBytes, randomInt } from "node:crypto";
import { type DetailedError, Upload, type UploadOptions } from "tus-js-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type S3Server, startS3 } from "../blobs/testing/s3/server.ts";
import { collection } from "../documents/testing/shop.ts";
import { isJsonObject } from "../json.ts";
import { type Cuts, cutting } from "./testing/cuts.ts";
import { forgetSignals } from "./testing/forget-signals.ts";
import { fileField, sha256, startVault, type Vault } from "./testing/vault.ts";

const mebibyte = 1024 * 1024;
const papers = collection("papers", {
  files: [fileField("scan", { upload: "resumable", maxSize: 64 * mebibyte })],
});

let s3: S3Server;
const vaults = new Map<string, Vault>();
beforeAll(async () => {
  s3 = await startS3();
  const { bucket, endpoint, key } = s3;
  const driver = { kind: "s3", bucket, endpoint, region: key.region, pathStyle: true } as const;
  vaults.set("local", await startVault("disabled", [papers]));
  vaults.set("s3", await startVault("disabled", [papers], { driver }, { settings: { s3Credentials: key } }));
});
afterAll(async () => {
  for (const vault of vaults.values()) await vault.stop();
  await s3.close();
  forgetSignals();
});

/** Sends bytes; answers how often in all it had to begin anew. */
function sent(
  bytes: Buffer,
  options: UploadOptions,
): Promise<{ readonly url: string; readonly file: string | undefined }> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(bytes, {
      retryDelays: Array.from({ length: 200 }, () => 1),
      metadata: { filename: "Film.bin", filetype: "application/octet-stream" },
      ...options,
      onError: (error: Error | DetailedError) => reject(error),
      onSuccess: ({ lastResponse }) =>
        resolve({ url: upload.url ?? "", file: lastResponse.getHeader("X-Svc-File") }),
    });
    upload.start();
  });
}

describe.each(["local", "s3"])("The official client, %s", (driver) => {
  const vault = (): Vault => {
    const found = vaults.get(driver);
    if (found === undefined) throw new Error(driver);
    return found;
  };

  async function stored(id: string, bytes: Buffer, file: string | undefined): Promise<void> {
    const { body } = await vault().send("GET", `papers/${id}`);
    expect(body).toMatchObject({
      scan: { name: "Film.bin", size: bytes.length, sha256: sha256(bytes) },
      _meta: { version: 2 },
    });
    const { scan } = body;
    expect(file).toMatch(new RegExp(`/_files/scan/${isJsonObject(scan) ? scan["id"] : ""}$`));
  }

  it("uploads in one request, in chunks, and along with the creation", async () => {
    for (const options of [{}, { chunkSize: 300_000 }, { uploadDataDuringCreation: true }]) {
      const id = await vault().made("papers");
      const bytes = randomBytes(2 * mebibyte);
      const endpoint = `${vault().url}/v1/shop/main/papers/${id}/_files/scan/_tus`;
      const { file } = await sent(bytes, { endpoint, ...options });
      await stored(id, bytes, file);
    }
  });

  it("over connections that are cut at random bytes, the file is whole", async () => {
    let cuts: Cuts | undefined;
    try {
      let left = 12;
      // Enough for a creation; then cuts in heads, bodies and between requests.
      cuts = await cutting(vault().url, () => {
        left -= 1;
        return left < 0 ? Number.POSITIVE_INFINITY : randomInt(1, 700_000);
      });
      const id = await vault().made("papers");
      const bytes = randomBytes(4 * mebibyte);
      const endpoint = `${cuts.url}/v1/shop/main/papers/${id}/_files/scan/_tus`;
      const { file } = await sent(bytes, { endpoint, chunkSize: 1_500_000 });
      expect(cuts.count).toBeGreaterThan(0);
      await stored(id, bytes, file);
    } finally {
      await cuts?.stop();
    }
  });

  it("aborts, goes on elsewhere by the upload's address, and terminates", async () => {
    const id = await vault().made("papers");
    const bytes = randomBytes(3 * mebibyte);
    const endpoint = `${vault().url}/v1/shop/main/papers/${id}/_files/scan/_tus`;
    const url = await new Promise<string>((resolve, reject) => {
      const upload = new Upload(bytes, {
        endpoint,
        chunkSize: mebibyte,
        metadata: { filename: "Film.bin" },
        onError: reject,
        onChunkComplete: () => {
          void upload.abort().then(() => resolve(upload.url ?? ""));
        },
      });
      upload.start();
    });
    const { file } = await sent(bytes, { endpoint, uploadUrl: url });
    await stored(id, bytes, file);
    const other = await vault().made("papers");
    const begun = await vault().bring("POST", `papers/${other}/_files/scan/_tus`, {
      headers: { "tus-resumable": "1.0.0", "upload-length": "10" },
    });
    const at = `${vault().url}${begun.headers.get("location")}`;
    await Upload.terminate(at);
    expect((await fetch(at)).status).toBe(404);
  });
});
