/** Types of bodies: which of them a route takes, and what is said of others. */
import { mediaTypes } from "../contract/contract.ts";
import { ApiError } from "../errors.ts";

/** What a route takes. */
export type Media = keyof typeof mediaTypes;

/**
 * @param header the request's `Content-Type`
 * @throws ApiError `unsupported_media_type`, which says what was sent and what to send
 */
export function requireMediaType(header: string | undefined, media: Media): void {
  const taken: readonly string[] = mediaTypes[media];
  if (header !== undefined && (taken.includes(header) || taken.includes(mediaTypeOf(header) ?? ""))) return;
  throw new ApiError("unsupported_media_type", `${sent(header, taken)}; send ${wanted[media]}.`);
}

/** Whether it is what forms of pages are sent as. @param type in lower case */
export function isForm(type: string): boolean {
  return type.startsWith("multipart/") || type === "application/x-www-form-urlencoded";
}

/** The type in lower case; undefined where there is any parameter but `charset=utf-8`. */
function mediaTypeOf(header: string): string | undefined {
  const found = /^[ \t]*([^\s;]+)[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i.exec(header);
  return found?.[1]?.toLowerCase();
}

/** What to send, and as which type; of patches why, since JSON could be meant otherwise. */
const wanted: Readonly<Record<Media, string>> = {
  json: "a JSON object as application/json",
  merge: "a JSON object as application/json or application/merge-patch+json",
  patch:
    "application/merge-patch+json, since a JSON Merge Patch (RFC 7396) is what is applied here: null removes a member, absent ones stay",
  any: "bytes",
  tus: "bytes of the file as application/offset+octet-stream",
  form: "a form as multipart/form-data",
};

/** Nothing of a header is repeated but a type of the usual form. */
function sent(header: string | undefined, taken: readonly string[]): string {
  if (header === undefined || header.trim() === "") return "The body has no Content-Type";
  const type = /^[ \t]*([\w!#$&^.+*-]{1,64}\/[\w!#$&^.+*-]{1,64})[ \t]*(?:;|$)/
    .exec(header)?.[1]
    ?.toLowerCase();
  if (type === undefined) return "The Content-Type is no media type";
  if (taken.includes(type)) return `The Content-Type ${type} has a parameter other than charset=utf-8`;
  if (type.includes("*")) return `The Content-Type is ${type}, which names no type`;
  return `The Content-Type is ${type}${isForm(type) ? ", and forms are not taken here" : ""}`;
}
