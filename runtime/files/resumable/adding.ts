/** Bytes that are added to an upload, and what comes of the last of them: a file that the document names. */
import type { Spooled } from "../../blobs/store.ts";
import { BlobMissing } from "../../blobs/store.ts";
import { requireWrite } from "../../documents/access.ts";
import type { Target } from "../../documents/writes/existing.ts";
import { ApiError } from "../../errors.ts";
import type { StreamExchange } from "../../realm/exchange.ts";
import type { Place } from "../place.ts";
import { counted, type Kept, kept } from "../taking.ts";
import type { checksumIn } from "./checksum.ts";
import { PartWriter, partSize } from "./part-writer.ts";
import { Pieces } from "./pieces.ts";
import { type Found, offsetOf } from "./records.ts";
import { writing } from "./writers.ts";

export interface Addition {
  readonly exchange: StreamExchange;
  /** Of the document, and what was said of it. */
  readonly target: Target;
  readonly checksum: ReturnType<typeof checksumIn>;
}

/** Where an upload stands then. */
export interface Added {
  readonly offset: number;
  /** Epoch milliseconds. */
  readonly until: number;
  /** The document names it. */
  readonly done?: Kept;
}

/**
 * Adds what a request brings to its upload. Of a body that breaks off, what has come is kept, unless a checksum was said of
 * all of it. The last bytes are acknowledged when the document names the file, and not before.
 * @throws ApiError `upload_locked`, `checksum_mismatch`, `payload_too_large`; as {@link kept} does; what breaks off a body
 */
export async function added(place: Place, found: Found, addition: Addition): Promise<Added> {
  requireFit(found, addition.exchange);
  const writer = await PartWriter.claim(place, found);
  return writing(place.realm, found.record.id, async (stop) => {
    try {
      await writer.tidy();
      return await taken(place, writer, addition, stop);
    } finally {
      await writer.release();
    }
  });
}

/** @throws ApiError `payload_too_large` */
function requireFit({ record }: Found, { headers }: StreamExchange): void {
  if (Number(headers["content-length"] ?? 0) > record.size - offsetOf(record)) throw tooLong();
}

/** Bytes that are not of the file. */
export function tooLong(): ApiError {
  return new ApiError("payload_too_large", "There are more bytes than Upload-Length says.");
}

async function taken(
  place: Place,
  writer: PartWriter,
  addition: Addition,
  stop: AbortSignal,
): Promise<Added> {
  const { storage } = place;
  const { exchange, checksum } = addition;
  const body = exchange.stream(writer.left);
  const checked = checksum?.(body);
  const pieces = new Pieces(checked?.bytes ?? body, stop);
  // What is checked as a whole is stored as a whole.
  const most = checked === undefined ? partSize(writer.record.size) : writer.left;
  do {
    const { left } = writer;
    const spooled = await storage.spool.take(pieces.upTo(Math.min(most, left)), left);
    try {
      const isLast = await pieces.atEnd();
      if (checked !== undefined && pieces.failure === undefined) checked.require();
      const isWhole = spooled.size === left;
      if (isWhole && pieces.failure === undefined) return await finished(place, writer, addition, spooled);
      if (spooled.size > 0 && !isWhole && (checked === undefined || pieces.failure === undefined))
        await writer.keep(spooled, isLast);
    } finally {
      await storage.spool.discard(spooled);
    }
  } while (!pieces.ended);
  if (pieces.failure !== undefined) throw told(pieces.failure);
  return { offset: offsetOf(writer.record), until: writer.record.until };
}

/** What breaks off a body, in the terms of uploads. */
function told(failure: unknown): unknown {
  return failure instanceof ApiError && failure.code === "payload_too_large" ? tooLong() : failure;
}

async function finished(
  place: Place,
  writer: PartWriter,
  { exchange, target }: Addition,
  rest: Spooled,
): Promise<Added> {
  const { definition, entrance, storage } = place;
  const { name, type, size, replace } = writer.record;
  let done: Kept | undefined;
  try {
    await writer.whileFinishing(() =>
      counted(place, async () => {
        const whole = await writer.whole(rest);
        try {
          // Sessions end and keys are revoked while a body comes.
          const access = await entrance.writer(exchange);
          requireWrite(definition, access, "update");
          done = await kept(
            place,
            access,
            target,
            whole,
            { name, type: type ?? undefined },
            replace,
            (transaction, answer) => writer.done(transaction, answer),
          );
          return done;
        } finally {
          if (whole !== rest) await storage.spool.discard(whole);
        }
      }),
    );
  } catch (error) {
    if (isFinal(error)) await writer.end(false);
    throw error;
  }
  await writer.end(true);
  return { offset: size, until: writer.record.until, ...(done && { done }) };
}

/** Of bytes that no other attempt would make better. */
function isFinal(error: unknown): boolean {
  if (error instanceof BlobMissing) return true;
  if (!(error instanceof ApiError)) return false;
  return ["unsupported_file_type", "invalid_image", "file_missing"].includes(error.code);
}
