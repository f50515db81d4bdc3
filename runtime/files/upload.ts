/** `POST …/_files/{field}`: a file as the body of a request, or in a form (files.md, Routes). */
import { requireWrite } from "../documents/access.ts";
import { type QuotaRoom, quotaExceeded } from "../documents/files/usage.ts";
import type { Target } from "../documents/writes/existing.ts";
import { ApiError } from "../errors.ts";
import { conditionOf } from "../http/etag.ts";
import type { Answer, StreamExchange } from "../realm/exchange.ts";
import { alwaysProxied, comesBy, mostProxied } from "../realm/files.ts";
import { requireSame } from "./digest.ts";
import { tooLarge } from "./errors.ts";
import type { Place } from "./place.ts";
import { type Sent, sentIn } from "./sent.ts";
import { counted, kept } from "./taking.ts";
import { replaceIn, requireWorthwhile } from "./worth.ts";

export function uploadTo(place: Place): (exchange: StreamExchange) => Promise<Answer> {
  const { definition, entrance, storage } = place;
  const limit = proxiedLimit(place);
  return async (exchange) => {
    const asked = await entrance.writer(exchange);
    requireWrite(definition, asked, "update");
    const replace = replaceIn(exchange.search);
    const condition = conditionOf(exchange.headers);
    const target: Target = { id: exchange.params["id"] ?? "", visibility: "live", condition };
    const sent = sentIn(exchange);
    return counted(place, async () => {
      const { room } = await requireWorthwhile(place, asked, target, sent.claim, replace, (size) =>
        requireSize(place, size),
      );
      const spooled = await storage.spool.take(bounded(place, sent, limit, room), limit);
      try {
        const { claim } = sent;
        requireSame(claim.sha256, spooled.sha256);
        // Sessions end and keys are revoked while a body comes.
        const access = await entrance.writer(exchange);
        requireWrite(definition, access, "update");
        return await kept(place, access, target, spooled, claim, replace);
      } finally {
        await storage.spool.discard(spooled);
      }
    });
  };
}

/** Bytes that a proxied upload may have. */
function proxiedLimit({ field, storage }: Place): number {
  return Math.min(mostProxied(field), storage.maxUpload);
}

/** @throws ApiError `payload_too_large` | `upload_mode_mismatch` */
function requireSize(place: Place, size: number): void {
  const { field, storage } = place;
  if (size > field.maxSize || (comesBy(field, "proxy") && size > storage.maxUpload))
    throw tooLarge(Math.min(field.maxSize, storage.maxUpload));
  if (!comesBy(field, "proxy") && size > alwaysProxied) throw modeMismatch(place);
}

function modeMismatch({ field }: Place): ApiError {
  const how = field.upload === "direct" ? "directly (_uploads)" : "in a resumable way (_tus)";
  return new ApiError(
    "upload_mode_mismatch",
    `Files of more than ${alwaysProxied} bytes are uploaded here ${how}.`,
  );
}

/** The bytes of the file, as far as the mode, the sizes and the quotas go. */
async function* bounded(
  place: Place,
  sent: Sent,
  limit: number,
  room: QuotaRoom | undefined,
): AsyncGenerator<Buffer> {
  const { field, storage } = place;
  const isShort = limit < Math.min(field.maxSize, storage.maxUpload);
  const isFull = room !== undefined && room.bytes < limit;
  try {
    yield* sent.bytes(isFull ? room.bytes : limit);
  } catch (error) {
    const isLarge = error instanceof ApiError && error.code === "payload_too_large";
    if (!isLarge) throw error;
    if (isFull) throw quotaExceeded(room.whose);
    throw isShort ? modeMismatch(place) : tooLarge(limit);
  }
}
