/** What documents had, and a later schema refuses. */
import { fill } from "../diagnostics/diagnose.ts";
import { facetsOf } from "../schema/facets.ts";
import { type Place, placeOf, type Schema } from "../schema/place.ts";
import { checks, type Report } from "./catalogue.ts";
import { compareSchemas } from "./schema/compare.ts";

export interface Narrowing {
  /** `lines[].price`; empty for the document as a whole. */
  readonly field: string;
  readonly message: string;
}

/** Changes by which documents that are stored may be refused. */
const narrowing: ReadonlySet<string> = new Set([
  ...["field-added-required", "field-now-required", "type-narrowed", "type-changed", "null-refused"],
  ...["storage-changed", "value-removed", "values-introduced", "limit-tightened", "pattern-added"],
  ...["pattern-changed", "format-added", "format-changed", "items-unique", "members-refused"],
  ...["variant-removed", "variants-changed", "condition-added", "condition-changed"],
]);

/** Why documents of one schema may not fit another; empty where all do. */
export function narrowings(before: Schema, after: Schema): readonly Narrowing[] {
  const found: Narrowing[] = [];
  const report: Report = (check, where, parameters) => {
    const field = where.replace(/^\.?/, "");
    const isGone = check === "field-removed" && refusesOthers(placeOf(after), field);
    if (narrowing.has(check) || isGone)
      found.push({ field, message: fill(checks[check].message, parameters) });
  };
  compareSchemas(before, after, "", report);
  return found;
}

/** Whether the object that a field was a member of takes no members that it does not declare. */
function refusesOthers(top: Place, field: string): boolean {
  const around = field.includes(".") ? field.slice(0, field.lastIndexOf(".")) : "";
  const names = around.split(".").filter((name) => name !== "");
  const places = names.reduce(
    (at: readonly Place[], step) => {
      const name = step.replace(/(?:\[\])+$/, "");
      const lists = step.length - name.length;
      let inner: readonly Place[] = facetsOf(at).members.get(name) ?? [];
      for (let depth = 0; depth < lists; depth += "[]".length) inner = facetsOf(inner).items;
      return inner;
    },
    [top],
  );
  return facetsOf(places).closed;
}
