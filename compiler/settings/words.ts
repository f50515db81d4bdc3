/** Values in the messages of changes. */
import type { JsonType } from "../schema/shapes.ts";

/** `'a', 'b'` of values in canonical JSON. */
export function listed(values: readonly string[]): string {
  return values.map(shown).join(", ");
}

/** A value in canonical JSON as messages show it: texts in single quotes. */
export function shown(text: string): string {
  return text.startsWith('"') ? `'${text.slice(1, -1).replaceAll('\\"', '"')}'` : text;
}

/** `string or number`; `number` covers whole numbers. */
export function describeTypes(types: ReadonlySet<JsonType>): string {
  const named = [...types].filter((type) => type !== "null" && !(type === "integer" && types.has("number")));
  if (named.length === 0) return "nothing";
  return named.length === 5 ? "anything" : named.join(" or ");
}

/** What is in the first and not in the second. */
function missing<T>(from: readonly T[], others: readonly T[]): T[] {
  return from.filter((each) => !others.includes(each));
}

/** What went and what came, in one line each; empty where nothing did. */
export function turnover(old: readonly string[], now: readonly string[]): { gone: string; added: string } {
  return { gone: missing(old, now).join(", "), added: missing(now, old).join(", ") };
}

/** Where what is on a scale, from the narrowest to the widest, has moved to. */
export function movedOn<T>(scale: readonly T[], old: T, now: T): "narrowed" | "widened" | undefined {
  if (old === now) return undefined;
  return scale.indexOf(now) < scale.indexOf(old) ? "narrowed" : "widened";
}

interface Pair<T> {
  readonly name: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** What has the same name on both sides. */
export function pairs<T extends { readonly name: string }>(
  old: readonly T[],
  now: readonly T[],
): readonly Pair<T>[] {
  const names = [...new Set([...old, ...now].map(({ name }) => name))].sort();
  return names.map((name) => ({
    name,
    before: old.find((each) => each.name === name),
    after: now.find((each) => each.name === name),
  }));
}
