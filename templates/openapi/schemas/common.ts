import type { JsonObject } from "../../../runtime/json.ts";
import type { Ref, SchemaPool } from "./pool.ts";

export const timestamp = { type: "string", format: "date-time" } as const;

/** An object with exactly these members; all of them are required, or those named. */
export function closed(
  properties: JsonObject,
  required: readonly string[] = Object.keys(properties),
): JsonObject {
  return {
    type: "object",
    ...(required.length > 0 && { required: [...required] }),
    properties,
    additionalProperties: false,
  };
}

/** A list as every list of this API is answered. */
export function listSchema(items: Ref, further: JsonObject, required: readonly string[]): JsonObject {
  return {
    type: "object",
    required: ["items", ...required],
    properties: { items: { type: "array", items }, ...further },
  };
}

/** A page of a list outside documents (api-decisions: Shapes and statuses). */
export function addPage(pool: SchemaPool, name: string, entry: Ref): Ref {
  const further = {
    has_more: { type: "boolean" },
    next_cursor: { type: "string", description: "Present when there is more." },
  };
  return pool.add(name, listSchema(entry, further, ["has_more"]));
}
