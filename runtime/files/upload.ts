/** `POST …/_files/{field}`: a file as the body of a request (files.md, Routes). */
import type { Spooled } from "../blobs/store.ts";
import { timestamp } from "../clock.ts";
import type { Access } from "../documents/access.ts";
import { requireWrite } from "../documents/access.ts";
import { requireQuota } from "../documents/files/ledger.ts";
import { belongingOf } from "../documents/organizations.ts";
import { type Existing, existing, type Target } from "../documents/writes/existing.ts";
import { ApiError } from "../errors.ts";
import { conditionOf } from "../http/etag.ts";
import { parameters } from "../http/parameters.ts";
import { isId } from "../ids.ts";
import type { Answer, StreamExchange } from "../realm/exchange.ts";
import { alwaysProxied, type FileObject } from "../realm/files.ts";
import { type Arrived, arrived } from "./arriving.ts";
import { changeFiles, type Decide, judged, requireRoom } from "./change.ts";
import { digestIn, requireSame } from "./digest.ts";
import { fileError, invalidHeader, noSuchFile, tooLarge } from "./errors.ts";
import { filesIn, isHidden } from "./field.ts";
import { keepBytes } from "./keeping.ts";
import { nameIn } from "./names.ts";
import type { Place } from "./place.ts";

/** What a request says of the file that is its body. */
interface Claim {
  readonly name: string;
  /** Media type; undefined: it says nothing. */
  readonly type: string | undefined;
  /** SHA-256. */
  readonly sha256: string | undefined;
  /** Bytes; undefined where it is not known before they come. */
  readonly size: number | undefined;
}

export function uploadTo(place: Place): (exchange: StreamExchange) => Promise<Answer> {
  const { definition, entrance, storage } = place;
  const limit = proxiedLimit(place);
  return async (exchange) => {
    const asked = await entrance.writer(exchange);
    requireWrite(definition, asked, definition.rules?.update);
    const replace = parameters(exchange.search, ["replace"], judgeReplace).get("replace") === "true";
    const condition = conditionOf(exchange.headers);
    const target: Target = { id: exchange.params["id"] ?? "", visibility: "live", condition };
    const claim = claimOf(exchange);
    await requireWorthwhile(place, asked, target, claim, replace);
    return counted(place, async () => {
      const spooled = await storage.spool.take(bounded(place, exchange, limit), limit);
      try {
        requireSame(claim.sha256, spooled.sha256);
        // Sessions end and keys are revoked while a body comes.
        const access = await entrance.writer(exchange);
        requireWrite(definition, access, definition.rules?.update);
        return await kept(place, access, target, spooled, claim, replace);
      } finally {
        await storage.spool.discard(spooled);
      }
    });
  };
}

/** Has the document name the file that came. */
export async function kept(
  place: Place,
  access: Access,
  target: Target,
  spooled: Spooled,
  { name, type }: Pick<Claim, "name" | "type">,
  replace: boolean,
): Promise<Answer> {
  const { realm, collection, field, storage } = place;
  const stored = await arrived(place, spooled, type);
  try {
    const file = fileObject(place, access, name, stored);
    const document = await keepBytes(realm, storage, stored.spooled, stored.type, () =>
      changeFiles(place, access, target, adding(place, file, replace)),
    );
    const location = `${collection.path}/${target.id}/_files/${field.name}/${file.id}`;
    const headers = { etag: collection.view(access, document).tag, location };
    return { status: 201, body: JSON.stringify(file), headers };
  } finally {
    await storage.spool.discard(stored.spooled);
  }
}

/** An upload, and what came of it, for the metrics. */
async function counted(
  { definition, storage: { metrics } }: Place,
  upload: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await upload();
    metrics?.uploaded(definition.realm, "stored");
    return answer;
  } catch (error) {
    const told = fileError(error);
    const isRefused = told instanceof ApiError && told.status < 500;
    metrics?.uploaded(definition.realm, isRefused ? "refused" : "failed");
    throw told;
  }
}

/** Bytes that a proxied upload may have. */
function proxiedLimit({ field, storage }: Place): number {
  const most = Math.min(field.maxSize, storage.maxUpload);
  return isProxied(field.upload) ? most : Math.min(most, alwaysProxied);
}

function isProxied(mode: string): boolean {
  return mode === "proxy" || mode === "any";
}

function judgeReplace(values: ReadonlyMap<string, string>) {
  const value = values.get("replace");
  return value === undefined || value === "true" || value === "false"
    ? []
    : [{ path: "replace", reason: "must be true or false" }];
}

/** @throws ApiError `invalid_header` */
function claimOf({ headers }: StreamExchange): Claim {
  const name = nameIn(one(headers["x-svc-filename"], "X-Svc-Filename"));
  const sha256 = digestIn(one(headers["content-digest"], "Content-Digest"));
  const length = headers["content-length"];
  return {
    name,
    type: mediaType(headers["content-type"]),
    sha256,
    size: length === undefined ? undefined : Number(length),
  };
}

function one(value: string | string[] | undefined, name: string): string | undefined {
  if (Array.isArray(value)) throw invalidHeader(name, "must appear once");
  return value;
}

const essence = /^\s*([A-Za-z0-9!#$&^_.+-]{1,127}\/[A-Za-z0-9!#$&^_.+-]{1,127})\s*(?:;|$)/;

/** @throws ApiError `invalid_header` */
function mediaType(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const type = essence.exec(header)?.[1]?.toLowerCase();
  if (type === undefined) throw invalidHeader("Content-Type", "must be a media type such as image/png");
  return type;
}

/**
 * Refuses what would be refused anyway, before the body is read.
 * @throws ApiError
 */
async function requireWorthwhile(
  place: Place,
  access: Access,
  target: Target,
  { name, type, sha256, size }: Claim,
  replace: boolean,
): Promise<void> {
  const { realm, collection, field, storage } = place;
  const stored = isId(target.id) ? await collection.documents.get(target.id, "live") : undefined;
  const found = existing(collection, access, stored, target);
  if (isHidden(collection, access, found.document, field)) throw noSuchFile();
  const held = filesIn(found.document, field);
  requireRoom(field, held, replace);
  // What the rule asks of the file may be what the bytes alone will tell: only what it refuses in any case is refused now.
  const file = fileObject(place, access, name, {
    type: type ?? "application/octet-stream",
    size: size ?? 0,
    sha256: sha256 ?? "",
  });
  if (!isJudged(place, access, found, held)) judged(place, access, found, { files: [...held, file] });
  if (size === undefined) return;
  if (size > field.maxSize || (isProxied(field.upload) && size > storage.maxUpload))
    throw tooLarge(Math.min(field.maxSize, storage.maxUpload));
  if (!isProxied(field.upload) && size > alwaysProxied) throw modeMismatch(place);
  const { storage: settings } = realm.definition;
  if (settings !== undefined && !replace)
    await requireQuota(realm.store, settings, belongingOf(found.meta).org, size);
}

/** Whether the rules let the document be written with the files that it has. */
function isJudged(place: Place, access: Access, found: Existing, files: readonly FileObject[]): boolean {
  try {
    judged(place, access, found, { files });
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

function modeMismatch({ field }: Place): ApiError {
  const how = field.upload === "direct" ? "directly (_uploads)" : "in a resumable way (_tus)";
  return new ApiError(
    "upload_mode_mismatch",
    `Files of more than ${alwaysProxied} bytes are uploaded here ${how}.`,
  );
}

/** The body, as far as the mode and the sizes go. */
async function* bounded(place: Place, exchange: StreamExchange, limit: number): AsyncGenerator<Buffer> {
  const { field, storage } = place;
  const isShort = limit < Math.min(field.maxSize, storage.maxUpload);
  try {
    yield* exchange.stream(limit);
  } catch (error) {
    const isLarge = error instanceof ApiError && error.code === "payload_too_large";
    if (!isLarge) throw error;
    throw isShort ? modeMismatch(place) : tooLarge(limit);
  }
}

/** As documents have it. */
export function fileObject(
  { realm, field }: Place,
  { author }: Access,
  name: string,
  { type, size, sha256, width, height }: Omit<Arrived, "spooled">,
): FileObject {
  const states = Object.keys(field.versions ?? {}).map((version) => [version, "pending"] as const);
  return {
    id: realm.newId(),
    name,
    type,
    size,
    sha256,
    ...(width !== undefined && height !== undefined && { width, height }),
    ...(width !== undefined && states.length > 0 && { versions: Object.fromEntries(states) }),
    created_at: timestamp(realm.clock.now()),
    ...(author?.actor !== undefined && { created_by: author.actor }),
  };
}

/** One more file, or one in place of all. */
export function adding({ field }: Place, file: FileObject, replace: boolean): Decide {
  return (held) => {
    requireRoom(field, held, replace);
    return { action: "upload", file, files: replace ? [file] : [...held, file] };
  };
}
