/** The checks that need compiled rules. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { whileReading } from "../diagnostics/internal-error.ts";
import { filesWithErrors, hasErrors, sorted } from "../diagnostics/sort.ts";
import { functionFile, settingsFile } from "../model/declaring-files.ts";
import type { Collection, Realm, RealmFunction } from "../model/model.ts";
import type { CompiledRules, RulesStage } from "../rules/compiled.ts";
import { collectionSettings } from "../settings/collection.ts";
import { functionSettings } from "../settings/function.ts";
import type { ModelledRealm } from "../settings/subject.ts";
import { ruled } from "./access/granted.ts";
import { handOvers } from "./access/hand-over.ts";
import { unnamedRoles } from "./access/unnamed-roles.ts";
import { rulesBeyondRead, unreachedFieldRules } from "./access/unreached.ts";
import { blindOwners, impossibleCreates, outOfSight } from "./access/written.ts";
import { missingIndexes, tellingIndexes } from "./index-advice.ts";
import { mistakenRule, surelyMistaken } from "./mistaken-rules.ts";
import { realtimeFacts } from "./realtime.ts";
import { takeovers } from "./takeover.ts";
import { unreadableTargets, unwritableFields } from "./unreachable.ts";

/**
 * The checks that need compiled rules. Rules with mistakes of their own are passed over, and of indexes in files with
 * errors among `told`, what was found before, nothing is said.
 */
export function checkRules(
  { realm, settings }: ModelledRealm,
  rules: RulesStage,
  told: readonly Diagnostic[],
): Diagnostic[] {
  const faulty = filesWithErrors(told);
  const broken = filesWithErrors([...told, ...rules.diagnostics]);
  const collections = realm.databases.flatMap((database) => database.collections);
  const found = collections.flatMap((collection) => {
    const compiled = rules.collections.get(`${collection.database}/${collection.name}`);
    if (compiled === undefined) return [];
    return whileReading(settingsFile(collection), () =>
      ruleProblems({ realm, rules, faulty, broken }, collection, compiled),
    );
  });
  const { createOrganization } = rules;
  const source = realm.organizations?.create;
  const ofRealm =
    createOrganization === undefined || source === undefined ? [] : mistakenRule(source, createOrganization);
  return sorted([
    ...found,
    ...ofRealm,
    ...realm.functions.flatMap((fn) => whileReading(functionFile(fn), () => functionFacts(fn, rules))),
    ...collections.flatMap((each) => whileReading(settingsFile(each), () => migrationFacts(each, rules))),
    // What else names roles is not known while there are mistakes.
    ...(hasErrors([...told, ...rules.diagnostics]) ? [] : unnamedRoles(realm, rules, settings)),
  ]);
}

interface RulesSeen {
  readonly realm: Realm;
  readonly rules: RulesStage;
  /** Files with errors of their own. */
  readonly faulty: ReadonlySet<string>;
  /** Those, and the files of rules with errors. */
  readonly broken: ReadonlySet<string>;
}

function ruleProblems(
  { realm, rules, faulty, broken }: RulesSeen,
  collection: Collection,
  compiled: CompiledRules,
): Diagnostic[] {
  const folder = `${realm.name}/${collection.database}/${collection.name}`;
  const others = [
    ...collectionSettings.flatMap(({ facts }) => facts(collection, compiled)),
    ...realtimeFacts(collection, compiled),
    ...ruleFaults(realm, collection, compiled, {
      schema: !faulty.has(`${folder}/schema.json`),
      rules: !broken.has(`${folder}/collection.yaml`),
    }),
    ...unreadableTargets(realm, collection, rules, faulty),
  ];
  if (faulty.has(`${folder}/indexes.json`)) return others;
  return [...others, ...missingIndexes(realm, collection, compiled), ...tellingIndexes(collection, compiled)];
}

/** What is surely mistaken in the rules of a collection. Of a file with errors nothing is known. */
function ruleFaults(
  realm: Realm,
  collection: Collection,
  compiled: CompiledRules,
  isKnown: { readonly schema: boolean; readonly rules: boolean },
): Diagnostic[] {
  const taken = takeovers(collection, compiled);
  const subject = ruled(collection, compiled, isKnown.schema);
  const single = [...surelyMistaken(subject), ...taken.map(({ diagnostic }) => diagnostic)];
  if (!isKnown.rules) return single;
  const unwritable = isKnown.schema ? unwritableFields(collection, compiled) : [];
  const impossible = impossibleCreates(subject);
  const told = new Set(impossible.map(({ span }) => span));
  return [
    ...single,
    ...unwritable,
    ...impossible,
    ...blindOwners(subject),
    ...outOfSight(subject),
    ...handOvers(subject, realm, new Set(taken.map(({ field }) => field))),
    ...rulesBeyondRead(subject),
    ...unreachedFieldRules(subject).filter(({ span }) => !told.has(span)),
  ];
}

function migrationFacts({ migrations = [] }: Collection, { migrations: whens }: RulesStage): Diagnostic[] {
  return migrations.flatMap(({ path, ...each }) =>
    (each.kind === "steps" ? each.steps : []).flatMap(({ when }, at) => {
      const compiled = whens.get(path)?.[at];
      return when === undefined || compiled === undefined ? [] : mistakenRule(when, compiled);
    }),
  );
}

function functionFacts(fn: RealmFunction, { functions }: RulesStage): Diagnostic[] {
  const compiled = functions.get(`${fn.database}/${fn.name}`);
  if (compiled === undefined) return [];
  const rules = [
    [fn.invoke, compiled.invoke] as const,
    ...fn.triggers.map(({ when }, at) => [when, compiled.whens[at]] as const),
  ];
  return [
    ...functionSettings.flatMap(({ facts }) => facts(fn, compiled)),
    ...rules.flatMap(([source, rule]) =>
      source === undefined || rule === undefined ? [] : mistakenRule(source, rule),
    ),
  ];
}
