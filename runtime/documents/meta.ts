import type { JsonObject, JsonValue } from "../json.ts";
import type { Author } from "./access.ts";

/** The last text that {@link createdMeta} made, and for whom: the documents of a batch mostly share theirs. */
let latest: { readonly at: string; readonly author: Author | undefined; readonly text: string } | undefined;

/** The text of a new document's `_meta`. */
export function createdMeta(at: string, author: Author | undefined): string {
  if (latest?.at !== at || latest.author !== author) latest = { at, author, text: newMeta(at, author) };
  return latest.text;
}

function newMeta(at: string, author: Author | undefined): string {
  const times = `{"created_at":"${at}","updated_at":"${at}","version":1`;
  if (author === undefined) return `${times}}`;
  const { actor, owner } = author;
  return `${times}${member("owner", owner)}${member("created_by", actor)}${member("updated_by", actor)}}`;
}

/**
 * The text of `_meta` after one more write, of a document that is live then: what never changes stays as it is stored,
 * also where it is missing because the document is older than the member (spec: Document 2).
 */
export function nextMeta(
  stored: JsonObject,
  version: number,
  at: string,
  author: Author | undefined,
): string {
  const { created_at, owner, created_by } = stored;
  const created = created_at === undefined ? "" : `"created_at":${JSON.stringify(created_at)},`;
  const ownership = `${member("owner", owner)}${member("created_by", created_by)}${member("updated_by", author?.actor)}`;
  return `{${created}"updated_at":"${at}","version":${version}${ownership}}`;
}

/**
 * Marks a document as soft-deleted.
 * @param meta the text of its `_meta`
 * @param purgeAt undefined where the collection has no retention
 */
export function deletedMeta(
  meta: string,
  at: string,
  author: Author | undefined,
  purgeAt: string | undefined,
): string {
  const marks = `${member("deleted_at", at)}${member("deleted_by", author?.actor)}${member("purge_at", purgeAt)}`;
  return `${meta.slice(0, -1)}${marks}}`;
}

function member(name: string, value: JsonValue | undefined): string {
  return value === undefined ? "" : `,"${name}":${JSON.stringify(value)}`;
}

/** When a document was created, in epoch milliseconds. */
export function createdAt(meta: JsonObject): number {
  const { created_at } = meta;
  const at = typeof created_at === "string" ? Date.parse(created_at) : Number.NaN;
  return Number.isNaN(at) ? 0 : at;
}
