/** A schema that leads back to itself without going into the value: a validator would never end. */
import { isJsonObject, type JsonValue } from "../../../runtime/json.ts";
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { targetOf, valueAt } from "../../model/pointers.ts";
import { inPlace, subschemas, visitSchemas } from "../../model/subschemas.ts";
import type { SchemaSite } from "../../settings/subject.ts";
import { locate, pathOf, pointerOf, type SourceFile } from "../../source/source.ts";

/** Longer ways are not followed; schemas that have them are refused as too large. */
const MAX_WAY = 500;

export function referenceLoops(
  sites: readonly SchemaSite[],
  files: ReadonlyMap<string, SourceFile>,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const done = new Set<string>();
  for (const { file, at } of sites) {
    visitSchemas(valueAt(file.value, pointerOf(at)) ?? {}, at, (_, place) => follow(file, place, []));
  }
  return found;

  /** `way`: the schemas passed through without going into the value. */
  function follow(file: SourceFile, at: readonly string[], way: readonly string[]): void {
    const key = `${file.path}#${pointerOf(at)}`;
    const schema: JsonValue | undefined = valueAt(file.value, pointerOf(at));
    if (done.has(key) || !isJsonObject(schema) || way.length > MAX_WAY) return;
    const target = typeof schema.$ref === "string" ? targetOf(schema.$ref, file.path) : undefined;
    const next = target === undefined ? undefined : files.get(target.path);
    const passed = [...way, key];
    if (target !== undefined && next !== undefined) {
      const back = `${target.path}#${target.pointer}`;
      if (passed.includes(back)) found.push(diagnose("ref-loop", locate(file, [...at, "$ref"]), {}));
      else follow(next, pathOf(target.pointer), passed);
    }
    for (const each of subschemas(schema))
      if (inPlace.has(each.keyword)) follow(file, [...at, ...each.path], passed);
    done.add(key);
  }
}
