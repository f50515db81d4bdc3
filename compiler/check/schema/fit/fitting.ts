/** What in schemas no value fits, values in them that do not fit, and keywords that mean nothing where they stand. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../runtime/json.ts";
import { diagnose } from "../../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../../diagnostics/diagnostic.ts";
import { valueAt } from "../../../model/pointers.ts";
import { subschemas } from "../../../model/subschemas.ts";
import type { ModelledRealm, SchemaSite } from "../../../settings/subject.ts";
import { locate, pointerOf } from "../../../source/source.ts";
import { idleKeywords } from "./idle.ts";
import { fitting } from "./misfit.ts";
import type { Documents, Part } from "./places.ts";
import type { Misfit } from "./reasons.ts";
import { refutation, shown } from "./refutation.ts";

/** Of every schema of the realm. */
export function schemaFits({
  schemas,
  files,
  faults,
}: Pick<ModelledRealm, "schemas" | "files" | "faults">): Diagnostic[] {
  const documentOf: Documents = (path) => files.get(path)?.value;
  const { misfitOf } = fitting(documentOf);
  return schemas.flatMap((site) =>
    partsOf(site).flatMap((part) => [...misfits(part), ...misfitValues(part), ...idle(part)]),
  );

  function misfits(part: Part): Diagnostic[] {
    const found = misfitOf(part);
    return found === undefined ? [] : [found, ...(found.others ?? [])].flatMap(told);
  }

  function told(found: Misfit): Diagnostic[] {
    if (found.told || found.never || isFaulty(found)) return [];
    const { reason, other } = found;
    const related =
      other === undefined ? undefined : [{ message: "the other half stands here", span: spanOf(other) }];
    return [
      diagnose("schema-unfittable", spanOf(found), { reason }, related === undefined ? {} : { related }),
    ];
  }

  function isFaulty({ path, at, other }: Misfit): boolean {
    return faults.touch(path, at) || (other !== undefined && faults.touch(other.path, other.at));
  }

  /** Mistakes in schemas inside of it say nothing of it. */
  function isFaultyItself({ path, at, schema }: Part): boolean {
    if (faults.pointersIn(path).length === 0) return false;
    const inside = new Set(subschemas(schema).map(({ keyword }) => keyword));
    return Object.keys(schema).some(
      (keyword) => !inside.has(keyword) && faults.touch(path, [...at, keyword]),
    );
  }

  function misfitValues(part: Part): Diagnostic[] {
    if (isFaultyItself(part) || misfitOf(part) !== undefined) return [];
    return valuesIn(part.schema).flatMap(({ what, value, at }) => {
      const problem = refutation(value, [part], documentOf);
      if (problem === undefined) return [];
      const span = spanOf({ path: part.path, at: [...part.at, ...at] });
      return [diagnose("schema-value-misfit", span, { what, value: shown(value), problem })];
    });
  }

  function idle(part: Part): Diagnostic[] {
    if (isFaultyItself(part)) return [];
    return idleKeywords(part, documentOf).map(({ keyword, why }) =>
      diagnose("schema-keyword-unused", spanOf({ path: part.path, at: [...part.at, keyword] }, "key"), {
        keyword,
        why,
      }),
    );
  }

  function spanOf({ path, at }: Pick<Misfit, "path" | "at">, target: "key" | "value" = "value") {
    const file = files.get(path);
    if (file === undefined) throw new Error(`no file ${path}`);
    return locate(file, at, target);
  }
}

/** Every schema written in a file, but for those whose misfits let the value pass. */
function partsOf({ file, at }: SchemaSite): Part[] {
  const found: Part[] = [];
  visit(valueAt(file.value, pointerOf(at)), at);
  return found;

  function visit(schema: JsonValue | undefined, place: readonly string[]): void {
    if (!isJsonObject(schema)) return;
    found.push({ path: file.path, at: place, schema });
    for (const each of subschemas(schema))
      if (each.keyword !== "not" && each.keyword !== "if") visit(each.schema, [...place, ...each.path]);
  }
}

interface PlacedValue {
  /** In messages. */
  readonly what: string;
  readonly value: JsonValue;
  readonly at: readonly string[];
}

function valuesIn({ default: preset, examples, enum: listed }: JsonObject): PlacedValue[] {
  const each = (keyword: string, what: string, values: JsonValue | undefined): PlacedValue[] =>
    Array.isArray(values)
      ? values.map((value: JsonValue, at) => ({ what, value, at: [keyword, String(at)] }))
      : [];
  return [
    ...(preset === undefined ? [] : [{ what: "the default", value: preset, at: ["default"] }]),
    ...each("examples", "the example", examples),
    ...each("enum", "the value of the enum", listed),
  ];
}
