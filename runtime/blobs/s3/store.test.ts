import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { S3Storage } from "../../realm/files.ts";
import { openSpool, type Spool } from "../spool.ts";
import { BlobMissing, type BlobStore, StorageUnavailable } from "../store.ts";
import { pieces } from "../testing/bytes.ts";
import { type Fault, type S3Server, startS3 } from "../testing/s3/server.ts";
import { describeBlobs } from "../testing/suite.ts";
import { openS3Blobs, type S3Options } from "./store.ts";

const MIB = 1_048_576;
const never = new AbortController().signal;
/** Milliseconds, which nobody waits for; below six seconds the SDK has its sockets watch from their beginning. */
const patience = 5_000;

async function opened(of: Partial<S3Storage> = {}, options: S3Options = {}) {
  const s3 = await startS3();
  const folder = mkdtempSync(join(tmpdir(), "s3-"));
  const { bucket, endpoint, key } = s3;
  const storage: S3Storage = { kind: "s3", bucket, endpoint, region: key.region, pathStyle: true, ...of };
  const store = await openS3Blobs(storage, { credentials: key, ...options });
  const close = async () => {
    await s3.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { s3, store, spool: await openSpool(folder), close };
}

describeBlobs("bytes in a bucket", () => opened());
describeBlobs("bytes in a part of a bucket, listed in short pages", async () => {
  const all = await opened({ prefix: "acme/files/" });
  all.s3.pageSize = 7;
  all.s3.objects.put("elsewhere", Buffer.from("not mine"), "text/plain");
  all.s3.objects.put("acme/files/README", Buffer.from("not mine"), "text/plain");
  return all;
});

describe("a bucket", () => {
  let s3: S3Server;
  let store: BlobStore;
  let spool: Spool;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ s3, store, spool, close } = await opened({}, { patience, pause: 1 }));
  });
  afterEach(async () => {
    await store.close();
    await close();
  });

  const take = (size: number) => spool.take(pieces(randomBytes(size)), 100 * MIB);
  const put = async (size: number) => {
    const spooled = await take(size);
    await store.put(spooled.sha256, spooled, "image/png");
    return spooled;
  };
  const onDisk = async (size: number) => {
    const spooled = await take(size);
    if (spooled.kind === "memory") throw new Error(`${size} bytes are kept in memory`);
    return { spooled, path: spooled.path };
  };
  const hashOf = async (key: string) => {
    const hash = createHash("sha256");
    for await (const piece of await store.open(key, undefined, never)) hash.update(piece);
    return hash.digest("hex");
  };
  const fails = (of: RegExp, times: number, does: Fault["does"]) => s3.faults.push({ of, times, does });

  const passing: readonly (readonly [string, Fault["does"]])[] = [
    ["500 InternalError", { kind: "answer", status: 500, code: "InternalError" }],
    ["503 SlowDown", { kind: "answer", status: 503, code: "SlowDown" }],
    ["a connection that is cut", { kind: "cut", at: "start" }],
    ["bytes that are others on the way", { kind: "corrupt" }],
    ["no answer", { kind: "silence" }],
  ];

  describe.each(passing)("that gives %s", (_, does) => {
    test.each([100, 3 * MIB, 40 * MIB])("for a while takes %i bytes all the same", async (size) => {
      fails(/^(?:PUT|POST) (?:put|part|begin|complete)$/, 2, does);
      const { sha256 } = await put(size);
      expect(await hashOf(sha256)).toBe(sha256);
      expect(s3.objects.multiparts.size).toBe(0);
    });

    test("for good is unavailable, after some attempts, and holds nothing of what was sent", async () => {
      fails(/^PUT (?:put|part)$/, 1_000, does);
      await expect(put(100)).rejects.toThrow(StorageUnavailable);
      expect(s3.asked).toEqual(Array.from({ length: 4 }, () => "PUT put"));
      await expect(put(40 * MIB)).rejects.toThrow(StorageUnavailable);
      expect([s3.objects.all.size, s3.objects.multiparts.size]).toEqual([0, 0]);
    });

    test("for a while is read, asked, listed and emptied all the same", async () => {
      const { sha256, size } = await put(1_000);
      const every = [/object$/, /list$/, /delete$/];
      for (const of of every) fails(of, 1, does);
      expect(await store.size(sha256)).toBe(size);
      fails(/object$/, 1, does);
      expect(await hashOf(sha256)).toBe(sha256);
      await store.remove([sha256]);
      expect(s3.objects.all.size).toBe(0);
      expect(s3.faults.every(({ times }) => times === 0)).toBe(true);
    });
  });

  test("whose connection is cut within a body tells the reader, who has no whole for a part", async () => {
    const { sha256 } = await put(3 * MIB);
    fails(/^GET object$/, 1, { kind: "cut", at: "body" });
    await expect(hashOf(sha256)).rejects.toThrow(StorageUnavailable);
    expect(await hashOf(sha256)).toBe(sha256);
  });

  test.each([3 * MIB, 40 * MIB])(
    "is not waited for where the %i bytes to be put cannot be read, which nobody but the caller hears",
    async (size) => {
      const { spooled, path } = await onDisk(size);
      rmSync(path);
      await expect(store.put(spooled.sha256, spooled, "image/png")).rejects.toThrow("ENOENT");
      expect([s3.objects.all.size, s3.objects.multiparts.size]).toEqual([0, 0]);
    },
  );

  test("that refuses a part reads no more of the bytes once the caller knows", async () => {
    fails(/^PUT part$/, 1, { kind: "answer", status: 403, code: "AccessDenied" });
    const { spooled } = await onDisk(90 * MIB);
    await expect(store.put(spooled.sha256, spooled, "image/png")).rejects.toThrow(StorageUnavailable);
    const asked = s3.asked.length;
    await spool.discard(spooled);
    await put(100);
    expect(s3.asked.slice(asked)).toEqual(["PUT put"]);
    expect(s3.objects.multiparts.size).toBe(0);
  });

  test.each([-3_600_000, 3_600_000])("whose clock is %i ms ahead is understood", async (skew) => {
    s3.skew = skew;
    const { sha256 } = await put(100);
    expect(await hashOf(sha256)).toBe(sha256);
  });

  test("that refuses us is unavailable, without another attempt and without our secret in the message", async () => {
    const { bucket, endpoint, key } = s3;
    const secretAccessKey = "another/secret";
    const other = await openS3Blobs(
      { kind: "s3", bucket, endpoint, region: key.region, pathStyle: true },
      { credentials: { ...key, secretAccessKey } },
    );
    const spooled = await take(10);
    const failed: unknown = await other.put(spooled.sha256, spooled, "text/plain").catch((error) => error);
    expect(failed).toBeInstanceOf(StorageUnavailable);
    expect(String(failed)).toContain("bucket files: SignatureDoesNotMatch 403");
    expect(String(failed)).not.toContain(secretAccessKey);
    expect(s3.asked).toEqual(["PUT put"]);
    await expect(other.health()).rejects.toThrow(StorageUnavailable);
    await other.close();
  });

  test("that is not there is unavailable, and its files not missing", async () => {
    const { endpoint, key } = s3;
    const storage = { kind: "s3", bucket: "nowhere", endpoint, region: key.region, pathStyle: true } as const;
    const other = await openS3Blobs(storage, { credentials: key });
    const name = "a".repeat(64);
    await expect(other.health()).rejects.toThrow(StorageUnavailable);
    await expect(other.open(name, undefined, never)).rejects.toThrow("NoSuchBucket");
    await other.close();
  });

  test("that cannot be reached is unavailable", async () => {
    const spooled = await take(10);
    await s3.close();
    await expect(store.put(spooled.sha256, spooled, "text/plain")).rejects.toThrow("ECONNREFUSED");
    await expect(store.open(spooled.sha256, undefined, never)).rejects.toThrow(StorageUnavailable);
    await expect(store.health()).rejects.toThrow(StorageUnavailable);
  });

  describe("where puts in parts were left unfinished", () => {
    const left = (key: string, age: number): string => {
      const id = s3.objects.begin(key, "text/plain");
      const one = s3.objects.multiparts.get(id);
      if (one !== undefined) one.at = Date.now() - age;
      return id;
    };
    const hour = 3_600_000;

    test("ends those that are old, page by page, and none of others", async () => {
      s3.pageSize = 2;
      const old = Array.from({ length: 5 }, (_, n) => left(String(n).repeat(64), 49 * hour));
      old.push(left("uploads/abc", 49 * hour), left("uploads/abc", 50 * hour));
      const kept = [left("a".repeat(64), hour), left("of others/and old", 49 * hour)];
      expect(await store.removeLeftovers(Date.now() - 48 * hour)).toBe(old.length);
      expect([...s3.objects.multiparts.keys()].sort()).toEqual(kept.sort());
    });

    test("ends nothing where the bucket does not let us look, and tells when it cannot be reached", async () => {
      left("a".repeat(64), 49 * hour);
      fails(/uploads$/, 1, { kind: "answer", status: 403, code: "AccessDenied" });
      expect(await store.removeLeftovers(Date.now())).toBe(0);
      expect(s3.objects.multiparts.size).toBe(1);
      fails(/uploads$/, 9, { kind: "answer", status: 503, code: "SlowDown" });
      await expect(store.removeLeftovers(Date.now())).rejects.toThrow(StorageUnavailable);
    });

    test("ends those alone that lie where it keeps its own", async () => {
      left("a".repeat(64), 49 * hour);
      const { endpoint, bucket, key } = s3;
      const storage = { kind: "s3", bucket, endpoint, region: key.region, pathStyle: true } as const;
      const other = await openS3Blobs({ ...storage, prefix: "other/" }, { credentials: key });
      expect(await other.removeLeftovers(Date.now())).toBe(0);
      await other.close();
    });
  });

  test("keeps the type, and the sum of what came in one piece", async () => {
    const { sha256 } = await put(10);
    expect(s3.objects.get(sha256)).toMatchObject({
      type: "image/png",
      sha256: Buffer.from(sha256, "hex").toString("base64"),
    });
    const large = await put(40 * MIB);
    expect(s3.objects.get(large.sha256).type).toBe("image/png");
    expect(s3.asked.filter((each) => each === "PUT part")).toHaveLength(3);
  });

  test("what an empty or short object has no bytes of is told", async () => {
    const { sha256 } = await put(10);
    await expect(store.open(sha256, { first: 10, last: 20 }, never)).rejects.toThrow(StorageUnavailable);
    await expect(store.open("b".repeat(64), undefined, never)).rejects.toThrow(BlobMissing);
  });

  describe("signed addresses", () => {
    const bytes = Buffer.from("twelve bytes");
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const key = "uploads/one";
    const toPut = async (seconds = 900) => {
      if (store.signed === undefined) throw new Error("there are none");
      return store.signed.put(key, { size: bytes.length, sha256, type: "text/plain" }, seconds);
    };
    const toGet = async (seconds = 600) => {
      if (store.signed === undefined) throw new Error("there are none");
      return store.signed.get(
        key,
        { disposition: `attachment; filename="a b.txt"`, type: "text/csv" },
        seconds,
      );
    };
    const send = async (url: string, headers: Readonly<Record<string, string>>, body: Buffer) =>
      (await fetch(url, { method: "PUT", headers, body })).status;

    test("take what they were made for", async () => {
      const { url, headers } = await toPut();
      expect(await send(url, headers, bytes)).toBe(200);
      expect(await hashOf(key)).toBe(sha256);
      const answer = await fetch(await toGet());
      expect(await answer.text()).toBe("twelve bytes");
      expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="a b.txt"`);
      expect(answer.headers.get("content-type")).toBe("text/csv");
    });

    test("refuse other sizes, other bytes and other types", async () => {
      const { url, headers } = await toPut();
      const { "content-length": _, ...rest } = headers;
      expect(await send(url, rest, Buffer.from("more than twelve bytes"))).toBe(403);
      expect(await send(url, rest, Buffer.from("TWELVE BYTES"))).toBe(400);
      expect(await send(url, { ...rest, "content-type": "text/html" }, bytes)).toBe(403);
      const { "x-amz-checksum-sha256": __, ...unsummed } = rest;
      expect(await send(url, unsummed, bytes)).toBe(403);
      expect(s3.objects.all.size).toBe(0);
    });

    test("end", async () => {
      const { url, headers } = await toPut(60);
      const read = await toGet(60);
      s3.skew = 61_000;
      expect(await send(url, headers, bytes)).toBe(403);
      expect((await fetch(read)).status).toBe(403);
    });

    test("cannot be changed: each letter counts", async () => {
      await send((await toPut()).url, (await toPut()).headers, bytes);
      const url = await toGet();
      const from = url.indexOf("/files/") + 7;
      for (let at = from; at < url.length; at += 7) {
        const letter = url[at] === "1" ? "2" : "1";
        const { status } = await fetch(url.slice(0, at) + letter + url.slice(at + 1));
        expect(status, url.slice(at - 5, at + 5)).toBeGreaterThanOrEqual(400);
      }
    });
  });
});
