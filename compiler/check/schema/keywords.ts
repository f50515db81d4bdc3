/** Formats and patterns of a schema file. */

import { didYouMean } from "../../../runtime/suggest.ts";
import { formats } from "../../../runtime/validation/formats.ts";
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { patternProblem } from "../../model/pattern-problem.ts";
import type { Place } from "../../schema/place.ts";
import { acceptedLength, slowPatternKeyword } from "../../schema/slow-pattern.ts";
import { namedIn, schemasIn } from "../../schema/walk.ts";
import type { PlacedPattern } from "../patterns.ts";
import { type Files, spanAt } from "./spans.ts";

const formatNames = Object.keys(formats);

/** Formats that the validators do not know. */
export function unknownFormats(site: Place, files: Files): Diagnostic[] {
  return [...schemasIn(site)].flatMap((part) => {
    const { format } = part.schema;
    if (typeof format !== "string" || formatNames.includes(format)) return [];
    const hint = didYouMean(format, formatNames) ?? `known are ${formatNames.join(", ")}`;
    return [diagnose("schema-format", spanAt(files, part, ["format"]), { format }, { hint })];
  });
}

/** Every `pattern` and every key of `patternProperties`. */
export function patternsOf(site: Place, files: Files): PlacedPattern[] {
  const found: PlacedPattern[] = [];
  for (const part of schemasIn(site)) {
    const { pattern, [slowPatternKeyword]: accepted } = part.schema;
    if (typeof pattern === "string") {
      found.push({
        pattern,
        span: spanAt(files, part, ["pattern"]),
        of: "value",
        ...(accepted === undefined ? {} : { accepted: { maxLength: acceptedLength(part.schema) } }),
      });
    }
    for (const [each] of namedIn(part, "patternProperties")) {
      const span = spanAt(files, part, ["patternProperties", each], "key");
      found.push({ pattern: each, span, of: "name" });
    }
  }
  return found;
}

/** Patterns that are no regular expressions. */
export function patterns(site: Place, files: Files): Diagnostic[] {
  return patternsOf(site, files).flatMap(({ pattern, span }) => {
    const problem = patternProblem(pattern);
    return problem === undefined ? [] : [diagnose("schema-pattern", span, { problem })];
  });
}
