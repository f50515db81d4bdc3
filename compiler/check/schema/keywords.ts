/** Formats and patterns of a schema file. */
import { isJsonObject } from "../../../runtime/json.ts";
import { formats } from "../../../runtime/validation/formats.ts";
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { didYouMean } from "../../diagnostics/suggest.ts";
import { patternProblem } from "../../model/pattern-problem.ts";
import { valueAt } from "../../model/pointers.ts";
import { acceptedLength, slowPatternKeyword } from "../../model/slow-pattern.ts";
import { visitSchemas } from "../../model/subschemas.ts";
import type { SchemaSite } from "../../settings/subject.ts";
import { locate, pointerOf } from "../../source/source.ts";
import type { PlacedPattern } from "../patterns.ts";

const formatNames = Object.keys(formats);

/** Formats that the validators do not know. */
export function unknownFormats({ file, at }: SchemaSite): Diagnostic[] {
  const found: Diagnostic[] = [];
  visitSchemas(valueAt(file.value, pointerOf(at)) ?? {}, at, ({ format }, place) => {
    if (typeof format !== "string" || formatNames.includes(format)) return;
    const span = locate(file, [...place, "format"]);
    const hint = didYouMean(format, formatNames) ?? `known are ${formatNames.join(", ")}`;
    found.push(diagnose("schema-format", span, { format }, { hint }));
  });
  return found;
}

/** Every `pattern` and every key of `patternProperties`. */
export function patternsOf({ file, at }: SchemaSite): PlacedPattern[] {
  const found: PlacedPattern[] = [];
  visitSchemas(valueAt(file.value, pointerOf(at)) ?? {}, at, (schema, place) => {
    const { pattern, patternProperties, [slowPatternKeyword]: accepted } = schema;
    if (typeof pattern === "string") {
      found.push({
        pattern,
        span: locate(file, [...place, "pattern"]),
        of: "value",
        ...(accepted === undefined ? {} : { accepted: { maxLength: acceptedLength(schema) } }),
      });
    }
    for (const each of Object.keys(isJsonObject(patternProperties) ? patternProperties : {})) {
      const span = locate(file, [...place, "patternProperties", each], "key");
      found.push({ pattern: each, span, of: "name" });
    }
  });
  return found;
}

/** Patterns that are no regular expressions. */
export function patterns(site: SchemaSite): Diagnostic[] {
  return patternsOf(site).flatMap(({ pattern, span }) => {
    const problem = patternProblem(pattern);
    return problem === undefined ? [] : [diagnose("schema-pattern", span, { problem })];
  });
}
