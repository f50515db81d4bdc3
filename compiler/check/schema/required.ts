/** Required fields that no object can have. */
import { isJsonObject, type JsonValue } from "../../../runtime/json.ts";
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { didYouMean } from "../../diagnostics/suggest.ts";
import type { Faults } from "../../model/faults.ts";
import { valueAt } from "../../model/pointers.ts";
import { visitSchemas } from "../../model/subschemas.ts";
import type { SchemaSite } from "../../settings/subject.ts";
import { locate, pointerOf } from "../../source/source.ts";
import { mayMatch } from "../patterns.ts";

/** `required` beside `additionalProperties: false`, which lets nothing else through than is declared beside it. */
export function requiredFields({ file, at }: SchemaSite, faults: Faults): Diagnostic[] {
  const found: Diagnostic[] = [];
  visitSchemas(valueAt(file.value, pointerOf(at)) ?? {}, at, (schema, place) => {
    const { required, properties, patternProperties, additionalProperties } = schema;
    if (!Array.isArray(required) || additionalProperties !== false) return;
    const declaring = ["properties", "patternProperties"];
    if (declaring.some((keyword) => faults.cover(file.path, [...place, keyword]))) return;
    const declared = isJsonObject(properties) ? Object.keys(properties) : [];
    const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
    required.forEach((field: JsonValue, index) => {
      if (typeof field !== "string" || declared.includes(field)) return;
      if (patterns.some((pattern) => mayMatch(pattern, field))) return;
      const hint = didYouMean(field, declared) ?? "declare it under properties";
      const span = locate(file, [...place, "required", index]);
      found.push(diagnose("schema-required-field", span, { field }, { hint }));
    });
  });
  return found;
}
