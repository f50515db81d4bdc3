/** What emitted `defaults.ts` are made of. Nothing changes in place: what a client sent stays as it was. */
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";

/** The member of an object as `change` makes it, for a spread; nothing where the object has none of its own. */
export function inMember(
  object: JsonObject,
  name: string,
  change: (value: JsonValue) => JsonValue,
): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return value === undefined ? {} : { [name]: change(value) };
}

/** Changes objects, and leaves other values alone. */
export function inObject(change: (object: JsonObject) => JsonObject): (value: JsonValue) => JsonValue {
  return (value) => (isJsonObject(value) ? change(value) : value);
}

/** Changes each element of arrays, and leaves other values alone. */
export function inItems(change: (item: JsonValue) => JsonValue): (value: JsonValue) => JsonValue {
  return (value) => (Array.isArray(value) ? value.map((item: JsonValue) => change(item)) : value);
}
