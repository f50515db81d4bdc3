/** Files in a bucket are answered as those in a folder. */
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type S3Server, startS3 } from "../blobs/testing/s3/server.ts";
import { code, collection, text } from "../documents/testing/shop.ts";
import { until } from "../testing/until.ts";
import { specHash } from "./content/images.ts";
import { pictured, sizeOf, statesOf, thumb, wide } from "./testing/pictures.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const papers = collection("papers", { files: [fileField("scan", { maxSize: 20 * 1024 * 1024 })] });
const pictures = collection("pictures", { files: [fileField("cover", { versions: { thumb, wide } })] });

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
  vault = await startVault("disabled", [papers, pictures], { driver }, { settings: { s3Credentials: key } });
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

describe("A bucket that cannot be reached", () => {
  it.each([
    ["is broken", { kind: "answer", status: 500, code: "InternalError" }],
    ["is busy", { kind: "answer", status: 503, code: "SlowDown" }],
    ["refuses the key", { kind: "answer", status: 403, code: "AccessDenied" }],
    ["cuts connections", { kind: "cut", at: "start" }],
  ] as const)("that %s: 503 storage_unavailable, and all is well again with it", async (_, does) => {
    const id = await vault.made("papers");
    const bytes = randomBytes(2_000);
    const file = await vault.uploaded(`papers/${id}/_files/scan`, 0, { bytes });
    const path = `papers/${id}/_files/scan/${file["id"]}`;
    const url = text((await vault.send("GET", `papers/${id}?file_links=true`)).body, "scan", "url");
    const other = await vault.made("papers");
    s3.faults.push({ of: /./, times: Number.POSITIVE_INFINITY, does });
    try {
      const answers = [
        await vault.bring("GET", path),
        await vault.bring("GET", url),
        await vault.bring("POST", `papers/${other}/_files/scan`, { bytes: randomBytes(3_000) }),
      ];
      for (const answer of answers) {
        expect([answer.status, code(answer)]).toEqual([503, "storage_unavailable"]);
        expect(answer.headers.get("retry-after")).toBe("5");
      }
      // Documents do not need it.
      expect((await vault.send("GET", `papers/${other}`)).body).toMatchObject({ _meta: { version: 1 } });
      expect((await vault.send("GET", `papers/${other}`)).body).not.toHaveProperty("scan");
      expect(await readdir(join(vault.folder, "spool", "shop"))).toEqual([]);
    } finally {
      s3.faults.length = 0;
    }
    expect((await vault.bring("GET", path)).bytes.equals(bytes)).toBe(true);
    await vault.uploaded(`papers/${other}/_files/scan`, 3_000);
  });
});

it("versions of an image are made, once for equal requests in flight, and lie beside it", async () => {
  const { id, path, sha256 } = await pictured(vault, "cover");
  const ready = { thumb: "ready", wide: "ready" };
  await until(async () => expect(await statesOf(vault, id, "cover")).toEqual(ready));
  const key = `shop/${sha256}/${specHash(thumb)}`;
  const before = s3.objects.get(key).body;
  s3.objects.all.delete(key);
  s3.asked.length = 0;
  const asked = Array.from({ length: 20 }, () => vault.bring("GET", `${path}?version=thumb`));
  for (const { status, bytes } of await Promise.all(asked)) {
    expect([status, await sizeOf(bytes)]).toEqual([200, { format: "png", width: 20, height: 20 }]);
    expect(bytes.equals(before)).toBe(true);
  }
  expect(s3.asked.filter((operation) => operation.startsWith("PUT"))).toHaveLength(1);
  const part = await vault.bring("GET", `${path}?version=thumb`, { headers: { range: "bytes=1-3" } });
  expect([part.status, part.bytes.toString()]).toEqual([206, "PNG"]);
  expect(await readdir(join(vault.folder, "spool", "shop"))).toEqual([]);
});
