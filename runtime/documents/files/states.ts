import { isJsonObject, type JsonValue } from "../../json.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";

/** Of the text of a document as it is shown. */
export type UnreadyStates = (text: string) => string | undefined;

/**
 * What changes in a document without a new version of it: the states of its images' versions (files.md, Fine points), as a
 * text; undefined where all of them are ready, or there are none.
 */
export function unreadyStates({ files = [] }: CollectionDefinition): UnreadyStates | undefined {
  const names = files.filter(({ versions }) => versions !== undefined).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return (text) => {
    if (!text.includes('"pending"') && !text.includes('"failed"')) return undefined;
    const document: Record<string, JsonValue> = JSON.parse(text);
    const states = names
      .flatMap((name) => (Object.hasOwn(document, name) ? document[name] : []) ?? [])
      .flatMap((file) => (isJsonObject(file) && isJsonObject(file["versions"]) ? [file["versions"]] : []));
    const isReady = states.every((of) => Object.values(of).every((state) => state === "ready"));
    return isReady ? undefined : JSON.stringify(states);
  };
}
