/** Whether an upload is worth to be taken in. */
import type { Access } from "../documents/access.ts";
import { type QuotaRoom, quotaExceeded, quotaRoom } from "../documents/files/usage.ts";
import { belongingOf } from "../documents/organizations.ts";
import { type Existing, existing, type Target } from "../documents/writes/existing.ts";
import { parameters } from "../http/parameters.ts";
import { isId } from "../ids.ts";
import { judged, requireRoom } from "./change.ts";
import { UNKNOWN } from "./content/media-types.ts";
import { noSuchFile } from "./errors.ts";
import { filesIn, isHidden } from "./field.ts";
import type { Place } from "./place.ts";
import { type Claim, fileObject } from "./taking.ts";

/** Whether the file is to take the place of all that the field has. @throws ApiError `invalid_query` */
export function replaceIn(search: string): boolean {
  return parameters(search, ["replace"], judgeReplace).get("replace") === "true";
}

function judgeReplace(values: ReadonlyMap<string, string>) {
  const value = values.get("replace");
  return value === undefined || value === "true" || value === "false"
    ? []
    : [{ path: "replace", reason: "must be true or false" }];
}

/** A document that an upload may go on for. */
export interface Worthwhile {
  readonly found: Existing;
  /** What its quotas leave for the file; undefined: any size, or its place is held. */
  readonly room: QuotaRoom | undefined;
}

/**
 * Refuses what would be refused anyway, before any bytes are taken in.
 * @param judgeSize of the file, where it is known; absent: it was judged when the upload began, and its place is held
 * @throws ApiError; what `judgeSize` throws
 */
export async function requireWorthwhile(
  place: Place,
  access: Access,
  target: Target,
  { name, type, sha256, size }: Claim,
  replace: boolean,
  judgeSize?: (size: number) => void,
): Promise<Worthwhile> {
  const { realm, field } = place;
  const found = await foundIn(place, access, target);
  const held = filesIn(found.document, field);
  requireRoom(field, held, replace);
  // No rule reads of the file what its bytes alone tell: a refusal now is one in any case.
  const file = fileObject(place, access, name, {
    type: type ?? UNKNOWN,
    size: size ?? 0,
    sha256: sha256 ?? "",
  });
  judged(place, access, found, { files: replace ? [file] : [...held, file] });
  if (judgeSize === undefined) return { found, room: undefined };
  if (size !== undefined) judgeSize(size);
  const { storage: settings } = realm.definition;
  const left = settings && (await quotaRoom(realm.store, settings, belongingOf(found.meta).org));
  if (left === undefined) return { found, room: undefined };
  const replaced = replace ? held.reduce((sum, { size: bytes }) => sum + bytes, 0) : 0;
  const room = { ...left, bytes: Math.max(0, left.bytes + replaced) };
  if (size !== undefined && size > room.bytes) throw quotaExceeded(room.whose);
  return { found, room };
}

/**
 * The document, where the caller may know of it and of its field.
 * @throws ApiError `not_found` | `version_mismatch`
 */
export async function foundIn(
  { collection, field }: Place,
  access: Access,
  target: Target,
): Promise<Existing> {
  const stored = isId(target.id) ? await collection.documents.get(target.id, "live") : undefined;
  const found = existing(collection, access, stored, target);
  if (isHidden(collection, access, found.document, field)) throw noSuchFile();
  return found;
}
