/** Warnings about indexes that need compiled rules: those that are missing, and those that tell what a rule hides. */
import { isWithin } from "../../runtime/filter/fields.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Collection, FieldRules, Realm } from "../model/model.ts";
import { missingIndexesOf } from "../plans/missing.ts";
import type { CompiledRule, CompiledRules } from "../rules/compiled.ts";
import type { Condition } from "../rules/form/form.ts";
import { implies } from "../rules/form/implication.ts";
import { ruleSpan } from "../rules/language/report.ts";

/** A read rule that no index serves although one could. Of deleted documents no declared index has any. */
export function missingIndexes(realm: Realm, collection: Collection, { rules }: CompiledRules): Diagnostic[] {
  const source = collection.rules.read;
  if (source === undefined || rules.read === undefined) return [];
  const missing = missingIndexesOf(realm, collection, rules.read);
  const [first] = missing;
  if (first === undefined) return [];
  const indexes = missing.map(({ path }) => indexOver(path)).join(" and ");
  const hint = `add ${indexes} to indexes.json`;
  return [diagnose("index-missing", ruleSpan(source, first.at), {}, { hint })];
}

/** Unique indexes whose clashes tell a caller of values that a field rule hides from them. */
export function tellingIndexes(collection: Collection, { rules, fieldRules }: CompiledRules): Diagnostic[] {
  if (!mayHold(rules.create) && !mayHold(rules.update)) return [];
  // Who writes what they may read is told nothing; of a field whose rules have mistakes nothing is said.
  const hiding = fieldRules.filter(({ path, read, write }) => {
    const writable = write !== undefined || sourceOf(collection, path)?.write === undefined;
    return read !== undefined && writable && !implies(write?.form.condition ?? anything, read.form.condition);
  });
  return collection.indexes
    .filter(({ unique }) => unique)
    .flatMap(({ fields, span }) => {
      const told = fields.flatMap(({ path }) => {
        const rule = hiding.find((each) => isWithin(path, each.path));
        return rule === undefined ? [] : [{ path, rule: rule.path }];
      });
      const [first] = told;
      if (first === undefined) return [];
      const place = sourceOf(collection, first.rule);
      const related =
        place === undefined ? [] : [{ message: "the field rule stands here", span: place.span }];
      return [diagnose("index-unique-hidden", span, { field: first.path, rule: first.rule }, { related })];
    });
}

/** Satisfied by every write. */
const anything: Condition = { kind: "constant", holds: true, at: { start: 0, end: 0 } };

function mayHold(rule: CompiledRule | undefined): boolean {
  return rule !== undefined && rule.facts.constant !== false;
}

function sourceOf({ fieldRules }: Collection, path: string): FieldRules | undefined {
  return fieldRules.find((each) => each.path === path);
}

/** An entry of indexes.json. */
export function indexOver(...paths: readonly string[]): string {
  return `{ "fields": [${paths.map((path) => JSON.stringify(path)).join(", ")}] }`;
}
