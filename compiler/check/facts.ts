/** Checks that need the facts derived from compiled rules. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Collection, RuleSource } from "../model/model.ts";
import type { CompiledRule, CompiledRules } from "../rules/compiled.ts";

/**
 * Public caching needs a read rule that anonymous callers can satisfy. What a shared cache keeps must not depend on the clock,
 * neither by that rule nor by the read rule of a field; where it depends on `appConfig`, that is said. Rules with
 * mistakes of their own are absent.
 */
export function publicCacheFacts(collection: Collection, compiled: CompiledRules): Diagnostic[] {
  const { publicCache } = collection;
  if (publicCache === undefined) return [];
  const { span, maxAge } = publicCache;
  return readRules(collection, compiled).flatMap(({ rule, compiled: { facts }, source, isOfField }) => {
    const related = [{ message: `${rule} stands here`, span: source.span }];
    const found: Diagnostic[] = [];
    if (!isOfField && !facts.anonymous) found.push(diagnose("cache-anonymous", span, {}, { related }));
    if (facts.readsClock) found.push(diagnose("cache-clock", span, { rule }, { related }));
    if (facts.readsAppConfig)
      found.push(diagnose("cache-app-config", span, { rule, seconds: maxAge }, { related }));
    return found;
  });
}

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
