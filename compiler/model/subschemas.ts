/** Where JSON Schema draft 2020-12 has schemas inside schemas. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";

/** Keywords whose value is a schema, an array of schemas, or an object of schemas. */
const single = [
  "additionalProperties",
  "propertyNames",
  "unevaluatedProperties",
  "items",
  "contains",
  "unevaluatedItems",
  "contentSchema",
  "not",
  "if",
  "then",
  "else",
];
const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
const maps = ["properties", "patternProperties", "$defs", "dependentSchemas"];

/** Keywords whose schemas look at the same value as the schema around them. */
export const inPlace: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
]);

export interface Subschema {
  readonly schema: JsonValue;
  readonly keyword: string;
  /** From the schema around it: `["properties", "title"]`. */
  readonly path: readonly string[];
}

/** The schemas directly inside of a schema. */
export function subschemas(schema: JsonObject): Subschema[] {
  const found: Subschema[] = [];
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    if (value === undefined) continue;
    if (single.includes(keyword)) found.push({ schema: value, keyword, path: [keyword] });
    else if (lists.includes(keyword) && Array.isArray(value)) {
      value.forEach((each: JsonValue, at) => {
        found.push({ schema: each, keyword, path: [keyword, String(at)] });
      });
    } else if (maps.includes(keyword) && isJsonObject(value)) {
      for (const [name, each] of Object.entries(value)) {
        if (each !== undefined) found.push({ schema: each, keyword, path: [keyword, name] });
      }
    }
  }
  return found;
}

/** Whether what stands at these steps from a schema, if anything does, stands where a schema does. */
export function leadsToSchema(steps: readonly string[]): boolean {
  for (let at = 0; at < steps.length; ) {
    const keyword = steps[at] ?? "";
    if (single.includes(keyword)) at += 1;
    else if ((lists.includes(keyword) || maps.includes(keyword)) && at + 1 < steps.length) at += 2;
    else return false;
  }
  return true;
}

/** Visits a schema and every schema written inside of it; `$ref`s are not followed. */
export function visitSchemas(
  schema: JsonValue,
  at: readonly string[],
  visit: (schema: JsonObject, at: readonly string[]) => void,
): void {
  if (!isJsonObject(schema)) return;
  visit(schema, at);
  for (const each of subschemas(schema)) visitSchemas(each.schema, [...at, ...each.path], visit);
}
