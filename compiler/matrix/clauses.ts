/** The rules that decide about a column, where they stand. */
import type { Collection, RuleSource } from "../model/model.ts";
import { oneLine } from "../model/rule-source.ts";
import type { RulePlace } from "../rules/compiled.ts";
import { accessesOf, type Ruled } from "./accesses.ts";
import { collectionsOf, placeOf, type RuledRealm } from "./matrix.ts";

/** `desk/db/notes/collection.yaml:3 rules.read: document.public`, one for each. */
export function rulesOfColumn(realm: RuledRealm, place: string, column: string): readonly string[] {
  const ruled = collectionsOf(realm).find((each) => placeOf(each) === place);
  const access = ruled && accessesOf(ruled).find((each) => each.column === column);
  if (ruled === undefined || access === undefined) return [];
  const places = access.ways.flatMap(({ rules }) => rules.map((each) => each.place));
  const lines = places.flatMap((each) => ruleAtItsPlace(ruled, each) ?? []);
  return [...new Set(lines)];
}

/** Undefined where there is none. */
export function ruleAtItsPlace({ collection }: Ruled, place: RulePlace): string | undefined {
  const source = sourceOf(collection, place);
  if (source === undefined) return undefined;
  const { file, line } = source.span;
  const key = typeof place === "string" ? `rules.${source.key}` : `fields.${place.field}.${place.of}`;
  return `${file}:${line} ${key}: ${oneLine(source.text)}`;
}

function sourceOf({ rules, fieldRules }: Collection, place: RulePlace): RuleSource | undefined {
  if (typeof place === "string") return rules[place];
  return fieldRules.find(({ path }) => path === place.field)?.[place.of];
}
