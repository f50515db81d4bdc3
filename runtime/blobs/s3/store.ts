/** Bytes in a bucket of a server that speaks S3. */
import type { ByteSource } from "../../realm/exchange.ts";
import type { S3Storage } from "../../realm/files.ts";
import { named, read } from "../keys.ts";
import { type BlobKey, BlobMissing, type BlobStore, type ByteRange, type Spooled } from "../store.ts";
import { attempts } from "./attempts.ts";
import { isMissing, unreachable } from "./failures.ts";
import { abortMultiparts } from "./leftovers.ts";
import { openObject } from "./read.ts";
import { type Bucket, loadSdk, type Sdk } from "./sdk.ts";
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
  /** Milliseconds before a request that failed is sent again, doubled each time; default: 100. */
  readonly pause?: number;
}

/** Keys that one request removes. */
const BATCH = 1_000;
/** Connections at a time. */
const CONNECTIONS = 64;

export async function openS3Blobs(storage: S3Storage, options: S3Options = {}): Promise<BlobStore> {
  const sdk = await loadSdk();
  const { bucket: name, prefix } = storage;
  const client = clientOf(sdk, storage, options);
  return new S3Blobs({ sdk, client, name, pause: options.pause ?? 100 }, prefix);
}

function clientOf({ client }: Sdk, { region, endpoint, pathStyle }: S3Storage, options: S3Options) {
  const { credentials, patience = 30_000 } = options;
  return new client.S3Client({
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
  readonly #bucket: Bucket;
  readonly #prefix: string;
  readonly signed;

  constructor(bucket: Bucket, prefix = "") {
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.signed = signedAccess(bucket, (key) => this.#object(key));
  }

  put(key: BlobKey, spooled: Spooled, type: string): Promise<void> {
    const Key = this.#object(key);
    return this.#telling(() => upload({ bucket: this.#bucket, Key }, spooled, type));
  }

  size(key: BlobKey): Promise<number | undefined> {
    const Key = this.#object(key);
    const { sdk, client, name: Bucket } = this.#bucket;
    return this.#telling(async () => {
      try {
        const command = new sdk.client.HeadObjectCommand({ Bucket, Key });
        return (await attempts(this.#bucket, () => client.send(command))).ContentLength;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  open(key: BlobKey, range: ByteRange | undefined, signal: AbortSignal): Promise<ByteSource> {
    const Key = this.#object(key);
    return this.#telling(async () => {
      try {
        return await openObject(this.#bucket, Key, range, signal);
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
      throw unreachable(this.#bucket.name, error);
    }
  }

  removeLeftovers(before: number): Promise<number> {
    const prefix = this.#prefix;
    const isOurs = (key: string) => read(key.slice(prefix.length)) !== undefined;
    return this.#telling(() => abortMultiparts(this.#bucket, prefix, before, isOurs));
  }

  health(): Promise<void> {
    const { sdk, client, name: Bucket } = this.#bucket;
    return this.#telling(async () => {
      await client.send(new sdk.client.HeadBucketCommand({ Bucket }));
    });
  }

  async close(): Promise<void> {
    this.#bucket.client.destroy();
  }

  /** @throws Error for what is no key */
  #object(key: BlobKey): string {
    named(key);
    return this.#prefix + key;
  }

  async *#objects(Prefix: string) {
    const { sdk, client, name: Bucket } = this.#bucket;
    for (let ContinuationToken: string | undefined; ; ) {
      const command = new sdk.client.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken });
      const page = await attempts(this.#bucket, () => client.send(command));
      for (const { Key, Size = 0, LastModified } of page.Contents ?? []) {
        if (Key !== undefined) yield { Key, size: Size, changedAt: LastModified?.getTime() ?? 0 };
      }
      if (page.IsTruncated !== true || page.NextContinuationToken === undefined) return;
      ContinuationToken = page.NextContinuationToken;
    }
  }

  async #delete(all: readonly string[]): Promise<void> {
    const { sdk, client, name: Bucket } = this.#bucket;
    for (let at = 0; at < all.length; at += BATCH) {
      const Objects = all.slice(at, at + BATCH).map((Key) => ({ Key }));
      const command = new sdk.client.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
      const { Errors = [] } = await attempts(this.#bucket, () => client.send(command));
      const [failed] = Errors.filter(({ Code }) => Code !== "NoSuchKey");
      if (failed !== undefined) throw new Error(`${failed.Key} cannot be removed: ${failed.Code}`);
    }
  }

  async #telling<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof BlobMissing || signal?.aborted ? error : unreachable(this.#bucket.name, error);
    }
  }
}
