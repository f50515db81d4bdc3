/** The parts of a form that brings a document with its files, taken into the spool. */
import { readFile } from "node:fs/promises";
import { unavailable } from "../blobs/failures.ts";
import { TooLarge } from "../blobs/spool.ts";
import type { Spooled } from "../blobs/store.ts";
import type { QuotaRoom } from "../documents/files/usage.ts";
import { ApiError, invalidBody } from "../errors.ts";
import { type JsonBody, readObject, textOf } from "../http/body.ts";
import { type FormPart, formParts } from "../http/form.ts";
import { boundaryIn, formType, isFilePart } from "../http/form-headers.ts";
import type { StreamExchange } from "../realm/exchange.ts";
import { partName } from "./names.ts";
import type { Place } from "./place.ts";
import { bounded, proxiedLimit } from "./proxied.ts";
import type { RealmStorage } from "./realm.ts";
import { limited, mediaType } from "./sent.ts";

/** A file of a form, before it is judged. */
export interface FormFile {
  readonly place: Place;
  readonly name: string;
  readonly type: string | undefined;
  readonly spooled: Spooled;
}

/** What a form brought; all of it in the spool. */
export interface FormTaken {
  readonly document: Spooled;
  readonly files: readonly FormFile[];
}

/** Where a form is taken to. */
export interface FormPlace {
  readonly storage: RealmStorage;
  /** By the names of the fields. */
  readonly places: ReadonlyMap<string, Place>;
}

/** The part that is the document. */
const documentPart = "document";
/** Bytes of boundaries and headers. */
const envelope = 262_144;

/**
 * Takes in a form; nothing is left of one that is refused.
 * @param room what the quotas leave
 * @param judge is told of the document as soon as it is there; what it throws refuses the form
 * @throws ApiError `validation_error` | `invalid_json` | `unsupported_media_type` | `invalid_header` | `too_many_files` |
 *   `payload_too_large` | `quota_exceeded` | `upload_mode_mismatch`; as the exchange's stream does; StorageUnavailable
 */
export async function takeForm(
  { storage, places }: FormPlace,
  exchange: StreamExchange,
  room: QuotaRoom | undefined,
  judge: (document: JsonBody) => void,
): Promise<FormTaken> {
  const header = exchange.headers["content-type"];
  if (header === undefined || mediaType(header) !== formType)
    throw new ApiError("unsupported_media_type", `The Content-Type must be ${formType}.`);
  const fields = [...places.values()];
  const most = fields.reduce((sum, place) => sum + place.field.maxFiles * proxiedLimit(place), 0);
  const stream = exchange.stream(storage.maxBody + most + envelope);
  const files: FormFile[] = [];
  let document: Spooled | undefined;
  try {
    for await (const part of formParts(stream, boundaryIn(header))) {
      if (isDocument(part, places)) {
        if (document !== undefined) throw invalid(documentPart, "must be one part");
        document = await takeDocument(storage, part);
        judge(await readDocument(document));
      } else {
        const file = await takeFile(places, part, files, room);
        if (file !== undefined) files.push(file);
      }
    }
    if (document === undefined)
      throw invalid(documentPart, "is missing: the part of the form that has the document, as JSON");
    return { document, files };
  } catch (error) {
    await discardForm(storage, { document, files });
    throw error;
  }
}

export async function discardForm(
  { spool }: Pick<RealmStorage, "spool">,
  { document, files }: { readonly document: Spooled | undefined; readonly files: readonly FormFile[] },
): Promise<void> {
  for (const spooled of [document, ...files.map((file) => file.spooled)])
    if (spooled !== undefined) await spool.discard(spooled);
}

/** In a collection with a field of files of that name the document is the part without a filename. */
function isDocument(part: FormPart, places: ReadonlyMap<string, Place>): boolean {
  return part.name === documentPart && !(places.has(documentPart) && part.filename !== undefined);
}

/** @throws ApiError `invalid_json` */
export async function readDocument(spooled: Spooled): Promise<JsonBody> {
  if (spooled.kind === "memory") return readObject(textOf(spooled.bytes));
  const bytes = await readFile(spooled.path).catch((error: unknown) => {
    throw unavailable("the spool", error);
  });
  return readObject(textOf(bytes));
}

async function takeDocument({ spool, maxBody }: RealmStorage, { bytes }: FormPart): Promise<Spooled> {
  try {
    return await spool.take(bytes, maxBody);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    throw new ApiError("payload_too_large", `A document here has at most ${maxBody} bytes.`);
  }
}

/** @returns undefined for a field in which no file was chosen */
async function takeFile(
  places: ReadonlyMap<string, Place>,
  part: FormPart,
  before: readonly FormFile[],
  room: QuotaRoom | undefined,
): Promise<FormFile | undefined> {
  const place = places.get(part.name);
  if (place === undefined)
    throw invalid(part.name, `is no field of files; members of the document are in the part ${documentPart}`);
  if (part.filename === "") return undefined;
  if (!isFilePart(part)) throw invalid(part.name, "must be a file: a part with a filename");
  const { field, storage } = place;
  const held = before.filter((file) => file.place === place);
  if (held.length >= field.maxFiles) throw tooMany(place);
  const limit = proxiedLimit(place);
  const used = before.reduce((sum, { spooled }) => sum + spooled.size, 0);
  const left = room && { ...room, bytes: Math.max(0, room.bytes - used) };
  const sent = { bytes: (most: number) => limited(part.bytes, most) };
  const name = partName(part.filename);
  const type = mediaType(part.type);
  return { place, name, type, spooled: await storage.spool.take(bounded(place, sent, limit, left), limit) };
}

function tooMany({ field: { name, maxFiles } }: Place): ApiError {
  const most = maxFiles === 1 ? "one file" : `${maxFiles} files`;
  return new ApiError("too_many_files", `The field ${name} has at most ${most}.`);
}

function invalid(path: string, reason: string): ApiError {
  return invalidBody([{ path, reason }]);
}
