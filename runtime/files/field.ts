/** A file field as routes know it, and what documents have in it. */
import type { Access } from "../documents/access.ts";
import type { Collection } from "../documents/collection.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { FileField, FileObject } from "../realm/files.ts";

/** The file objects that a document has in a field. */
export function filesIn(document: JsonObject, { name }: Pick<FileField, "name">): readonly FileObject[] {
  const held = Object.hasOwn(document, name) ? document[name] : undefined;
  const each: readonly (JsonValue | undefined)[] = Array.isArray(held) ? held : [held];
  return each.filter(isFileObject);
}

/** What stood there before the field was one of files is none. */
function isFileObject(value: JsonValue | undefined): value is JsonObject & FileObject {
  if (!isJsonObject(value)) return false;
  const { id, name, type, size, sha256 } = value;
  return (
    [id, name, type, sha256].every((text) => typeof text === "string") &&
    typeof size === "number" &&
    typeof value["created_at"] === "string"
  );
}

/** The member of a document that holds the files; undefined: it has none. */
export function memberOf({ maxFiles }: FileField, files: readonly FileObject[]): JsonValue | undefined {
  if (files.length === 0) return undefined;
  const objects = files.map(jsonOf);
  return maxFiles === 1 ? objects[0] : objects;
}

/** A file as documents have it. */
export function jsonOf({ versions, ...file }: FileObject): JsonObject {
  return { ...file, ...(versions !== undefined && { versions: { ...versions } }) };
}

/** Whether the field is hidden from the caller in this document. */
export function isHidden(
  { fieldRules }: Collection,
  { context }: Access,
  document: JsonObject,
  { name }: Pick<FileField, "name">,
): boolean {
  if (fieldRules === undefined || context === undefined) return false;
  return fieldRules.hidden(context, document).some((path) => path.length === 1 && path[0] === name);
}
