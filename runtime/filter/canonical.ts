import { kept } from "../kept.ts";
import type { Filter } from "./algebra.ts";
import type { TextIndex } from "./search/text-index.ts";

/** Text indexes are known by identity: a number each, in the order in which they were met. */
const indexes = new WeakMap<TextIndex, number>();
let met = 0;

/**
 * A text that is the same of two filters where these are made of the same conditions, in whatever order and however often
 * each is said: then they are true of the same documents.
 */
export function canonicalKey(filter: Filter): string {
  switch (filter.op) {
    case "true":
    case "false":
      return filter.op;
    case "and":
    case "or":
      return `${filter.op}(${[...new Set(filter.of.map(canonicalKey))].sort().join()})`;
    case "not":
      return `not(${canonicalKey(filter.of)})`;
    case "search":
      return `search${JSON.stringify([numberOf(filter.index), filter.terms])}`;
    default: {
      const { op, field, ...rest } = filter;
      const { segments, arrays, kinds } = field;
      const own =
        "values" in rest ? rest.values.map((value) => JSON.stringify(value)).sort() : Object.values(rest);
      return `${op}${JSON.stringify([segments, arrays, [...kinds].sort(), ...own])}`;
    }
  }
}

function numberOf(index: TextIndex): number {
  return kept(indexes, index, () => {
    met += 1;
    return met;
  });
}
