/** The order of lists, made again from documents: with it both agree about every pair. */
import { compareText } from "../text-order.ts";

/** What a field holds, where it is no text: `instant` for days and instants together. */
export type OrderKinds = Readonly<Record<string, "number" | "boolean" | "instant">>;

type Compare<D> = (a: D, b: D) => number;

/** @param kinds of the fields that do not hold text */
export function orderOf<D extends object>(keys: readonly string[], kinds: OrderKinds): Compare<D> {
  const named = keys.length === 0 ? ["_meta.created_at"] : keys;
  const all = named.some((key) => /^-?id$/.test(key)) ? named : [...named, "id"];
  const comparisons = all.map((key): Compare<D> => {
    const path = key.replace(/^-/, "");
    const segments = path.split(".");
    const kind = Object.hasOwn(kinds, path) ? kinds[path] : undefined;
    const value = (document: D) => sortValue(document, segments, kind);
    return key.startsWith("-")
      ? (a, b) => compareSortValues(value(b), value(a))
      : (a, b) => compareSortValues(value(a), value(b));
  });
  return (a, b) => {
    for (const compare of comparisons) {
      const difference = compare(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

type SortValue = string | number | null;

/** Null for what is absent, and for what is not of the field's kind: documents may be older than their schema. */
function sortValue(
  document: object,
  segments: readonly string[],
  kind: OrderKinds[string] | undefined,
): SortValue {
  let found: unknown = document;
  for (const name of segments) {
    if (typeof found !== "object" || found === null || Array.isArray(found)) return null;
    found = Object.getOwnPropertyDescriptor(found, name)?.value;
  }
  if (kind === "number") return typeof found === "number" ? found : null;
  if (kind === "boolean") return typeof found === "boolean" ? Number(found) : null;
  if (typeof found !== "string") return null;
  return kind === "instant" && /^\d{4}-\d{2}-\d{2}$/.test(found) ? `${found}T00:00:00.000Z` : found;
}

function compareSortValues(a: SortValue, b: SortValue): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === "number" || typeof b === "number") return Number(a) - Number(b);
  return compareText(a, b);
}
