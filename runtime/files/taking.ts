/** A file whose bytes have come, from the spool into the document. */
import type { Spooled } from "../blobs/store.ts";
import { timestamp } from "../clock.ts";
import type { Access } from "../documents/access.ts";
import type { Target } from "../documents/writes/existing.ts";
import { ApiError } from "../errors.ts";
import { Abandoned } from "../http/intake.ts";
import type { Answer } from "../realm/exchange.ts";
import type { FileFailure } from "../realm/file-metrics.ts";
import type { FileObject } from "../realm/files.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { type Arrived, arrived } from "./arriving.ts";
import { changeFiles, type Decide, requireRoom } from "./change.ts";
import { fileError } from "./errors.ts";
import { keepBytes } from "./keeping.ts";
import type { Place } from "./place.ts";

/** What a client says of a file, before its bytes are there. */
export interface Claim {
  readonly name: string;
  /** Media type; undefined: it says nothing. */
  readonly type: string | undefined;
  /** SHA-256. */
  readonly sha256: string | undefined;
  /** Bytes; undefined where it is not known before they come. */
  readonly size: number | undefined;
}

/** What an upload is answered in the end. */
export interface Kept {
  readonly status: 201;
  /** The file object. */
  readonly body: string;
  readonly headers: { readonly etag: string; readonly location: string };
}

/** Writes in the very transaction that has the document name the file. */
export type Along = (transaction: Transaction, answer: Kept) => Promise<void>;

/**
 * Has the document name the file that came.
 * @throws ApiError as {@link arrived} and {@link changeFiles} do; what `along` throws
 */
export async function kept(
  place: Place,
  access: Access,
  target: Target,
  spooled: Spooled,
  { name, type }: Pick<Claim, "name" | "type">,
  replace: boolean,
  along?: Along,
): Promise<Kept> {
  const { realm, collection, field, storage } = place;
  const stored = await arrived(place, spooled, type);
  try {
    const file = fileObject(place, access, name, stored);
    const answer = (document: StoredDocument): Kept => ({
      status: 201,
      body: JSON.stringify(file),
      headers: {
        etag: collection.view(access, document).tag,
        location: `${collection.path}/${target.id}/_files/${field.name}/${file.id}`,
      },
    });
    const document = await keepBytes(realm, storage, stored.spooled, stored.type, () =>
      changeFiles(
        place,
        access,
        target,
        adding(place, file, replace),
        along && ((transaction, written) => along(transaction, answer(written))),
      ),
    );
    return answer(document);
  } finally {
    await storage.spool.discard(stored.spooled);
  }
}

/** An upload, and what came of it, for the metrics. @param files how many it brought, where that is not one */
export async function counted(
  { storage: { metrics } }: Pick<Place, "storage">,
  upload: () => Promise<Answer>,
  files: () => number = () => 1,
): Promise<Answer> {
  try {
    const answer = await upload();
    for (let file = files(); file > 0; file -= 1) metrics?.uploaded("stored");
    return answer;
  } catch (error) {
    const told = fileError(error);
    const isRefused = told instanceof ApiError && told.status < 500;
    metrics?.uploaded(isRefused ? "refused" : "failed");
    metrics?.failed("upload", reasonOf(told));
    throw told;
  }
}

function reasonOf(error: unknown): FileFailure {
  if (error instanceof Abandoned) return "cut_off";
  return error instanceof ApiError ? error.code : "internal_error";
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
function adding({ field }: Place, file: FileObject, replace: boolean): Decide {
  return (held) => {
    requireRoom(field, held, replace);
    return { action: "upload", file, files: replace ? [file] : [...held, file] };
  };
}
