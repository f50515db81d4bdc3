/** `GET …/_files/{field}/{file}`: the bytes of a file (files.md, Routes). */
import type { BlobStore } from "../blobs/store.ts";
import { readable } from "../documents/access.ts";
import { parseDocument } from "../documents/encode.ts";
import { missing } from "../documents/missing.ts";
import { publicCaching } from "../documents/reads.ts";
import { ApiError } from "../errors.ts";
import { parameters } from "../http/parameters.ts";
import { ranged } from "../http/streams/ranged.ts";
import { isId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import type { Answer, Exchange } from "../realm/exchange.ts";
import type { FileField, FileObject, NamedFile } from "../realm/files.ts";
import { binary } from "./bytes.ts";
import { charsetOf, MARK } from "./content/text.ts";
import { fileError, noSuchFile } from "./errors.ts";
import { filesIn, isHidden } from "./field.ts";
import { disposition } from "./names.ts";
import type { Place } from "./place.ts";
import type { RealmStorage } from "./realm.ts";
import { type Bytes, original, versionOf } from "./version-bytes.ts";

/** Headers that pages of other origins send for a file, and read of its answer. */
export const downloading = {
  sent: "Range, If-Range",
  read: "Accept-Ranges, Content-Range, Content-Disposition, Content-Length",
} as const;

export function downloadFrom(place: Place): (exchange: Exchange) => Promise<Answer> {
  const { realm, definition, collection, field, entrance, storage, ledger } = place;
  const caching = publicCaching(definition);
  return async (exchange) => {
    const access = await entrance.reader(exchange);
    const filter = readable(definition, access, definition.rules?.read);
    const query = parameters(exchange.search, ["redirect", "version"], judgeRedirect);
    const version = query.get("version");
    const { id = "", file: wanted = "" } = exchange.params;
    const [stored, names] = isId(id)
      ? await Promise.all([
          collection.documents.get(id, "live", filter),
          ledger.read(collection.storeName, id),
        ])
      : [undefined, []];
    if (stored === undefined) throw await missing(realm, collection, access, id, "live");
    const document = parseDocument(stored.text);
    const file = fileNamed(document, field, wanted, names);
    if (file === undefined || isHidden(collection, access, document, field)) throw noSuchFile();
    const cacheControl = entrance.class === "document" ? caching(exchange, undefined) : undefined;
    const at = { collection: collection.storeName, document: id };
    const bytes =
      version === undefined ? original(file) : await versionOf(realm, storage, place, at, file, version);
    const isSent = query.get("redirect") === "true" && exchange.method === "GET";
    const elsewhere = isSent ? await addressOf(storage, file, bytes) : undefined;
    return elsewhere ?? fileAnswer(exchange, storage, file, bytes, cacheControl);
  };
}

function judgeRedirect(values: ReadonlyMap<string, string>) {
  const value = values.get("redirect");
  return value === undefined || value === "true" || value === "false"
    ? []
    : [{ path: "redirect", reason: "must be true or false" }];
}

/** Seconds that an address of a bucket is valid. */
const addressLifetime = 600;

/** Sends the client to the bucket; undefined where there is none. */
async function addressOf(
  { blobs }: RealmStorage,
  { name, type }: FileObject,
  bytes: Bytes,
): Promise<Answer | undefined> {
  if (blobs.signed === undefined) return undefined;
  const as = { disposition: disposition(name, type), type: await contentType(blobs, type, bytes) };
  const location = await blobs.signed.get(bytes.key, as, addressLifetime);
  return { status: 302, headers: { location, "cache-control": "private, no-store" } };
}

/** As browsers are told it: of a text with its charset, which its first bytes say. */
async function contentType(
  blobs: Pick<BlobStore, "open">,
  type: string,
  { key, size }: Bytes,
): Promise<string> {
  if (!type.startsWith("text/")) return type;
  const last = Math.min(size, MARK) - 1;
  const head: Uint8Array[] = [];
  try {
    const whole = new AbortController().signal;
    if (last > 0)
      for await (const piece of binary(await blobs.open(key, { first: 0, last }, whole))) head.push(piece);
  } catch {
    // Whoever reads on is told what hinders it.
  }
  return `${type}; charset=${charsetOf(Buffer.concat(head))}`;
}

/**
 * The file that a document names. The ledger says whose bytes they are: a text may be older than the field's being one of
 * files.
 */
export function fileNamed(
  document: JsonObject,
  field: FileField,
  id: string,
  names: readonly NamedFile[],
): FileObject | undefined {
  const file = filesIn(document, field).find((each) => each.id === id);
  const isNamed = names.some(
    (each) => each.id === id && each.field === field.name && each.sha256 === file?.sha256,
  );
  return isNamed ? file : undefined;
}

/** The bytes of a file or of a version of it, or the part of them that is asked for. */
export async function fileAnswer(
  exchange: Exchange,
  { blobs, metrics }: Pick<RealmStorage, "blobs" | "metrics">,
  { name, type }: FileObject,
  bytes: Bytes,
  cacheControl: string | undefined,
): Promise<Answer> {
  const { key, size, name: tag } = bytes;
  const told = await contentType(blobs, type, bytes);
  return ranged(exchange, {
    length: size,
    etag: `"${tag}"`,
    headers: {
      "content-type": told,
      "content-disposition": disposition(name, type),
      // Whatever it is, nothing in it runs as if it were ours.
      "content-security-policy": "sandbox",
      ...(cacheControl !== undefined && { "cache-control": cacheControl }),
    },
    async open(start, end, { gone }) {
      const range = start === 0 && end === size ? undefined : { first: start, last: end - 1 };
      try {
        return await blobs.open(key, range, gone);
      } catch (error) {
        const failure = fileError(error);
        metrics?.failed("download", failure instanceof ApiError ? failure.code : "internal_error");
        throw failure;
      }
    },
    ended(sent, of) {
      metrics?.sent(sent);
      if (sent < of) metrics?.failed("download", "cut_off");
    },
  });
}
