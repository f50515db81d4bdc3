import { isJsonObject, type JsonObject, objectIn } from "../json.ts";

/**
 * Documents as text, in the form in which they are stored and answered: `id` first, the document's own members, `_meta`
 * last. Strings are put together so that nothing is serialised twice, and cut apart so that nothing is parsed for its
 * `_meta` alone.
 */

/** @param meta the text of `_meta` */
export function documentText(id: string, members: JsonObject, meta: string): string {
  const text = JSON.stringify(members);
  // Ids need no escapes: see isId().
  return text === "{}"
    ? `{"id":"${id}","_meta":${meta}}`
    : `{"id":"${id}",${text.slice(1, -1)},"_meta":${meta}}`;
}

/** A stored document; `_meta` is an object even where there is none in the text. */
export interface ParsedDocument extends JsonObject {
  _meta: JsonObject;
}

export function parseDocument(text: string): ParsedDocument {
  const document: ParsedDocument = JSON.parse(text);
  if (!isJsonObject(document._meta)) document._meta = {};
  return document;
}

/** A stored document cut in two. */
export interface SplitDocument {
  /** Everything before `_meta`. */
  readonly head: string;
  readonly meta: JsonObject;
}

const marker = ',"_meta":';

export function splitDocument(text: string): SplitDocument {
  const at = text.lastIndexOf(marker);
  if (at > 0) {
    // Where it is no object, what stood before it was not the document's own `_meta`.
    const meta = objectIn(text.slice(at + marker.length, -1));
    if (meta !== undefined) return { head: text.slice(0, at), meta };
  }
  const { _meta, ...members } = parseDocument(text);
  return { head: JSON.stringify(members).slice(0, -1), meta: _meta };
}

/**
 * The document with another `_meta`.
 * @param meta its text
 */
export function withMeta({ head }: SplitDocument, meta: string): string {
  return `${head}${marker}${meta}}`;
}

/** A document found by relevance, as it is answered. */
export function withScore(text: string, score: number): string {
  const parts = splitDocument(text);
  return withMeta(parts, JSON.stringify({ ...parts.meta, score }));
}
