/**
 * A realm's rules taken apart for a server that explains refusals: each clause compiled by itself, by the printers of the
 * emitted checks. A bundle has it as `explain/<realm>.mjs`, which a server loads with `SVC_EXPLAIN=on` alone.
 */
import { keyOf } from "../../runtime/realm/explained.ts";
import {
  array,
  type Code,
  code,
  type EmittedFile,
  emitModule,
  object,
  property,
} from "../../templates/print/code.ts";
import type { Realm, RuleSource } from "../model/model.ts";
import type { CompiledRule, RulesStage } from "../rules/compiled.ts";
import type { At, Condition } from "../rules/form/form.ts";
import { ruleSpan } from "../rules/language/report.ts";
import { checkPrinter } from "../rules/print/check.ts";
import { placeName, rulesOf, settingName } from "./places.ts";

/** Exports `explained`, in JavaScript; it imports `realmc/runtime`. */
export function explainedModule(realm: Realm, rules: RulesStage): EmittedFile {
  const entries = placed(realm, rules).map(({ key, source, rule }) =>
    property(key, printed(rule.written, source)),
  );
  return emitModule({
    path: `explain/${realm.name}.mjs`,
    sources: [],
    body: code`export const explained = ${object(entries)};`,
  });
}

interface Placed {
  readonly key: string;
  readonly source: RuleSource;
  readonly rule: CompiledRule;
}

function placed(realm: Realm, rules: RulesStage): readonly Placed[] {
  const entry = (key: string, source: RuleSource | undefined, rule: CompiledRule | undefined) =>
    source === undefined || rule === undefined ? [] : [{ key, source, rule }];
  const collections = realm.databases.flatMap((database) => database.collections);
  return [
    ...collections.flatMap((collection) => {
      const of = `${collection.database}/${collection.name}`;
      const compiled = rules.collections.get(of) ?? { rules: {}, fieldRules: [] };
      return rulesOf(collection, compiled).flatMap(({ place, source, rule }) =>
        entry(keyOf(of, settingName(placeName(place))), source, rule),
      );
    }),
    ...realm.functions.flatMap(({ database, name, invoke }) => {
      const of = `${database}/${name}`;
      return entry(keyOf(of, "invoke"), invoke, rules.functions.get(of)?.invoke);
    }),
    ...entry(keyOf("", "organizations.create"), realm.organizations?.create, rules.createOrganization),
  ];
}

function printed(condition: Condition, source: RuleSource): Code {
  const part = (inner: Condition): Code => printed(inner, source);
  switch (condition.kind) {
    case "and":
      return object([property("all", array(condition.of.map(part)))]);
    case "or":
      return object([property("any", array(condition.of.map(part)))]);
    case "choice": {
      const { when, yes, no } = condition;
      return object([property("when", part(when)), property("yes", part(yes)), property("no", part(no))]);
    }
    case "not":
      // `a != b` is one clause.
      return isSame(condition.at, condition.of.at) && !combinations.has(condition.of.kind)
        ? clause(condition, source)
        : object([property("not", part(condition.of))]);
    default:
      return clause(condition, source);
  }
}

const combinations: ReadonlySet<Condition["kind"]> = new Set(["and", "or", "not", "choice"]);

function isSame(one: At, other: At): boolean {
  return one.start === other.start && one.end === other.end;
}

function clause(condition: Condition, source: RuleSource): Code {
  const { file, line, column } = ruleSpan(source, condition.at);
  const anything = { kinds: [] };
  const surroundings = { document: anything, data: anything, documentMayBeAbsent: true };
  const check = checkPrinter(condition, surroundings)(condition).code;
  return object([
    property("text", source.text.slice(condition.at.start, condition.at.end)),
    property("at", `${file}:${line}:${column}`),
    property("holds", code`({ user, now, appConfig, memberships }, document, data) => ${check}`),
  ]);
}
