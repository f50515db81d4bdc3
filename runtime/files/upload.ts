/** `POST …/_files/{field}`: a file as the body of a request, or in a form (files.md, Routes). */
import { requireWrite } from "../documents/access.ts";
import type { Target } from "../documents/writes/existing.ts";
import { conditionOf } from "../http/etag.ts";
import type { Answer, StreamExchange } from "../realm/exchange.ts";
import { alwaysProxied, comesBy } from "../realm/files.ts";
import { requireSame } from "./digest.ts";
import { tooLarge } from "./errors.ts";
import type { Place } from "./place.ts";
import { bounded, modeMismatch, proxiedLimit } from "./proxied.ts";
import { sentIn } from "./sent.ts";
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

/** @throws ApiError `payload_too_large` | `upload_mode_mismatch` */
function requireSize(place: Place, size: number): void {
  const { field, storage } = place;
  if (size > field.maxSize || (comesBy(field, "proxy") && size > storage.maxUpload))
    throw tooLarge(Math.min(field.maxSize, storage.maxUpload));
  if (!comesBy(field, "proxy") && size > alwaysProxied) throw modeMismatch(place);
}
