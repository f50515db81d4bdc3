/** Names of fields that no document can have, or that the server owns. */
import { isJsonObject, type JsonValue } from "../../../runtime/json.ts";
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { isFieldName, reservedFields } from "../../model/fields.ts";
import { targetOf, valueAt } from "../../model/pointers.ts";
import { inPlace, subschemas, visitSchemas } from "../../model/subschemas.ts";
import type { SchemaSite } from "../../settings/subject.ts";
import { locate, pathOf, pointerOf, type SourceFile } from "../../source/source.ts";

/** Names with dots, and names that start with `$`, anywhere in a file. */
export function fieldNames({ file, at }: SchemaSite): Diagnostic[] {
  const found: Diagnostic[] = [];
  visitSchemas(valueAt(file.value, pointerOf(at)) ?? {}, at, ({ properties }, place) => {
    if (!isJsonObject(properties)) return;
    for (const name of Object.keys(properties).filter((each) => !isFieldName(each))) {
      const problem = name === "" ? "is empty" : name.startsWith("$") ? "starts with $" : "contains a dot";
      const span = locate(file, [...place, "properties", name], "key");
      found.push(diagnose("schema-field-name", span, { field: name, problem }));
    }
  });
  return found;
}

/** Server-owned names at the top of a document, also through `$ref`, `allOf` and the like. */
export function reservedNames(root: SourceFile, files: ReadonlyMap<string, SourceFile>): Diagnostic[] {
  const found: Diagnostic[] = [];
  const seen = new Set<string>();
  const waiting: SchemaSite[] = [{ file: root, at: [] }];
  for (const next of waiting) visit(next);
  return found;

  function visit({ file, at }: SchemaSite): void {
    const key = `${file.path}#${pointerOf(at)}`;
    const schema: JsonValue | undefined = valueAt(file.value, pointerOf(at));
    if (seen.has(key) || !isJsonObject(schema)) return;
    seen.add(key);
    const { properties, required, $ref } = schema;
    for (const field of reservedFields) {
      const path = [...at, "properties", field];
      if (isJsonObject(properties) && properties[field] !== undefined) {
        found.push(diagnose("schema-reserved-field", locate(file, path, "key"), { field }));
      }
    }
    if (Array.isArray(required)) {
      required.forEach((field: JsonValue, index) => {
        if (typeof field !== "string" || !reservedFields.has(field)) return;
        found.push(diagnose("schema-reserved-field", locate(file, [...at, "required", index]), { field }));
      });
    }
    for (const each of subschemas(schema))
      if (inPlace.has(each.keyword)) waiting.push({ file, at: [...at, ...each.path] });
    const target = typeof $ref === "string" ? targetOf($ref, file.path) : undefined;
    const next = target === undefined ? undefined : files.get(target.path);
    if (target !== undefined && next !== undefined) waiting.push({ file: next, at: pathOf(target.pointer) });
  }
}
