/** Bytes of one storage brought into another: from a folder into a bucket, from there into another, and back. */
import type { ByteSource } from "../realm/exchange.ts";
import { type Spool, TooLarge } from "./spool.ts";
import { BlobMissing, type BlobStore, type Digest, type Spooled, StorageUnavailable } from "./store.ts";

export interface BlobCopy {
  readonly from: Pick<BlobStore, "open">;
  readonly to: Pick<BlobStore, "open" | "put" | "size">;
  /** Of the target. */
  readonly spool: Spool;
}

/** What became of a content. Of the last two the target has nothing new. */
export type BlobCopied =
  | "copied"
  /** The target had it already, each byte of it. */
  | "there"
  | "missing"
  /** The source has other bytes under the name of these. */
  | "damaged";

/** Times that a content is read where it breaks off. */
const ATTEMPTS = 3;

/** The storage is asked for the type of nothing: documents know what their files are. */
const TYPE = "application/octet-stream";

/**
 * Copies a content. Bytes go by the spool, where they are hashed: others than those named are never stored. Versions of
 * images are made anew where somebody asks for them.
 * @throws StorageUnavailable
 */
export async function copyBlob({ from, to, spool }: BlobCopy, content: Digest): Promise<BlobCopied> {
  if ((await to.size(content.sha256)) === content.size) {
    const there = await taken(to, spool, content);
    if (typeof there !== "string") {
      await spool.discard(there);
      return "there";
    }
  }
  const found = await taken(from, spool, content);
  if (typeof found === "string") return found;
  try {
    await to.put(content.sha256, found, TYPE);
  } finally {
    await spool.discard(found);
  }
  return "copied";
}

/** A content of a storage in the spool, whose hash is that of its name. @throws StorageUnavailable */
export async function taken(
  store: BlobCopy["from"],
  spool: Spool,
  { sha256, size }: Digest,
): Promise<Spooled | "missing" | "damaged"> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { signal } = new AbortController();
      const spooled = await spool.take(bytesOf(await store.open(sha256, undefined, signal)), size);
      if (spooled.sha256 === sha256) return spooled;
      await spool.discard(spooled);
      return "damaged";
    } catch (error) {
      if (error instanceof BlobMissing) return "missing";
      if (error instanceof TooLarge) return "damaged";
      if (!(error instanceof StorageUnavailable) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function* bytesOf(source: ByteSource): AsyncGenerator<Uint8Array> {
  for await (const piece of source) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}
