/** `DELETE …/_files/{field}/_tus/{upload}`: the upload is over, and what has come of it goes (files.md, Routes). */
import { parameters } from "../../http/parameters.ts";
import type { Answer, Exchange } from "../../realm/exchange.ts";
import type { Place } from "../place.ts";
import { foundIn } from "../worth.ts";
import { inTus } from "./protocol.ts";
import { ended, keyOf, ownResumable, partsOf } from "./records.ts";
import { takenOver } from "./writers.ts";

export function cancelAt(place: Place): (exchange: Exchange) => Promise<Answer> {
  const { realm, storage } = place;
  return inTus(place, async (exchange, access) => {
    parameters(exchange.search, []);
    const { params } = exchange;
    await foundIn(place, access, { id: params["id"] ?? "", visibility: "live", condition: undefined });
    const found = await takenOver(realm, storage, await ownResumable(place, access, params));
    const { id } = found.record;
    await ended(realm.store, id, () => true);
    // Where that fails, the sweep removes them.
    await storage.blobs.remove(partsOf(found.record).map((part) => keyOf(id, part))).catch(() => undefined);
    return { status: 204 };
  });
}
