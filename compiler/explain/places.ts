/** The rules of a collection, and how the command line names them. */

import { type Collection, type RuleSource, ruleNames } from "../model/model.ts";
import type { CompiledRule, CompiledRules, RulePlace } from "../rules/compiled.ts";

export interface PlacedRule {
  readonly place: RulePlace;
  readonly source: RuleSource;
  readonly rule: CompiledRule;
}

/** In the order of the documentation. */
export function rulesOf({ rules, fieldRules }: Collection, compiled: CompiledRules): readonly PlacedRule[] {
  const placed = (place: RulePlace, source: RuleSource | undefined, rule: CompiledRule | undefined) =>
    source === undefined || rule === undefined ? [] : [{ place, source, rule }];
  return [
    ...ruleNames.flatMap((name) => placed(name, rules[name], compiled.rules[name])),
    ...fieldRules.flatMap(({ path, ...sources }) => {
      const own = compiled.fieldRules.find((each) => each.path === path);
      return (["read", "write"] as const).flatMap((of) =>
        placed({ field: path, of }, sources[of], own?.[of]),
      );
    }),
  ];
}

/** `read`, `fields.salary.write`. */
export function placeName(place: RulePlace): string {
  return typeof place === "string" ? place : `fields.${place.field}.${place.of}`;
}

/** As it stands in the settings: ruleNames under `rules`. */
export function settingName(name: string): string {
  return name.startsWith("fields.") ? name : `rules.${name}`;
}

/** Whether a word names a rule of some collection. */
export function isPlaceName(word: string): boolean {
  return ruleNames.some((name) => name === word) || /^fields\..+\.(?:read|write)$/.test(word);
}
