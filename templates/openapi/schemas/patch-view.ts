import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import { mapKeyword, mapMembers } from "./keywords.ts";
import { type Place, target, targetKey, within } from "./place.ts";
import type { SchemaPool } from "./pool.ts";

/**
 * A JSON Merge Patch (RFC 7396) for what a schema describes: every member may be left out, `null` removes it, objects merge
 * member by member, everything else is replaced whole. Whether the merged document fits is for the schema to say, so this
 * accepts every patch that may lead to a valid document.
 */
export function patchView(pool: SchemaPool, place: Place): JsonObject {
  const { value } = place;
  if (!isJsonObject(value)) return {};
  const result: JsonObject = {};
  const all: JsonValue[] = [];
  const patch = (child: JsonValue): JsonObject => patchView(pool, within(place, child));
  for (const [keyword, held] of Object.entries(value)) {
    if (held === undefined || aboutResult.has(keyword)) continue;
    if (keyword === "$ref") {
      const there = target(place, held);
      if (there)
        Object.assign(
          result,
          pool.component(there, "Patch", (at) => patchView(pool, at)),
        );
    } else if ((keyword === "properties" || keyword === "patternProperties") && isJsonObject(held)) {
      result[keyword] = mapMembers(held, (child) => member(pool, within(place, child)));
    } else if (keyword === "additionalProperties") {
      // Where it refuses, a patch may still remove what an older schema let in.
      if (isJsonObject(held)) result[keyword] = member(pool, within(place, held));
    } else if (keyword === "oneOf") {
      all.push({ anyOf: mapKeyword(keyword, held, patch) });
    } else if (keyword === "allOf" || keyword === "anyOf") {
      result[keyword] = mapKeyword(keyword, held, patch);
    } else {
      const copied = mapKeyword(keyword, held, (child) => pool.embedValue(within(place, child)));
      if (copied !== undefined) result[keyword] = copied;
    }
  }
  if (all.length > 0) result.allOf = [...(Array.isArray(result.allOf) ? result.allOf : []), ...all];
  return result;
}

function member(pool: SchemaPool, place: Place): JsonValue {
  if (place.value === true) return true;
  if (place.value === false) return { type: "null" };
  if (!isJsonObject(place.value)) return pool.embedValue(place);
  const replaced = !mayBeObject(place, new Set());
  return nullable(replaced ? pool.embed(place) : patchView(pool, place));
}

/** Whether a schema accepts some object, which a patch would merge instead of replacing. */
function mayBeObject(place: Place, seen: ReadonlySet<string>): boolean {
  const { value } = place;
  if (!isJsonObject(value)) return value !== false;
  if (typeof value.type === "string" && value.type !== "object") return false;
  if (Array.isArray(value.type) && !value.type.includes("object")) return false;
  if (value.const !== undefined && !isJsonObject(value.const)) return false;
  if (Array.isArray(value.enum) && !value.enum.some(isJsonObject)) return false;
  const branches = (keyword: string): readonly Place[] => {
    const held = value[keyword];
    return Array.isArray(held) ? held.map((child: JsonValue) => within(place, child)) : [];
  };
  if (!branches("allOf").every((child) => mayBeObject(child, seen))) return false;
  for (const keyword of ["anyOf", "oneOf"]) {
    const some = branches(keyword);
    if (some.length > 0 && !some.some((child) => mayBeObject(child, seen))) return false;
  }
  const there = target(place, value.$ref);
  return !there || seen.has(targetKey(there)) || mayBeObject(there, new Set([...seen, targetKey(there)]));
}

function nullable(schema: JsonObject): JsonObject {
  const { type } = schema;
  if (Object.keys(schema).some((keyword) => composing.has(keyword)) || type === undefined) {
    return { anyOf: [schema, { type: "null" }] };
  }
  const types = Array.isArray(type) ? type : [type];
  const values = schema.enum;
  return {
    ...schema,
    type: types.includes("null") ? type : [...types, "null"],
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
  };
}

/** Keywords by which a schema could refuse `null` although its type allows it. */
const composing: ReadonlySet<string> = new Set(["$ref", "allOf", "anyOf", "const", "if", "not", "oneOf"]);

/** Speak of the merged document, not of the patch. */
const aboutResult: ReadonlySet<string> = new Set([
  "const",
  "default",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "enum",
  "examples",
  "if",
  "maxProperties",
  "minProperties",
  "not",
  "propertyNames",
  "required",
  "then",
  "unevaluatedProperties",
]);
