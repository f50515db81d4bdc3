/** Bytes into a bucket: in one request, or in parts where they are many. */
import { createReadStream, type ReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { Spooled } from "../store.ts";
import { attempts } from "./attempts.ts";
import type { Bucket } from "./sdk.ts";

const MIB = 1_048_576;
/** Bytes that are put in one request: sent again as a whole where it fails. */
const WHOLE = 16 * MIB;
/** Bytes of a part, unless there would be more than are allowed. */
const PART = 16 * MIB;
const MOST_PARTS = 10_000;
/** Parts of one file on their way at a time. */
const AT_ONCE = 3;

export interface Target {
  readonly bucket: Bucket;
  readonly Key: string;
}

export async function upload(target: Target, spooled: Spooled, type: string): Promise<void> {
  if (spooled.kind === "file" && spooled.size > WHOLE) await inParts(target, spooled, type);
  else await attempts(target.bucket, () => whole(target, spooled, type));
}

async function whole(target: Target, spooled: Spooled, type: string): Promise<void> {
  if (spooled.kind === "memory") return put(target, spooled, type, spooled.bytes);
  const body = createReadStream(spooled.path);
  await whileRead(body, undefined, (signal) => put(target, spooled, type, body, signal));
}

async function put(
  { bucket, Key }: Target,
  spooled: Spooled,
  type: string,
  Body: Uint8Array | ReadStream,
  abortSignal?: AbortSignal,
): Promise<void> {
  const { sdk, client, name: Bucket } = bucket;
  const command = new sdk.client.PutObjectCommand({
    Bucket,
    Key,
    Body,
    ContentLength: spooled.size,
    ContentType: type,
    ChecksumSHA256: Buffer.from(spooled.sha256, "hex").toString("base64"),
  });
  // The signature covers the bytes, too.
  command.middlewareStack.add(
    (next) => (args) => {
      const { request } = args;
      if (typeof request === "object" && request !== null && "headers" in request) {
        Object.assign(request.headers as object, { "x-amz-content-sha256": spooled.sha256 });
      }
      return next(args);
    },
    { step: "build", name: "knownPayloadHash" },
  );
  await client.send(command, abortSignal && { abortSignal });
}

/**
 * Sends what is read from a file. The client hears nothing of a file that cannot be read: its request would never end.
 * @throws what the file cannot be read for
 */
async function whileRead<T>(
  body: ReadStream,
  signal: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const unread = new AbortController();
  body.on("error", (error) => unread.abort(error));
  try {
    return await send(signal === undefined ? unread.signal : AbortSignal.any([signal, unread.signal]));
  } catch (error) {
    throw unread.signal.aborted ? unread.signal.reason : error;
  } finally {
    body.destroy();
  }
}

interface Part {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
  readonly ChecksumCRC32: string;
}

async function inParts(
  target: Target,
  { path, size }: Extract<Spooled, { kind: "file" }>,
  type: string,
): Promise<void> {
  const { bucket, Key } = target;
  const { sdk, client, name: Bucket } = bucket;
  const { AbortMultipartUploadCommand, CompleteMultipartUploadCommand, CreateMultipartUploadCommand } =
    sdk.client;
  const created = await attempts(bucket, () =>
    client.send(
      new CreateMultipartUploadCommand({ Bucket, Key, ContentType: type, ChecksumAlgorithm: "CRC32" }),
    ),
  );
  const { UploadId } = created;
  const failed = new AbortController();
  try {
    const partSize = Math.max(PART, Math.ceil(size / MOST_PARTS));
    const count = Math.ceil(size / partSize);
    const parts: Part[] = [];
    let next = 1;
    const work = async () => {
      while (next <= count && !failed.signal.aborted) {
        const PartNumber = next;
        next += 1;
        const first = (PartNumber - 1) * partSize;
        const last = Math.min(size, first + partSize) - 1;
        parts.push(await part(target, UploadId, PartNumber, { path, first, last }, failed.signal));
      }
    };
    // None of them reads on once this is over: the file may be gone then.
    const works = Array.from({ length: AT_ONCE }, () =>
      work().catch((error: unknown) => {
        failed.abort();
        throw error;
      }),
    );
    await Promise.allSettled(works);
    await Promise.all(works);
    parts.sort((a, b) => a.PartNumber - b.PartNumber);
    const MultipartUpload = { Parts: parts };
    await attempts(bucket, () =>
      client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload })),
    );
  } catch (error) {
    failed.abort();
    // What is left where this fails, too, is among the leftovers.
    await attempts(bucket, () =>
      client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })),
    ).catch(() => undefined);
    throw error;
  }
}

interface Extent {
  readonly path: string;
  readonly first: number;
  readonly last: number;
}

async function part(
  { bucket, Key }: Target,
  UploadId: string | undefined,
  PartNumber: number,
  extent: Extent,
  signal: AbortSignal,
): Promise<Part> {
  const { sdk, client, name: Bucket } = bucket;
  const ChecksumCRC32 = await checksum(extent);
  const { path, first, last } = extent;
  const send = () => {
    const Body = createReadStream(path, { start: first, end: last, highWaterMark: 262_144 });
    const ContentLength = last - first + 1;
    const input = { Bucket, Key, UploadId, PartNumber, ChecksumCRC32, Body, ContentLength };
    return whileRead(Body, signal, (abortSignal) =>
      client.send(new sdk.client.UploadPartCommand(input), { abortSignal }),
    );
  };
  const { ETag } = await attempts(bucket, send, signal);
  return { PartNumber, ETag, ChecksumCRC32 };
}

/** Base64 of the four bytes, as S3 compares them. */
async function checksum({ path, first, last }: Extent): Promise<string> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafeSlow(MIB);
    let sum = 0;
    for (let at = first; at <= last; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(MIB, last - at + 1), at);
      if (bytesRead === 0) throw new Error(`${path} is shorter than it was`);
      sum = crc32(buffer.subarray(0, bytesRead), sum);
      at += bytesRead;
    }
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(sum);
    return bytes.toString("base64");
  } finally {
    await file.close();
  }
}
