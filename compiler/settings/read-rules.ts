import type { Collection, RuleSource } from "../model/model.ts";
import type { CompiledRule, CompiledRules } from "../rules/compiled.ts";

interface ReadRule {
  /** In words. */
  readonly rule: string;
  readonly compiled: CompiledRule;
  readonly source: RuleSource;
  readonly isOfField: boolean;
}

/** The rules that decide what a reader receives. */
export function readRules({ rules, fieldRules }: Collection, compiled: CompiledRules): ReadRule[] {
  const own = { rule: "the read rule", source: rules.read, by: compiled.rules.read, isOfField: false };
  const ofFields = fieldRules.map(({ path, read }) => ({
    rule: `the read rule of the field '${path}'`,
    source: read,
    by: compiled.fieldRules.find((each) => each.path === path)?.read,
    isOfField: true,
  }));
  return [own, ...ofFields].flatMap(({ source, by, ...rest }) =>
    source === undefined || by === undefined ? [] : [{ ...rest, source, compiled: by }],
  );
}
