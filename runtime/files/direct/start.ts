/** `POST …/_files/{field}/_uploads`: says where the bytes of a file are to be sent (files.md, Routes). */
import { timestamp } from "../../clock.ts";
import { startUpload } from "../../contract/files.ts";
import { traitsOf } from "../../contract/traits.ts";
import { requireWrite } from "../../documents/access.ts";
import { callerKey } from "../../documents/collection.ts";
import { gate } from "../../documents/entrance.ts";
import { belongingOf } from "../../documents/organizations.ts";
import type { Target } from "../../documents/writes/existing.ts";
import { ApiError } from "../../errors.ts";
import { bodyReader } from "../../http/contract-body.ts";
import { conditionOf } from "../../http/etag.ts";
import type { Answer, Exchange } from "../../realm/exchange.ts";
import { comesBy } from "../../realm/files.ts";
import { isAccepted, mediaType, UNKNOWN } from "../content/media-types.ts";
import { fileError, tooLarge } from "../errors.ts";
import { filesIn } from "../field.ts";
import { fileName, hasControls } from "../names.ts";
import type { Place } from "../place.ts";
import { uploaderOf } from "../uploader.ts";
import { replaceIn, requireWorthwhile } from "../worth.ts";
import { addressOf, bucketGrace } from "./address.ts";
import { addressLifetime, beginUpload } from "./records.ts";

export function startAt(place: Place): (exchange: Exchange) => Promise<Answer> {
  const { realm, definition, collection, field, entrance, storage } = place;
  const { enter, receive } = gate(startUpload, entrance);
  const read = bodyReader(startUpload, traitsOf(realm.definition, [definition]));
  const isDirect = comesBy(field, "direct");
  const most = Math.min(field.maxSize, storage.blobs.signed?.most ?? Number.POSITIVE_INFINITY);
  return async (exchange) => {
    const asked = await enter(exchange);
    requireWrite(definition, asked, "update");
    const replace = replaceIn(exchange.search);
    const condition = conditionOf(exchange.headers);
    const { received, access } = await receive(asked, exchange);
    requireWrite(definition, access, "update");
    if (!isDirect) throw modeMismatch(place);
    const said = read(received)((given, tell) => {
      if (given.name !== undefined && hasControls(given.name))
        tell("name", "must have no control characters");
    });
    const { size, sha256 } = said;
    const name = fileName(said.name, "name");
    const type = mediaType(said.type);
    const target: Target = { id: exchange.params["id"] ?? "", visibility: "live", condition };
    const { found } = await requireWorthwhile(
      place,
      access,
      target,
      { name, type, sha256, size },
      replace,
      () => {
        if (size > most) throw tooLarge(most);
        // What it is will be told by its bytes; they cannot make a good type of this one.
        if (type !== UNKNOWN && !isAccepted(type, field.accept))
          throw new ApiError("unsupported_file_type", `Files of type ${type} are not taken here.`);
      },
    );
    const id = realm.newId();
    const expires = realm.clock.now() + addressLifetime;
    const record = {
      id,
      collection: collection.storeName,
      document: target.id,
      field: field.name,
      entrance: entrance.name,
      by: uploaderOf(access),
      ...{ name, type, size, sha256, replace },
      until: storage.blobs.signed === undefined ? expires : expires + bucketGrace,
    };
    const { url, headers } = await address(place, record, expires);
    const replaced = replace ? filesIn(found.document, field).reduce((sum, file) => sum + file.size, 0) : 0;
    await beginUpload(place, record, {
      org: belongingOf(found.meta).org,
      caller: callerKey(access, exchange),
      bytes: Math.max(0, size - replaced),
    });
    const body = { upload: id, method: "PUT", url, headers, expires_at: timestamp(expires) };
    return { status: 201, body: JSON.stringify(body), headers: { "cache-control": "private, no-store" } };
  };
}

async function address({ realm, storage }: Place, record: Parameters<typeof addressOf>[2], expires: number) {
  try {
    return await addressOf(realm, storage, record, expires);
  } catch (error) {
    throw fileError(error);
  }
}

function modeMismatch({ field }: Place): ApiError {
  const how = field.upload === "resumable" ? "in a resumable way (_tus)" : "as the body of a request";
  return new ApiError("upload_mode_mismatch", `Files are uploaded here ${how}.`);
}
