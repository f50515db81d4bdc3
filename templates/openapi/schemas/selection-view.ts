import { isPart, type Part, type Place, referred } from "../../../compiler/schema/place.ts";
import type { JsonObject, JsonValue } from "../../../runtime/json.ts";
import { mapKeyword } from "./keywords.ts";
import type { SchemaPool } from "./pool.ts";

/**
 * What a schema describes with any of its members left out, at every depth: an expanded document of which some fields were
 * selected. Accepts whatever a selection can make of a valid value; of members that the schema does not name it says
 * nothing.
 */
export function selectionView(pool: SchemaPool, place: Place): JsonObject {
  if (!isPart(place) || isWhole(place)) return pool.embed(place);
  const result: JsonObject = {};
  const all: JsonValue[] = [];
  const view = (inner: Place): JsonValue =>
    typeof inner.schema === "boolean" ? inner.schema : selectionView(pool, inner);
  for (const keyword of Object.keys(place.schema)) {
    if (lost.has(keyword)) continue;
    // Elements of which nothing is selected are left out, so that the others stand elsewhere.
    if (keyword === "items" && place.schema.prefixItems !== undefined) continue;
    if (keyword === "$ref") {
      const there = referred(place);
      if (there) {
        const whole = isPart(there) && isWhole(there);
        const selected = whole
          ? pool.component(there, "", (at) => pool.embed(at))
          : pool.component(there, "Selection", (at) => selectionView(pool, at));
        Object.assign(result, selected);
      }
    } else if (keyword === "oneOf") {
      // What tells the branches apart may have been left out.
      all.push({ anyOf: mapKeyword(place, keyword, view) });
    } else {
      const mapped = mapKeyword(place, keyword, view);
      if (mapped !== undefined) result[keyword] = mapped;
    }
  }
  if (all.length > 0) result.allOf = [...(Array.isArray(result.allOf) ? result.allOf : []), ...all];
  return result;
}

/** Whether the schema accepts scalars alone, of which nothing can be left out. */
function isWhole({ schema: { type, enum: values, const: only } }: Part): boolean {
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined) return !types.includes("object") && !types.includes("array");
  const allowed = only === undefined ? values : [only];
  return (
    Array.isArray(allowed) && allowed.every((value: JsonValue) => value === null || typeof value !== "object")
  );
}

/** Speak of the members or elements that are there, or compare them whole. */
const lost: ReadonlySet<string> = new Set([
  "additionalProperties",
  "const",
  "contains",
  "default",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "enum",
  "examples",
  "if",
  "maxContains",
  "maxProperties",
  "minContains",
  "minItems",
  "minProperties",
  "not",
  "patternProperties",
  "prefixItems",
  "propertyNames",
  "required",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
  "uniqueItems",
]);
