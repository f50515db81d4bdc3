/** Names of fields that no document can have, or that the server owns. */
import type { JsonValue } from "../../../runtime/json.ts";
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { isFieldName, reservedFields } from "../../model/fields.ts";
import { keyword } from "../../schema/keywords.ts";
import { isPart, keyOf, type Part, type Place, referred } from "../../schema/place.ts";
import { childrenOf, namedIn, schemasIn } from "../../schema/walk.ts";
import { type Files, spanAt } from "./spans.ts";

/** Names with dots, and names that start with `$`, anywhere in a file. */
export function fieldNames(site: Place, files: Files): Diagnostic[] {
  return [...schemasIn(site)].flatMap((part) =>
    propertyNames(part).flatMap((name) => {
      if (isFieldName(name)) return [];
      const problem = name === "" ? "is empty" : name.startsWith("$") ? "starts with $" : "contains a dot";
      const span = spanAt(files, part, ["properties", name], "key");
      return [diagnose("schema-field-name", span, { field: name, problem })];
    }),
  );
}

function propertyNames(part: Part): string[] {
  return namedIn(part, "properties").map(([name]) => name);
}

/** Server-owned names at the top of a document, also through `$ref`, `allOf` and the like. */
export function reservedNames(root: Place, files: Files): Diagnostic[] {
  const found: Diagnostic[] = [];
  const seen = new Set<string>();
  const waiting = [root];
  for (const next of waiting) visit(next);
  return found;

  function visit(place: Place): void {
    if (seen.has(keyOf(place)) || !isPart(place)) return;
    seen.add(keyOf(place));
    const declared = propertyNames(place);
    for (const field of reservedFields)
      if (declared.includes(field))
        found.push(
          diagnose("schema-reserved-field", spanAt(files, place, ["properties", field], "key"), { field }),
        );
    const { required } = place.schema;
    if (Array.isArray(required)) {
      required.forEach((field: JsonValue, index) => {
        if (typeof field !== "string" || !reservedFields.has(field)) return;
        const span = spanAt(files, place, ["required", index]);
        found.push(diagnose("schema-reserved-field", span, { field }));
      });
    }
    waiting.push(...childrenOf(place).filter((child) => keyword(child.keyword).inPlace));
    const target = referred(place);
    if (target !== undefined) waiting.push(target);
  }
}
