import type { Filter } from "../../../filter/algebra.ts";
import { passesArray } from "../../../filter/fields.ts";
import { midnightForms } from "../../../filter/instants.ts";
import { heldAs, keyExpression } from "../expressions.ts";

/** What a filter says about keys, by their SQL. */
export interface Narrowing {
  readonly constants: ReadonlySet<string>;
  readonly ranges: ReadonlySet<string>;
  /** What it asks at all. */
  readonly asked: ReadonlySet<string>;
}

export function narrowingOf(filter: Filter): Narrowing {
  const constants = new Set(constantsIn(filter).keys());
  return { constants, ranges: rangesIn(filter), asked: askedIn(filter) };
}

/** What a filter holds to one value: the value, or null where there is to be none, by the key's SQL. */
export function constantsIn(filter: Filter): ReadonlyMap<string, string | number | null> {
  const constants = new Map<string, string | number | null>();
  for (const part of conditionsOf(filter)) {
    const constant = constantOf(part);
    if (constant !== undefined) constants.set(constant.key, constant.value);
    else if (part.op === "not" && part.of.op === "exists" && !passesArray(part.of.field))
      constants.set(keyExpression(part.of.field), null);
  }
  return constants;
}

/** A key, and the one value that a condition wants it to have. */
export function constantOf(
  part: Filter,
): { readonly key: string; readonly value: string | number } | undefined {
  if (part.op !== "eq" || passesArray(part.field) || midnightForms(part.field, part.value) !== undefined)
    return undefined;
  const { field, value } = part;
  const type = typeof value === "string" ? "text" : typeof value;
  if (heldAs(field) !== type) return undefined;
  return { key: keyExpression(field), value: typeof value === "boolean" ? Number(value) : value };
}

/** What a filter wants a range of, by the key's SQL. */
function rangesIn(filter: Filter): ReadonlySet<string> {
  const ranges = new Set<string>();
  for (const part of conditionsOf(filter)) {
    if (part.op in rangeOps && "field" in part && !passesArray(part.field))
      ranges.add(keyExpression(part.field));
  }
  return ranges;
}

/** The keys that the conditions of a filter are about. */
function askedIn(filter: Filter): ReadonlySet<string> {
  const asked = new Set<string>();
  for (const part of conditionsOf(filter)) {
    const condition = part.op === "not" ? part.of : part;
    if ("field" in condition && !passesArray(condition.field)) asked.add(keyExpression(condition.field));
  }
  return asked;
}

const rangeOps: Partial<Record<Filter["op"], true>> = {
  lt: true,
  lte: true,
  gt: true,
  gte: true,
  between: true,
};

/** What a filter is a conjunction of. */
export function conditionsOf(filter: Filter): readonly Filter[] {
  return filter.op === "and" ? filter.of : [filter];
}
