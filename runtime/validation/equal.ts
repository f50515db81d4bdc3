/** Equality of JSON values, as `const`, `enum` and `uniqueItems` mean it. */
import { isJsonObject, type JsonValue } from "../json.ts";

/** Whether two JSON values are equal; member order does not count. Never calls what a document holds. */
export function equal(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => equal(item, b[at]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) {
    const [left, right] = [a[name], b[name]];
    if (!Object.hasOwn(b, name) || left === undefined || right === undefined || !equal(left, right))
      return false;
  }
  return true;
}

/**
 * Positions of the first two equal items, or undefined where all differ. Linear in the size of the list, whatever a
 * client puts into it.
 */
export function duplicateItems(
  items: readonly JsonValue[],
): { readonly i: number; readonly j: number } | undefined {
  const seen = new Map<string | number | boolean | null, number>();
  const structures = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const j =
      typeof item === "object" && item !== null
        ? place(structures, canonicalText(item), i)
        : place(seen, item, i);
    if (j !== undefined) return { i, j };
  }
  return undefined;
}

function place<Key>(seen: Map<Key, number>, key: Key, at: number): number | undefined {
  const before = seen.get(key);
  if (before === undefined) seen.set(key, at);
  return before;
}

/** One text for all JSON values that are equal. */
export function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name] ?? null)}`);
  return `{${members.join()}}`;
}
