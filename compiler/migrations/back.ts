/** The way back through steps that lose nothing. */
import type { JsonObject } from "../../runtime/json.ts";
import type { Step } from "../model/migrations.ts";

/** The texts that a field of the old form has, where the schema lists them. */
export type KnownTexts = (field: string) => readonly string[] | undefined;

/** The steps that undo others; undefined where a document does not tell what it was before. */
export function wayBack(
  steps: readonly Step[],
  texts: KnownTexts = () => undefined,
): readonly Step[] | undefined {
  const undone = steps.map((step) => inverseOf(step, texts)).filter((step) => step !== undefined);
  return undone.length === steps.length && steps.length > 0 ? undone.reverse() : undefined;
}

/** Of a step under a condition it is not known for which documents it was done. */
function inverseOf(step: Step, texts: KnownTexts): Step | undefined {
  if (step.when !== undefined) return undefined;
  if (step.kind === "rename") return { kind: "rename", from: step.to, to: step.from };
  const values = step.kind === "map" ? turned(step.values, texts(step.field)) : undefined;
  return step.kind === "map" && values !== undefined ? { ...step, values } : undefined;
}

/** The table read from right to left; undefined where it does not lead from texts to texts, one to one. */
function turned(values: JsonObject, known: readonly string[] = []): JsonObject | undefined {
  const back = new Map(
    Object.entries(values).flatMap(([from, to]) => (typeof to === "string" ? [[to, from] as const] : [])),
  );
  // What the table does not name stays, and must not look like what comes of it.
  const isMixed = known.some((text) => back.has(text) && !Object.hasOwn(values, text));
  return back.size === Object.keys(values).length && !isMixed ? Object.fromEntries(back) : undefined;
}
