/** Forms of the rule language that the filter algebra has no leaf for, built from those it has. */
import { and, type Filter, not, or } from "../filter/algebra.ts";

/** `condition ? yes : no` where the condition looks at the document. */
export function choose(condition: Filter, yes: Filter, no: Filter): Filter {
  return or(and(condition, yes), and(not(condition), no));
}

/** Longest text of a document that is looked for at an end of the caller's. */
const longest = 256;

/**
 * What `text` starts with, from the empty text to 256 code points: `user.email.startsWith(document.prefix)` is
 * membership among them.
 */
export function beginnings(text: string | null | undefined): readonly string[] | undefined {
  if (text === null || text === undefined) return undefined;
  const points = Array.from(text).slice(0, longest);
  return Array.from({ length: points.length + 1 }, (_, size) => points.slice(0, size).join(""));
}

/** What `text` ends with, from the empty text to 256 code points. */
export function endings(text: string | null | undefined): readonly string[] | undefined {
  if (text === null || text === undefined) return undefined;
  const points = Array.from(text).slice(-longest);
  return Array.from({ length: points.length + 1 }, (_, size) => points.slice(points.length - size).join(""));
}
