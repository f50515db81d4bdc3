import type { Filter, Scalar } from "./algebra.ts";
import type { Field } from "./fields.ts";
import { formsOf } from "./predicate.ts";

/** A value that a field reaches, as it may be stored. */
export interface Anchor {
  readonly field: Field;
  readonly value: Scalar;
}

/**
 * Values of which every document of the filter has one at least; it may hold for fewer documents than have one. None at
 * all where it holds for no document, undefined where it does not come down to equalities.
 */
export function anchorsOf(filter: Filter): readonly Anchor[] | undefined {
  switch (filter.op) {
    case "false":
      return [];
    case "eq":
      return anchors(filter.field, [filter.value]);
    case "in":
      return anchors(filter.field, filter.values);
    case "and":
      return fewest(filter.of);
    case "or":
      return all(filter.of);
    default:
      return undefined;
  }
}

function anchors(field: Field, values: readonly Scalar[]): readonly Anchor[] {
  return values.flatMap((value) => formsOf(field, value).map((form) => ({ field, value: form })));
}

/** Every part holds, so that any of them may tell. */
function fewest(parts: readonly Filter[]): readonly Anchor[] | undefined {
  let found: readonly Anchor[] | undefined;
  for (const part of parts) {
    const own = anchorsOf(part);
    if (own !== undefined && (found === undefined || own.length < found.length)) found = own;
  }
  return found;
}

/** Any part may hold, so that all of them must tell. */
function all(parts: readonly Filter[]): readonly Anchor[] | undefined {
  const found: Anchor[] = [];
  for (const part of parts) {
    const own = anchorsOf(part);
    if (own === undefined) return undefined;
    found.push(...own);
  }
  return found;
}
