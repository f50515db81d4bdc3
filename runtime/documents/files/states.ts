import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { VersionState } from "../../realm/files.ts";

/**
 * What a document says of a version of one of its files. Nothing of what is no image, and of what was declared after the
 * file came: that is made for the first who asks.
 * @param file as the document has it
 */
export function stateOf(file: JsonObject, version: string): VersionState | undefined {
  const { versions } = file;
  const state = isJsonObject(versions) && Object.hasOwn(versions, version) ? versions[version] : undefined;
  return state === "ready" || state === "pending" || state === "failed" ? state : undefined;
}

/** Of the text of a document as it is shown. */
export type UnreadyStates = (text: string) => string | undefined;

/**
 * What changes in a document without a new version of it: the states of its images' versions (files.md, Fine points), as a
 * text; undefined where all that it tells of are ready.
 */
export function unreadyStates({ files = [] }: CollectionDefinition): UnreadyStates | undefined {
  const fields = files.map(({ name, versions = {} }) => ({ name, versions: Object.keys(versions) }));
  if (fields.every(({ versions }) => versions.length === 0)) return undefined;
  return (text) => {
    if (!text.includes('"pending"') && !text.includes('"failed"')) return undefined;
    const document: Record<string, JsonValue> = JSON.parse(text);
    const states = fields.flatMap(({ name, versions }) => {
      const held = Object.hasOwn(document, name) ? document[name] : undefined;
      const each = Array.isArray(held) ? held : [held];
      return each.filter(isJsonObject).flatMap((file) => versions.map((version) => stateOf(file, version)));
    });
    const isUnready = states.some((state) => state === "pending" || state === "failed");
    return isUnready ? JSON.stringify(states) : undefined;
  };
}
