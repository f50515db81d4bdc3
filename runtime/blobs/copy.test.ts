import { hash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { copyBlob } from "./copy.ts";
import { openLocalBlobs } from "./local/store.ts";
import { openS3Blobs } from "./s3/store.ts";
import { openSpool, type Spool } from "./spool.ts";
import type { BlobStore, Digest } from "./store.ts";
import { pieces } from "./testing/bytes.ts";
import { type S3Server, startS3 } from "./testing/s3/server.ts";

const never = new AbortController().signal;

let folder: string;
let s3: S3Server;
let spools: { local: Spool; s3: Spool };
let stores: { local: BlobStore; s3: BlobStore };
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "copy-"));
  s3 = await startS3();
  const { bucket, endpoint, key: credentials } = s3;
  const driver = { kind: "s3", bucket, endpoint, region: credentials.region, pathStyle: true } as const;
  spools = { local: await openSpool(join(folder, "spool")), s3: await openSpool(join(folder, "s3")) };
  stores = {
    local: await openLocalBlobs(folder, spools.local),
    s3: await openS3Blobs(driver, { credentials, pause: 1 }),
  };
});
afterEach(async () => {
  await Promise.all([stores.local.close(), stores.s3.close(), s3.close()]);
  rmSync(folder, { recursive: true, force: true });
});

type Driver = "local" | "s3";

/** A content that a storage has. */
async function stored(driver: Driver, size: number, key?: string): Promise<Digest> {
  const spooled = await spools[driver].take(pieces(randomBytes(size)), size);
  const { sha256 } = spooled;
  await stores[driver].put(key ?? sha256, spooled, "image/png");
  await spools[driver].discard(spooled);
  return { sha256, size };
}

const copied = (from: Driver, to: Driver, content: Digest) =>
  copyBlob({ from: stores[from], to: stores[to], spool: spools[to] }, content);

async function contentOf(driver: Driver, key: string): Promise<string> {
  const all: Buffer[] = [];
  for await (const piece of await stores[driver].open(key, undefined, never)) all.push(Buffer.from(piece));
  return hash("sha256", Buffer.concat(all));
}

describe.each([
  ["local", "s3"],
  ["s3", "local"],
] as const)("A content copied from %s to %s", (from, to) => {
  test.each([0, 10, 100_000, 20_000_000])("of %i bytes is there as its name says, once", async (size) => {
    const content = await stored(from, size);
    expect(await copied(from, to, content)).toBe("copied");
    expect(await contentOf(to, content.sha256)).toBe(content.sha256);
    expect(await copied(from, to, content)).toBe("there");
    expect(await readdir(join(folder, "s3"))).toEqual([]);
    expect(await readdir(join(folder, "spool"))).toEqual([]);
  });

  test("that the source does not have is missing", async () => {
    const content = await stored(from, 10);
    await stores[from].remove([content.sha256]);
    expect(await copied(from, to, content)).toBe("missing");
    expect(await stores[to].size(content.sha256)).toBe(undefined);
  });

  test.each([999, 1_000, 1_001])("that the target has as %i other bytes is brought over", async (size) => {
    const content = await stored(from, 1_000);
    await stored(to, size, content.sha256);
    expect(await copied(from, to, content)).toBe("copied");
    expect(await contentOf(to, content.sha256)).toBe(content.sha256);
  });
});

test.each([999, 1_000, 1_001])("%i other bytes than a name says are never copied", async (size) => {
  const content = await stored("local", 1_000);
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const entry = found.find(({ name }) => name === content.sha256);
  writeFileSync(join(entry?.parentPath ?? "", content.sha256), randomBytes(size));
  expect(await copied("local", "s3", content)).toBe("damaged");
  expect(await stores.s3.size(content.sha256)).toBe(undefined);
});

test("A connection that breaks off in the middle of a content is no end: it is read again", async () => {
  const content = await stored("s3", 1_000_000);
  s3.faults.push({ of: /GET object/, times: 1, does: { kind: "cut", at: "body" } });
  expect(await copied("s3", "local", content)).toBe("copied");
  s3.faults.push({ of: /GET object/, times: 100, does: { kind: "cut", at: "body" } });
  await stores.local.remove([content.sha256]);
  await expect(copied("s3", "local", content)).rejects.toThrow("bucket files");
  expect(await stores.local.size(content.sha256)).toBe(undefined);
});
