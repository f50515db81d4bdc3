import type { Filter } from "./algebra.ts";
import type { Field } from "./fields.ts";

/** Whether a filter asks for a field that satisfies the predicate. */
export function asksFor(filter: Filter, isSuch: (field: Field) => boolean): boolean {
  switch (filter.op) {
    case "true":
    case "false":
      return false;
    case "and":
    case "or":
      return filter.of.some((part) => asksFor(part, isSuch));
    case "not":
      return asksFor(filter.of, isSuch);
    case "search":
      return filter.index.fields.some(({ field }) => isSuch(field));
    default:
      return isSuch(filter.field);
  }
}
