import { hash } from "node:crypto";
import { ApiError } from "../errors.ts";

/** What `If-Match` asks for: any existing document, or one of these versions. */
export type IfMatch = "any" | readonly string[];

/**
 * Tag of a document (spec: Concurrency 4): its quoted version (`"0"` for one written before versioning), and a suffix
 * where fields are hidden from the caller.
 */
export function documentTag(version: number, hidden: readonly string[] = []): string {
  return hidden.length === 0 ? `"${version}"` : `"${version}.r${shortHash([...hidden].sort().join("\n"))}"`;
}

function shortHash(text: string): string {
  return hash("sha256", text).slice(0, 8);
}

/** Tag of a list, from a text that names all that it shows. */
export function listTag(shown: string): string {
  return `W/"${hash("sha256", shown, "base64url").slice(0, 22)}"`;
}

const tag = /[\t ]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*)?(?:,|$)/y;
const bareVersion = /^[\t ]*\d+[\t ]*$/;
const ownTag = /^(\d+)(?:\.r[0-9a-f]{8})?$/;

interface EntityTag {
  readonly weak: boolean;
  readonly value: string;
}

/** The tags of a list, empty elements left out (RFC 9110, 5.6.1); undefined where it is none. */
function parseTags(header: string): readonly EntityTag[] | undefined {
  const tags: EntityTag[] = [];
  tag.lastIndex = 0;
  while (tag.lastIndex < header.length) {
    const match = tag.exec(header);
    if (match === null) return undefined;
    if (match[2] !== undefined) tags.push({ weak: match[1] !== undefined, value: match[2] });
  }
  return tags.length > 0 ? tags : undefined;
}

/**
 * Reads an `If-Match` header (spec: Concurrency 1); undefined where there is none. Weak tags and tags that are not ours
 * are well formed and match nothing; of a tag with a representation suffix only the version counts.
 * @throws ApiError `invalid_header`
 */
export function parseIfMatch(header: string | undefined): IfMatch | undefined {
  if (header === undefined) return undefined;
  const condition = readIfMatch(header);
  if (condition !== undefined) return condition;
  throw new ApiError("invalid_header", "If-Match is not a list of entity tags.", {
    details: [{ path: "If-Match", reason: 'must be a quoted version such as "3", a list of them, or *' }],
  });
}

/** Reads the `if_match` of a batch operation, which may also be a version without quotes; undefined if malformed. */
export function readBatchIfMatch(value: string): IfMatch | undefined {
  return bareVersion.test(value) ? [value.trim()] : readIfMatch(value);
}

function readIfMatch(value: string): IfMatch | undefined {
  if (value.trim() === "*") return "any";
  const tags = parseTags(value);
  if (tags === undefined) return undefined;
  return tags.flatMap((entry) => (entry.weak ? [] : (ownTag.exec(entry.value)?.[1] ?? [])));
}

export function versionMatches(condition: IfMatch, version: number): boolean {
  return condition === "any" || condition.includes(String(version));
}

/**
 * Whether `If-None-Match` names the tag of what would be answered, so that 304 says enough (spec: Concurrency 3). Tags
 * compare weakly; a malformed header names none.
 */
export function namesTag(header: string | undefined, current: string): boolean {
  if (header === undefined) return false;
  if (header === current || header.trim() === "*") return true;
  const value = opaque(current);
  return parseTags(header)?.some((entry) => entry.value === value) ?? false;
}

function opaque(current: string): string {
  return current.slice(current.indexOf('"') + 1, -1);
}
