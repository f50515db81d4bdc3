/** `PATCH …/_files/{field}/_tus/{upload}`: the next bytes of an upload (files.md, Routes). */
import type { ResumableRecord } from "../../documents/files/records.ts";
import type { Target } from "../../documents/writes/existing.ts";
import { ApiError } from "../../errors.ts";
import { conditionOf } from "../../http/etag.ts";
import { parameters } from "../../http/parameters.ts";
import type { Answer, StreamExchange } from "../../realm/exchange.ts";
import type { Place } from "../place.ts";
import { foundIn } from "../worth.ts";
import { added, tooLong } from "./adding.ts";
import { answered, progress } from "./answers.ts";
import { checksumIn } from "./checksum.ts";
import { hasBody, inTus, offsetIn, one, requirePartType } from "./protocol.ts";
import { offsetOf, ownResumable, uploadLocked } from "./records.ts";

export function appendTo(place: Place): (exchange: StreamExchange) => Promise<Answer> {
  return inTus(place, async (exchange, access) => {
    parameters(exchange.search, []);
    const { headers, params } = exchange;
    const target: Target = { id: params["id"] ?? "", visibility: "live", condition: conditionOf(headers) };
    requirePartType(exchange);
    const offset = offsetIn(headers);
    const checksum = checksumIn(one(headers, "Upload-Checksum"));
    await foundIn(place, access, target);
    const found = await ownResumable(place, access, params);
    const { record } = found;
    if (record.writer !== null) throw uploadLocked();
    requireOffset(record, offset);
    if (record.state.kind === "done") {
      if (hasBody(exchange)) throw tooLong();
      return { status: 204, headers: progress(answered(record), true) };
    }
    const now = await added(place, found, { exchange, target, checksum });
    return { status: 204, headers: progress(now, true) };
  });
}

/** @throws ApiError `upload_offset_mismatch` */
function requireOffset(record: ResumableRecord, offset: number): void {
  const stands = offsetOf(record);
  if (offset === stands) return;
  throw new ApiError("upload_offset_mismatch", "The upload stands elsewhere.", {
    details: [{ path: "Upload-Offset", reason: `is ${stands}` }],
    headers: { "upload-offset": String(stands) },
  });
}
