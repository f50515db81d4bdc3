/**
 * Lists and objects under `const` and `enum`, out of the reach of json-schema-to-typescript: they are data, and it takes what
 * stands in them (`$ref`, a member `hasOwnProperty`) for a schema's.
 */
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import { isJsonObject } from "../../runtime/json.ts";
import { mapSubschemas } from "./walk.ts";

export interface Hidden {
  /** The schema, with a string in the place of each such value. */
  readonly schema: JsonObject;
  /** Code that was made of `schema`, with the values as literal types. */
  readonly restore: (code: string) => string;
}

export function withoutStructuredValues(schema: JsonObject): Hidden {
  const text = JSON.stringify(schema);
  let mark = "value";
  while (text.includes(mark)) mark += "_";
  const values = new Map<string, string>();
  const hidden = (value: JsonValue): JsonValue => {
    if (typeof value !== "object" || value === null) return value;
    const literal = JSON.stringify(value);
    const name = values.get(literal) ?? `${mark}${values.size}`;
    values.set(literal, name);
    return name;
  };
  const replaced = hide(schema, hidden);
  const literals = new Map([...values].map(([literal, name]) => [name, literal]));
  const restore = (code: string): string =>
    code.replace(new RegExp(`"(${mark}\\d+)"`, "g"), (found, name: string) => literals.get(name) ?? found);
  return { schema: replaced, restore };
}

function hide(schema: JsonObject, hidden: (value: JsonValue) => JsonValue): JsonObject {
  const { const: one, enum: some } = schema;
  const own = {
    ...schema,
    ...(one === undefined ? {} : { const: hidden(one) }),
    ...(Array.isArray(some) ? { enum: some.map(hidden) } : {}),
  };
  return mapSubschemas(own, (inner) => (isJsonObject(inner) ? hide(inner, hidden) : inner));
}
