/** Required fields that no object can have. */
import type { JsonValue } from "../../../runtime/json.ts";
import { didYouMean } from "../../../runtime/suggest.ts";
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Faults } from "../../model/faults.ts";
import type { Place } from "../../schema/place.ts";
import { namedIn, schemasIn } from "../../schema/walk.ts";
import { mayMatch } from "../patterns.ts";
import { type Files, spanAt } from "./spans.ts";

/** `required` beside `additionalProperties: false`, which lets nothing else through than is declared beside it. */
export function requiredFields(site: Place, files: Files, faults: Faults): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const part of schemasIn(site)) {
    const { required, additionalProperties } = part.schema;
    if (!Array.isArray(required) || additionalProperties !== false) continue;
    const declaring = ["properties", "patternProperties"];
    if (declaring.some((keyword) => faults.cover(part.path, [...part.at, keyword]))) continue;
    const [declared = [], patterns = []] = declaring.map((keyword) =>
      namedIn(part, keyword).map(([name]) => name),
    );
    required.forEach((field: JsonValue, index) => {
      if (typeof field !== "string" || declared.includes(field)) return;
      if (patterns.some((pattern) => mayMatch(pattern, field))) return;
      const hint = didYouMean(field, declared) ?? "declare it under properties";
      const span = spanAt(files, part, ["required", index]);
      found.push(diagnose("schema-required-field", span, { field }, { hint }));
    });
  }
  return found;
}
