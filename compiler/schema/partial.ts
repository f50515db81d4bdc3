/** Schemas asked of a part of a document: whether some document that fits has these members, and others that are not said. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { keyword } from "./keywords.ts";
import type { Schema } from "./place.ts";
import { validatorFunction } from "./validator.ts";
import { mapSubschemas } from "./walk.ts";

/**
 * False only where no document that fits the schema has these members. What depends on members that are not said is left out:
 * `required` and its like, `not` and `if` over objects, that only one branch of a `oneOf` fits.
 */
export function partValidator(schema: Schema): (members: JsonObject) => boolean {
  const files = schema.files.map(({ path, document }) => ({ path, document: ofParts(document) }));
  return validatorFunction({ ...schema, document: ofParts(schema.document), files });
}

const ofWholes: ReadonlySet<string> = new Set([
  "required",
  "minProperties",
  "dependentRequired",
  "unevaluatedProperties",
  "unevaluatedItems",
]);

function ofParts(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const { oneOf, not, if: condition } = schema;
  const dropped = new Set([
    ...ofWholes,
    "oneOf",
    ...(not === undefined || isOfScalars(not) ? [] : ["not"]),
    ...(condition === undefined || isOfScalars(condition) ? [] : ["if", "then", "else"]),
  ]);
  const kept: JsonObject = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !dropped.has(keyword)),
  );
  if (oneOf !== undefined)
    kept["allOf"] = [...(Array.isArray(kept["allOf"]) ? kept["allOf"] : []), { anyOf: oneOf }];
  return mapSubschemas(kept, ofParts);
}

/** What a schema over scalars says does not depend on members. */
function isOfScalars(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return true;
  return Object.entries(schema).every(
    ([name, value]) =>
      isOfScalar(name) ||
      (["allOf", "anyOf", "oneOf"].includes(name) && Array.isArray(value) && value.every(isOfScalars)),
  );
}

function isOfScalar(name: string): boolean {
  const { holds, about, forPeople } = keyword(name);
  const isValue = ["type", "enum", "const", "$comment"].includes(name);
  return isValue || forPeople === true || (holds === "data" && (about === "number" || about === "string"));
}
