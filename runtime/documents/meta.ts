import type { Caller } from "../auth/caller.ts";
import type { JsonObject } from "../json.ts";

/** The text of a new document's `_meta`. `caller` is undefined in realms with `auth: disabled`. */
export function createdMeta(at: string, caller: Caller | undefined): string {
  const times = `{"created_at":"${at}","updated_at":"${at}","version":1`;
  if (caller === undefined) return `${times}}`;
  const owner = caller.kind === "user" ? JSON.stringify(caller.user.id) : "null";
  const actor = JSON.stringify(caller.actor);
  return `${times},"owner":${owner},"created_by":${actor},"updated_by":${actor}}`;
}

/**
 * `_meta` after one more write, of a document that is live then: what never changes stays as it is stored, also where it
 * is missing because the document is older than the member (spec: Document 2).
 */
export function nextMeta(
  stored: JsonObject,
  version: number,
  at: string,
  caller: Caller | undefined,
): JsonObject {
  const { created_at, owner, created_by } = stored;
  const meta: JsonObject = { ...(created_at !== undefined && { created_at }), updated_at: at, version };
  if (owner !== undefined) meta["owner"] = owner;
  if (created_by !== undefined) meta["created_by"] = created_by;
  if (caller !== undefined) meta["updated_by"] = caller.actor;
  return meta;
}

/** Marks a document as soft-deleted. `purgeAt` is undefined where the collection has no retention. */
export function deletedMeta(
  meta: JsonObject,
  at: string,
  caller: Caller | undefined,
  purgeAt: string | undefined,
): JsonObject {
  return {
    ...meta,
    deleted_at: at,
    ...(caller !== undefined && { deleted_by: caller.actor }),
    ...(purgeAt !== undefined && { purge_at: purgeAt }),
  };
}

/** When a document was created, in epoch milliseconds. */
export function createdAt(meta: JsonObject): number {
  const { created_at } = meta;
  const at = typeof created_at === "string" ? Date.parse(created_at) : Number.NaN;
  return Number.isNaN(at) ? 0 : at;
}
