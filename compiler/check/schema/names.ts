/** Names of fields that no document can have, or that the server owns. */
import type { JsonValue } from "../../../runtime/json.ts";
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../../diagnostics/diagnostic.ts";
import { isFieldName, reservedFields } from "../../model/fields.ts";
import { keyword } from "../../schema/keywords.ts";
import { isPart, keyOf, type Part, type Place, referred } from "../../schema/place.ts";
import { childrenOf, namedIn, schemasIn } from "../../schema/walk.ts";
import { diagnose as diagnoseFile } from "../../settings/files/codes.ts";
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
  return partsAtTop(root).flatMap((part) => {
    const declared = propertyNames(part);
    return [
      ...[...reservedFields]
        .filter((field) => declared.includes(field))
        .map((field) =>
          diagnose("schema-reserved-field", spanAt(files, part, ["properties", field], "key"), { field }),
        ),
      ...requiredIn(part, reservedFields, files).map(({ field, span }) =>
        diagnose("schema-reserved-field", span, { field }),
      ),
    ];
  });
}

/** File fields that the schema of documents requires. */
export function requiredFiles(root: Place, names: ReadonlySet<string>, files: Files): Diagnostic[] {
  if (names.size === 0) return [];
  return partsAtTop(root).flatMap((part) =>
    requiredIn(part, names, files).map(({ field, span }) =>
      diagnoseFile("file-required", span, { name: field }),
    ),
  );
}

/** Those of some names that a schema requires, and where. */
function requiredIn(
  part: Part,
  names: ReadonlySet<string>,
  files: Files,
): readonly { readonly field: string; readonly span: Span }[] {
  const { required } = part.schema;
  if (!Array.isArray(required)) return [];
  return required.flatMap((field: JsonValue, index) =>
    typeof field === "string" && names.has(field)
      ? [{ field, span: spanAt(files, part, ["required", index]) }]
      : [],
  );
}

/** The schemas that apply to a document itself. */
function partsAtTop(root: Place): readonly Part[] {
  const seen = new Set<string>();
  const found: Part[] = [];
  const waiting = [root];
  for (const place of waiting) {
    if (seen.has(keyOf(place)) || !isPart(place)) continue;
    seen.add(keyOf(place));
    found.push(place);
    waiting.push(...childrenOf(place).filter((child) => keyword(child.keyword).inPlace));
    const target = referred(place);
    if (target !== undefined) waiting.push(target);
  }
  return found;
}
