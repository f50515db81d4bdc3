import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { ApiError } from "../errors.ts";

/** What tags name: any existing document, or one of these versions. */
export type Versions = "any" | readonly string[];

/** What a write asks of the document that it finds (RFC 9110, 13.2.2). */
export interface Condition {
  /** `If-Match`: it has one of these. */
  readonly match?: Versions | undefined;
  /** `If-None-Match`: it has none of these. */
  readonly noneMatch?: Versions | undefined;
}

/**
 * Tag of a document (spec: Concurrency 4): its quoted version (`"0"` for one written before versioning), a suffix where
 * fields are hidden from the caller, and one where versions of its images are not ready (files.md, Fine points).
 * @param states what these are, if so
 */
export function documentTag(version: number, hidden: readonly string[] = [], states?: string): string {
  const view = hidden.length === 0 ? "" : `.r${short([...hidden].sort().join("\n"))}`;
  return states === undefined ? `"${version}${view}"` : `"${version}${view}.v${short(states)}"`;
}

function short(text: string): string {
  return hash("sha256", text).slice(0, 8);
}

/** Tag of a list, from a text that names all that it shows. */
export function listTag(shown: string): string {
  return `W/"${hash("sha256", shown, "base64url").slice(0, 22)}"`;
}

const tag = /[\t ]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*)?(?:,|$)/y;
const bareVersion = /^[\t ]*\d+[\t ]*$/;
const ownTag = /^(\d+)(?:\.r[0-9a-f]{8})?(?:\.v[0-9a-f]{8})?$/;

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
 * The condition in a write's headers; undefined where there is none. As in reads, a malformed `If-None-Match` names no tag.
 * @throws ApiError `invalid_header`
 */
export function conditionOf(headers: IncomingHttpHeaders): Condition | undefined {
  const match = parseIfMatch(headers["if-match"]);
  const noneMatch = versionsIn(headers["if-none-match"] ?? "", "weakly");
  return match === undefined && noneMatch === undefined ? undefined : { match, noneMatch };
}

/**
 * Reads an `If-Match` header (spec: Concurrency 1); undefined where there is none. Weak tags and tags that are not ours
 * are well formed and match nothing; of a tag with a representation suffix only the version counts.
 * @throws ApiError `invalid_header`
 */
export function parseIfMatch(header: string | undefined): Versions | undefined {
  if (header === undefined) return undefined;
  const versions = versionsIn(header, "strongly");
  if (versions !== undefined) return versions;
  throw new ApiError("invalid_header", "If-Match is not a list of entity tags.", {
    details: [{ path: "If-Match", reason: 'must be a quoted version such as "3", a list of them, or *' }],
  });
}

/** Reads the `if_match` of a batch operation, which may also be a version without quotes; undefined if malformed. */
export function readBatchIfMatch(value: string): Versions | undefined {
  return bareVersion.test(value) ? [value.trim()] : versionsIn(value, "strongly");
}

/** What the tags of a header name; undefined where it is malformed. A weak tag names a version only where tags compare weakly. */
function versionsIn(value: string, compared: "strongly" | "weakly"): Versions | undefined {
  if (value.trim() === "*") return "any";
  const tags = parseTags(value);
  if (tags === undefined) return undefined;
  return tags.flatMap((entry) =>
    entry.weak && compared === "strongly" ? [] : (ownTag.exec(entry.value)?.[1] ?? []),
  );
}

/** Whether a document of this version is what a write asks for. */
export function holds({ match, noneMatch }: Condition, version: number): boolean {
  return (
    (match === undefined || includes(match, version)) &&
    (noneMatch === undefined || !includes(noneMatch, version))
  );
}

function includes(versions: Versions, version: number): boolean {
  return versions === "any" || versions.includes(String(version));
}

/**
 * Whether `If-None-Match` names the tag of what would be answered, so that 304 says enough (spec: Concurrency 3). Tags
 * compare weakly; a malformed header names none.
 */
export function namesTag(header: string | undefined, current: string): boolean {
  if (header === undefined) return false;
  if (header === current || header.trim() === "*") return true;
  const value = current.slice(current.indexOf('"') + 1, -1);
  return parseTags(header)?.some((entry) => entry.value === value) ?? false;
}
