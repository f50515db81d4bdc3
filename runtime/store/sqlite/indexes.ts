import type { Filter } from "../../filter/algebra.ts";
import { documentFields } from "../../filter/fields.ts";
import type { CollectionShape } from "../contract.ts";
import { passesArray } from "./expressions.ts";

/** The paths of the fields that an index of the collection's table finds values of. */
export function indexedPaths({ indexes }: CollectionShape): ReadonlySet<string> {
  const paths = new Set<string>([documentFields.id.path, documentFields["_meta.created_at"].path]);
  for (const { keys } of indexes) {
    // An index begins with its first key without arrays; each of the others has a table of values.
    const first = keys.find(({ field }) => !passesArray(field));
    if (first !== undefined) paths.add(first.field.path);
    for (const { field } of keys) if (passesArray(field)) paths.add(field.path);
  }
  return paths;
}

/** Whether indexes can find the rows that satisfy the filter. */
export function isServed(filter: Filter, indexed: ReadonlySet<string>): boolean {
  switch (filter.op) {
    case "false":
      return true;
    case "and":
      return filter.of.some((part) => isServed(part, indexed));
    case "or":
      return filter.of.every((part) => isServed(part, indexed));
    case "true":
    case "not":
    case "exists":
    case "endsWith":
    case "contains":
      return false;
    default:
      return indexed.has(filter.field.path);
  }
}
