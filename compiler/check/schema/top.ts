import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { locate, nodeAt, pointerOf, type SourceFile } from "../../load/source.ts";
import { objectOf } from "../../model/collection.ts";
import { valueAt } from "../../model/pointers.ts";

/** A schema of documents or profiles says `type: object` itself. `what`: of whom, for the message. */
export function objectAtTop(file: SourceFile, at: readonly string[], what: string): Diagnostic[] {
  const schema = objectOf(valueAt(file.value, pointerOf(at)));
  if (schema.type === "object") return [];
  const hasType = nodeAt(file, [...at, "type"]) !== undefined;
  return [diagnose("schema-not-object", locate(file, hasType ? [...at, "type"] : at), { what })];
}
