import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";

/** How the values of a parameter stand in a query string. */
export interface Wire {
  write(value: JsonValue): string;
  /** Undefined for a text that stands for no value. */
  read(text: string): JsonValue | undefined;
}

/**
 * By the parameter's own description: JSON where it has `content`, else by the type of its schema.
 * @param follow the schema that a `$ref` names
 */
export function wireOf(parameter: JsonObject, follow: (schema: JsonValue | undefined) => JsonObject): Wire {
  if (isJsonObject(parameter["content"])) return json;
  const { type } = follow(parameter["schema"]);
  if (type === "array") return list;
  return type === "string" || type === undefined ? plain : scalar;
}

const plain: Wire = { write: String, read: (text) => text };

const json: Wire = { write: (value) => JSON.stringify(value), read: parsed };

/** Numbers and booleans; what is neither is left to its schema. */
const scalar: Wire = { write: String, read: (text) => parsed(text) ?? text };

/** Style `form`, not exploded; commas in parentheses are part of an element. */
const list: Wire = {
  write: (value) => (Array.isArray(value) ? value.join(",") : String(value)),
  read: (text) => text.split(/,(?![^()]*\))/),
};

export function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
