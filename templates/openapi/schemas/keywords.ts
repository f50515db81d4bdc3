import { mapSubschemas } from "../../../compiler/schema/walk.ts";
import type { JsonObject, JsonValue } from "../../../runtime/json.ts";

/**
 * One keyword's value with every subschema in it passed through `change`; undefined for a keyword that the description
 * leaves out: definitions, because references lead to components, and words of others, because OpenAPI may mean something
 * by them (`discriminator`, `xml`).
 */
export function mapKeyword(
  keyword: string,
  held: JsonValue,
  change: (subschema: JsonValue) => JsonValue,
): JsonValue | undefined {
  if (!described.has(keyword)) return undefined;
  return typeof held === "object" ? mapSubschemas({ [keyword]: held }, change)[keyword] : held;
}

/** A copy of an object with each value changed; safe for every member name. */
export function mapMembers(
  members: JsonObject,
  change: (value: JsonValue, name: string) => JsonValue,
): JsonObject {
  const entries = Object.entries(members);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value === undefined ? value : change(value, name)]),
  );
}

/** Keywords of draft 2020-12 (and ours) that say something to clients; references are treated apart. */
const described: ReadonlySet<string> = new Set([
  "additionalProperties",
  "allOf",
  "anyOf",
  "const",
  "contains",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "default",
  "dependentRequired",
  "dependentSchemas",
  "deprecated",
  "description",
  "else",
  "enum",
  "examples",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "if",
  "items",
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "not",
  "oneOf",
  "pattern",
  "patternProperties",
  "prefixItems",
  "properties",
  "propertyNames",
  "readOnly",
  "required",
  "then",
  "title",
  "type",
  "unevaluatedItems",
  "unevaluatedProperties",
  "uniqueItems",
  "writeOnly",
  "x-svc-slow-pattern",
  "x-svc-store",
]);
