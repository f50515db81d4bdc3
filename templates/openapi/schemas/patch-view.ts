import { isPart, keyOf, type Place, referred } from "../../../compiler/schema/place.ts";
import { branchesOf } from "../../../compiler/schema/walk.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import { mapKeyword } from "./keywords.ts";
import type { SchemaPool } from "./pool.ts";

/**
 * A JSON Merge Patch (RFC 7396) for what a schema describes: every member may be left out, `null` removes it, objects merge
 * member by member, everything else is replaced whole. Whether the merged document fits is for the schema to say, so this
 * accepts every patch that may lead to a valid document.
 */
export function patchView(pool: SchemaPool, place: Place): JsonObject {
  if (!isPart(place)) return {};
  const result: JsonObject = {};
  const all: JsonValue[] = [];
  const patch = (inner: Place): JsonObject => patchView(pool, inner);
  for (const [keyword, held] of Object.entries(place.schema)) {
    if (aboutResult.has(keyword)) continue;
    if (keyword === "$ref") {
      const there = referred(place);
      if (there)
        Object.assign(
          result,
          pool.component(there, "Patch", (at) => patchView(pool, at)),
        );
    } else if (ofMembers.has(keyword)) {
      // Where it refuses, a patch may still remove what an older schema let in.
      if (isJsonObject(held)) result[keyword] = mapKeyword(place, keyword, (inner) => member(pool, inner));
    } else if (keyword === "oneOf") {
      all.push({ anyOf: mapKeyword(place, keyword, patch) });
    } else if (keyword === "allOf" || keyword === "anyOf") {
      result[keyword] = mapKeyword(place, keyword, patch);
    } else {
      const copied = mapKeyword(place, keyword, (inner) => pool.embedValue(inner));
      if (copied !== undefined) result[keyword] = copied;
    }
  }
  if (all.length > 0) result.allOf = [...(Array.isArray(result.allOf) ? result.allOf : []), ...all];
  return result;
}

function member(pool: SchemaPool, place: Place): JsonValue {
  if (place.schema === true) return true;
  if (place.schema === false) return { type: "null" };
  if (!isPart(place)) return pool.embedValue(place);
  const replaced = !mayBeObject(place, new Set());
  return nullable(replaced ? pool.embed(place) : patchView(pool, place));
}

/** Whether a schema accepts some object, which a patch would merge instead of replacing. */
function mayBeObject(place: Place, seen: ReadonlySet<string>): boolean {
  if (!isPart(place)) return place.schema !== false;
  const { schema: value } = place;
  if (typeof value.type === "string" && value.type !== "object") return false;
  if (Array.isArray(value.type) && !value.type.includes("object")) return false;
  if (value.const !== undefined && !isJsonObject(value.const)) return false;
  if (Array.isArray(value.enum) && !value.enum.some(isJsonObject)) return false;
  if (!branchesOf(place, "allOf").every((child) => mayBeObject(child, seen))) return false;
  for (const keyword of ["anyOf", "oneOf"]) {
    const some = branchesOf(place, keyword);
    if (some.length > 0 && !some.some((child) => mayBeObject(child, seen))) return false;
  }
  const there = referred(place);
  return !there || seen.has(keyOf(there)) || mayBeObject(there, new Set([...seen, keyOf(there)]));
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

/** Keywords whose schemas are those of members. */
const ofMembers: ReadonlySet<string> = new Set(["additionalProperties", "patternProperties", "properties"]);

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
