import type { JsonObject, JsonValue } from "../json.ts";
import type { DocumentWrite } from "../store/contract/document.ts";
import type { Author } from "./access.ts";
import { type Belonging, belongingOf } from "./organizations.ts";

/** The last text that {@link createdMeta} made, and for whom: the documents of a batch mostly share theirs. */
let latest: (Created & { readonly text: string }) | undefined;

interface Created extends Belonging {
  readonly at: string;
  readonly author: Author | undefined;
}

export function createdMeta(at: string, author: Author | undefined, { org, team }: Belonging): string {
  if (latest?.at !== at || latest.author !== author || latest.org !== org || latest.team !== team) {
    latest = { at, author, org, team, text: newMeta({ at, author, org, team }) };
  }
  return latest.text;
}

function newMeta({ at, author, org, team }: Created): string {
  const times = `{"created_at":"${at}","updated_at":"${at}","version":1`;
  const belonging = `${member("org", org)}${member("team", team)}`;
  if (author === undefined) return `${times}${belonging}}`;
  const { actor, owner } = author;
  const ownership = `${member("owner", owner)}${member("created_by", actor)}${member("updated_by", actor)}`;
  return `${times}${ownership}${belonging}${chainOf(author)}}`;
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
  { org, team }: Belonging = belongingOf(stored),
): string {
  const { created_at, owner, created_by } = stored;
  const created = created_at === undefined ? "" : `"created_at":${JSON.stringify(created_at)},`;
  const ownership = `${member("owner", owner)}${member("created_by", created_by)}${member("updated_by", author?.actor)}`;
  const belonging = `${member("org", org)}${member("team", team)}`;
  return `{${created}"updated_at":"${at}","version":${version}${ownership}${belonging}${chainOf(author)}}`;
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

/** A write by anything else than a chain of runs takes the mark of the last one away. */
function chainOf(author: Author | undefined): string {
  if (author?.chain === undefined) return "";
  const { root, depth } = author.chain;
  return member("chain", { root, depth });
}

function member(name: string, value: JsonValue | undefined): string {
  return value === undefined ? "" : `,"${name}":${JSON.stringify(value)}`;
}

/** What engines keep beside the text of a document with this `_meta`, in whatever state it is. */
export function timesIn(meta: JsonObject): Pick<DocumentWrite, "createdAt" | "deletedAt" | "purgeAt"> {
  const deletedAt = instant(meta["deleted_at"]);
  const purgeAt = instant(meta["purge_at"]);
  return {
    createdAt: createdAt(meta),
    ...(deletedAt !== undefined && { deletedAt }),
    ...(purgeAt !== undefined && { purgeAt }),
  };
}

function instant(value: JsonValue | undefined): number | undefined {
  return typeof value === "string" ? Date.parse(value) : undefined;
}

/** When a document was created, in epoch milliseconds. */
export function createdAt(meta: JsonObject): number {
  const { created_at } = meta;
  const at = typeof created_at === "string" ? Date.parse(created_at) : Number.NaN;
  return Number.isNaN(at) ? 0 : at;
}
