import type { JsonObject } from "../../../runtime/json.ts";
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { objectOf } from "../../model/given.ts";
import { targetOf, valueAt } from "../../model/pointers.ts";
import type { ModelledRealm } from "../../settings/subject.ts";
import { locate, nodeAt, pointerOf, type SourceFile } from "../../source/source.ts";

/**
 * A schema of documents says `type: object` itself; one of profiles, which stands inside of realm.yaml, may leave that to
 * the schema that it refers to. `what`: of whom, for the message.
 */
export function objectAtTop(
  file: SourceFile,
  at: readonly string[],
  what: string,
  { files, faults }: Pick<ModelledRealm, "files" | "faults">,
): Diagnostic[] {
  if (["type", "$ref"].some((keyword) => faults.touch(file.path, [...at, keyword]))) return [];
  const schema = objectOf(valueAt(file.value, pointerOf(at)));
  if (schema.type === "object" || (at.length > 0 && refersToObject(schema, file.path, files))) return [];
  const hasType = nodeAt(file, [...at, "type"]) !== undefined;
  return [diagnose("schema-not-object", locate(file, hasType ? [...at, "type"] : at), { what })];
}

function refersToObject({ $ref }: JsonObject, from: string, files: ReadonlyMap<string, SourceFile>): boolean {
  const target = typeof $ref === "string" ? targetOf($ref, from) : undefined;
  const file = target === undefined ? undefined : files.get(target.path);
  if (target === undefined || file === undefined) return false;
  return objectOf(valueAt(file.value, target.pointer)).type === "object";
}
