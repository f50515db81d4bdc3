import type { Filter, Scalar } from "./algebra.ts";
import { type Field, passesArray } from "./fields.ts";

/**
 * The values of a field that documents of a filter may have: each of them has one of these there. Undefined where the
 * filter does not confine the field to some; it may hold for fewer than are named.
 */
export function confinedTo(filter: Filter, field: Field): ReadonlySet<Scalar> | undefined {
  return passesArray(field) ? undefined : valuesIn(filter, field.path);
}

function valuesIn(filter: Filter, path: string): ReadonlySet<Scalar> | undefined {
  switch (filter.op) {
    case "false":
      return new Set();
    case "eq":
      return filter.field.path === path ? new Set([filter.value]) : undefined;
    case "in":
      return filter.field.path === path ? new Set(filter.values) : undefined;
    case "and":
      return fewest(filter.of, path);
    case "or":
      return all(filter.of, path);
    default:
      return undefined;
  }
}

/** Every part holds, so that any of them may tell. */
function fewest(parts: readonly Filter[], path: string): ReadonlySet<Scalar> | undefined {
  let found: ReadonlySet<Scalar> | undefined;
  for (const part of parts) {
    const values = valuesIn(part, path);
    if (values !== undefined && (found === undefined || values.size < found.size)) found = values;
  }
  return found;
}

/** Any part may hold, so that all of them must tell. */
function all(parts: readonly Filter[], path: string): ReadonlySet<Scalar> | undefined {
  const found = new Set<Scalar>();
  for (const part of parts) {
    const values = valuesIn(part, path);
    if (values === undefined) return undefined;
    for (const value of values) found.add(value);
  }
  return found;
}
