/** Bytes in a bucket of a server that speaks S3. */
import {
  DeleteObjectsCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from "@aws-sdk/client-s3";
import type { ByteSource } from "../../realm/exchange.ts";
import type { S3Storage } from "../../realm/files.ts";
import { named, read } from "../keys.ts";
import { type BlobKey, BlobMissing, type BlobStore, type ByteRange, type Spooled } from "../store.ts";
import { attempts } from "./attempts.ts";
import { isMissing, unreachable } from "./failures.ts";
import { openObject } from "./read.ts";
import { signedAccess } from "./signed.ts";
import { upload } from "./upload.ts";

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Options {
  /** Absent: the SDK's own chain finds them. */
  readonly credentials?: S3Credentials | undefined;
  /** Milliseconds in which nothing comes from the storage; default: 30 seconds. */
  readonly patience?: number;
}

/** Keys that one request removes. */
const BATCH = 1_000;
/** Connections at a time. */
const CONNECTIONS = 64;

export function openS3Blobs(storage: S3Storage, options: S3Options = {}): BlobStore {
  return new S3Blobs(storage, clientOf(storage, options));
}

function clientOf({ region, endpoint, pathStyle }: S3Storage, options: S3Options): S3Client {
  const { credentials, patience = 30_000 } = options;
  return new S3Client({
    // A server with an address of its own has no region that says where it is.
    ...((region !== undefined || endpoint !== undefined) && { region: region ?? "us-east-1" }),
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle: pathStyle,
    // Bodies that are streams cannot be sent again by the SDK: all requests have attempts of ours.
    maxAttempts: 1,
    // Checksums that we give are enough; servers that are merely compatible do not know those of the SDK.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: 5_000,
      // Of a socket on which nothing moves; a large part on a slow line may take its time.
      socketTimeout: patience,
      httpAgent: { maxSockets: CONNECTIONS, keepAlive: true },
      httpsAgent: { maxSockets: CONNECTIONS, keepAlive: true },
    },
  });
}

class S3Blobs implements BlobStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly signed;

  constructor({ bucket, prefix = "" }: S3Storage, client: S3Client) {
    this.#client = client;
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.signed = signedAccess(client, bucket, (key) => this.#object(key));
  }

  put(key: BlobKey, spooled: Spooled, type: string): Promise<void> {
    const Key = this.#object(key);
    return this.#telling(() => upload({ client: this.#client, Bucket: this.#bucket, Key }, spooled, type));
  }

  size(key: BlobKey): Promise<number | undefined> {
    const Key = this.#object(key);
    return this.#telling(async () => {
      try {
        const command = new HeadObjectCommand({ Bucket: this.#bucket, Key });
        return (await attempts(() => this.#client.send(command))).ContentLength;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  open(key: BlobKey, range: ByteRange | undefined, signal: AbortSignal): Promise<ByteSource> {
    const at = { Bucket: this.#bucket, Key: this.#object(key) };
    return this.#telling(async () => {
      try {
        return await openObject(this.#client, at, range, signal);
      } catch (error) {
        if (isMissing(error)) throw new BlobMissing(key);
        throw error;
      }
    }, signal);
  }

  remove(keys: readonly BlobKey[]): Promise<void> {
    const what = keys.map((key) => ({ Key: this.#object(key), isFile: named(key).kind === "file" }));
    return this.#telling(async () => {
      let batch: string[] = [];
      const flush = async () => {
        const going = batch;
        batch = [];
        if (going.length > 0) await this.#delete(going);
      };
      for (const { Key, isFile } of what) {
        batch.push(Key);
        if (isFile) for await (const { Key: below } of this.#objects(`${Key}/`)) batch.push(below);
        if (batch.length >= BATCH) await flush();
      }
      await flush();
    });
  }

  async *list(): AsyncGenerator<{ key: BlobKey; size: number; changedAt: number }, void, undefined> {
    try {
      for await (const { Key, size, changedAt } of this.#objects(this.#prefix)) {
        const key = Key.slice(this.#prefix.length);
        if (read(key) !== undefined) yield { key, size, changedAt };
      }
    } catch (error) {
      throw unreachable(this.#bucket, error);
    }
  }

  health(): Promise<void> {
    return this.#telling(async () => {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }));
    });
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  /** @throws Error for what is no key */
  #object(key: BlobKey): string {
    named(key);
    return this.#prefix + key;
  }

  async *#objects(Prefix: string) {
    for (let ContinuationToken: string | undefined; ; ) {
      const command = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix, ContinuationToken });
      const page = await attempts(() => this.#client.send(command));
      for (const { Key, Size = 0, LastModified } of page.Contents ?? []) {
        if (Key !== undefined) yield { Key, size: Size, changedAt: LastModified?.getTime() ?? 0 };
      }
      if (page.IsTruncated !== true || page.NextContinuationToken === undefined) return;
      ContinuationToken = page.NextContinuationToken;
    }
  }

  async #delete(all: readonly string[]): Promise<void> {
    for (let at = 0; at < all.length; at += BATCH) {
      const Objects = all.slice(at, at + BATCH).map((Key) => ({ Key }));
      const command = new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } });
      const { Errors = [] } = await attempts(() => this.#client.send(command));
      const [failed] = Errors.filter(({ Code }) => Code !== "NoSuchKey");
      if (failed !== undefined) throw new Error(`${failed.Key} cannot be removed: ${failed.Code}`);
    }
  }

  async #telling<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof BlobMissing || signal?.aborted ? error : unreachable(this.#bucket, error);
    }
  }
}
