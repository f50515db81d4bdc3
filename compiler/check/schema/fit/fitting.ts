/** What in schemas no value fits, values in them that do not fit, and keywords that mean nothing where they stand. */
import type { JsonObject, JsonValue } from "../../../../runtime/json.ts";
import { diagnose } from "../../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../../diagnostics/diagnostic.ts";
import { keyOf, type Part } from "../../../schema/place.ts";
import { childrenOf, schemasIn } from "../../../schema/walk.ts";
import type { ModelledRealm } from "../../../settings/subject.ts";
import { spanAt } from "../spans.ts";
import { idleKeywords } from "./idle.ts";
import { fitting } from "./misfit.ts";
import type { Misfit } from "./reasons.ts";
import { refutation, shown } from "./refutation.ts";

/** Of every schema of the realm. @param applied the places of schemas whose `default` is set, and so looked at elsewhere */
export function schemaFits(
  { schemas, files, faults }: Pick<ModelledRealm, "schemas" | "files" | "faults">,
  applied: ReadonlySet<string>,
): Diagnostic[] {
  const { misfitOf } = fitting();
  // Misfits in `not` and `if` let the value pass.
  const judged = schemas.flatMap((site) => [
    ...schemasIn(site, ({ keyword }) => keyword !== "not" && keyword !== "if"),
  ]);
  return judged.flatMap((part) => [...misfits(part), ...misfitValues(part), ...idle(part)]);

  function misfits(part: Part): Diagnostic[] {
    const found = misfitOf(part);
    return found === undefined ? [] : [found, ...(found.others ?? [])].flatMap(told);
  }

  function told(found: Misfit): Diagnostic[] {
    if (found.told || found.never || isFaulty(found)) return [];
    const { reason, other } = found;
    const related =
      other === undefined
        ? undefined
        : [{ message: "the other half stands here", span: spanAt(files, other) }];
    return [
      diagnose(
        "schema-unfittable",
        spanAt(files, found),
        { reason },
        related === undefined ? {} : { related },
      ),
    ];
  }

  function isFaulty({ path, at, other }: Misfit): boolean {
    return faults.touch(path, at) || (other !== undefined && faults.touch(other.path, other.at));
  }

  /** Mistakes in schemas inside of it say nothing of it. */
  function isFaultyItself(part: Part): boolean {
    const { path, at, schema } = part;
    if (faults.pointersIn(path).length === 0) return false;
    const inside = new Set(childrenOf(part).map(({ keyword }) => keyword));
    return Object.keys(schema).some(
      (keyword) => !inside.has(keyword) && faults.touch(path, [...at, keyword]),
    );
  }

  function misfitValues(part: Part): Diagnostic[] {
    if (isFaultyItself(part) || misfitOf(part) !== undefined) return [];
    return valuesIn(part.schema).flatMap(({ what, value, at }) => {
      if (at[0] === "default" && applied.has(keyOf(part))) return [];
      const problem = refutation(value, [part]);
      if (problem === undefined) return [];
      const span = spanAt(files, part, at);
      return [diagnose("schema-value-misfit", span, { what, value: shown(value), problem })];
    });
  }

  function idle(part: Part): Diagnostic[] {
    if (isFaultyItself(part)) return [];
    return idleKeywords(part).map(({ keyword, why }) =>
      diagnose("schema-keyword-unused", spanAt(files, part, [keyword], "key"), {
        keyword,
        why,
      }),
    );
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
