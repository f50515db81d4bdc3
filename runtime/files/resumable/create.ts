/** `POST …/_files/{field}/_tus`: begins an upload that comes in pieces (files.md, Routes). */
import { dataPath } from "../../contract/document-administration.ts";
import { callerKey } from "../../documents/collection.ts";
import { belongingOf } from "../../documents/organizations.ts";
import type { Target } from "../../documents/writes/existing.ts";
import { ApiError } from "../../errors.ts";
import { conditionOf } from "../../http/etag.ts";
import type { Answer, StreamExchange } from "../../realm/exchange.ts";
import { comesBy } from "../../realm/files.ts";
import { isAccepted, UNKNOWN } from "../content/media-types.ts";
import { tooLarge } from "../errors.ts";
import { filesIn } from "../field.ts";
import type { Place } from "../place.ts";
import { uploaderOf } from "../uploader.ts";
import { replaceIn, requireWorthwhile } from "../worth.ts";
import { type Added, added } from "./adding.ts";
import { answered, progress } from "./answers.ts";
import { checksumIn } from "./checksum.ts";
import { metadataIn } from "./metadata.ts";
import { hasBody, inTus, lengthIn, one, requirePartType } from "./protocol.ts";
import { begun, ended, type Found, findResumable, keyOf, partsOf } from "./records.ts";

export function createAt(place: Place): (exchange: StreamExchange) => Promise<Answer> {
  const { realm, definition, collection, field, entrance } = place;
  const { database, name: of } = definition;
  const base =
    entrance.name === "" ? collection.path : `/v1/${definition.realm}${dataPath}/${database}/${of}`;
  const isResumable = comesBy(field, "resumable");
  return inTus(place, async (exchange, access) => {
    const replace = replaceIn(exchange.search);
    const condition = conditionOf(exchange.headers);
    const { headers } = exchange;
    const size = lengthIn(headers);
    const { text: metadata, name, type } = metadataIn(one(headers, "Upload-Metadata"));
    const checksum = checksumIn(one(headers, "Upload-Checksum"));
    const brings = hasBody(exchange);
    if (brings) requirePartType(exchange);
    if (!isResumable) throw modeMismatch(place);
    const target: Target = { id: exchange.params["id"] ?? "", visibility: "live", condition };
    const claim = { name, type, sha256: undefined, size };
    const worthwhile = await requireWorthwhile(place, access, target, claim, replace, () => {
      if (size > field.maxSize) throw tooLarge(field.maxSize);
      // What it is will be told by its bytes; they cannot make a good type of this one.
      if (type !== undefined && type !== UNKNOWN && !isAccepted(type, field.accept))
        throw new ApiError("unsupported_file_type", `Files of type ${type} are not taken here.`);
    });
    const { document, meta } = worthwhile.found;
    const replaced = replace ? filesIn(document, field).reduce((sum, file) => sum + file.size, 0) : 0;
    const found = await begun(
      place,
      {
        id: realm.newId(),
        collection: collection.storeName,
        document: target.id,
        field: field.name,
        entrance: entrance.name,
        by: uploaderOf(access),
        ...{ name, type: type ?? null, size, replace, metadata },
      },
      {
        org: belongingOf(meta).org,
        caller: callerKey(access, exchange),
        bytes: Math.max(0, size - replaced),
      },
    );
    const location = `${base}/${target.id}/_files/${field.name}/_tus/${found.record.id}`;
    // Of an empty file everything is there.
    const addition = { exchange, target, checksum };
    const now = brings || size === 0 ? await addedNow(place, found, addition) : answered(found.record);
    return { status: 201, headers: { ...progress(now, brings), location } };
  });
}

/** Nobody knows the address of one that fails now: what has come of it goes at once. */
async function addedNow(place: Place, found: Found, addition: Parameters<typeof added>[2]): Promise<Added> {
  try {
    return await added(place, found, addition);
  } catch (error) {
    // Where that fails, the sweep does it.
    await forgotten(place, found.record.id).catch(() => undefined);
    throw error;
  }
}

async function forgotten({ realm, storage }: Place, id: string): Promise<void> {
  await ended(realm.store, id, () => true, 0);
  const now = await findResumable(realm.store, id);
  if (now === undefined) return;
  await storage.blobs.remove(partsOf(now.record).map((part) => keyOf(id, part)));
}

function modeMismatch({ field }: Place): ApiError {
  const how = field.upload === "direct" ? "directly (_uploads)" : "as the body of a request";
  return new ApiError("upload_mode_mismatch", `Files are uploaded here ${how}.`);
}
