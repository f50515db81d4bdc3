/** `GET` and `HEAD …/_files/{field}/_tus/{upload}`: where an upload stands (files.md, Routes). */
import { timestamp } from "../../clock.ts";
import { parameters } from "../../http/parameters.ts";
import type { Answer, Exchange } from "../../realm/exchange.ts";
import type { Place } from "../place.ts";
import { foundIn } from "../worth.ts";
import { answered, progress } from "./answers.ts";
import { inTus } from "./protocol.ts";
import { ownResumable } from "./records.ts";
import { takenOver } from "./writers.ts";

export function lookAt(place: Place): (exchange: Exchange) => Promise<Answer> {
  const { realm, storage } = place;
  return inTus(place, async (exchange, access) => {
    parameters(exchange.search, []);
    const { params } = exchange;
    await foundIn(place, access, { id: params["id"] ?? "", visibility: "live", condition: undefined });
    const found = await ownResumable(place, access, params);
    // Who asks by HEAD goes on from there: a request that still hangs somewhere must not.
    const { record } = exchange.method === "HEAD" ? await takenOver(realm, storage, found) : found;
    const { id, size, metadata, state } = record;
    const now = answered(record);
    const told = { upload: id, size, offset: now.offset, expires_at: timestamp(record.until) };
    return {
      status: 200,
      body: JSON.stringify(state.kind === "done" ? { ...told, file: JSON.parse(state.file) } : told),
      headers: {
        ...progress(now, true),
        "upload-length": String(size),
        ...(metadata !== "" && { "upload-metadata": metadata }),
      },
    };
  });
}
