/** Changing JSON Schemas without changing them. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { subschemas } from "../model/subschemas.ts";

/** A copy of `schema` with each direct subschema replaced by what `change` makes of it. */
export function mapSubschemas(schema: JsonObject, change: (subschema: JsonValue) => JsonValue): JsonObject {
  const result: JsonObject = { ...schema };
  const held = new Map<string, Map<string, JsonValue>>();
  for (const { schema: inner, keyword, path } of subschemas(schema)) {
    const [, step] = path;
    if (step === undefined) result[keyword] = change(inner);
    else held.set(keyword, (held.get(keyword) ?? new Map()).set(step, change(inner)));
  }
  for (const [keyword, members] of held) {
    result[keyword] = Array.isArray(schema[keyword]) ? [...members.values()] : Object.fromEntries(members);
  }
  return result;
}

/** A copy of `members` with each value changed; safe for every member name. */
export function mapMembers(
  members: JsonObject,
  change: (value: JsonValue, name: string) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, value === undefined ? value : change(value, name)]),
  );
}

/** Whether any value in `value`, or the name of any member, is `text`. */
export function mentions(value: JsonValue | undefined, text: string): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, text));
  if (!isJsonObject(value)) return value === text;
  return Object.hasOwn(value, text) || Object.values(value).some((member) => mentions(member, text));
}
