/** Which checks there are, and what each of them is shown. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { hasErrors, sorted } from "../diagnostics/sort.ts";
import type { Collection, Realm, RealmFunction } from "../model/model.ts";
import type { CompiledRules, RulesStage } from "../rules/compiled.ts";
import { type Documents, type Place, placeAt } from "../schema/place.ts";
import { collectionSettings } from "../settings/collection.ts";
import { functionSettings } from "../settings/function.ts";
import { realmSettings } from "../settings/realm.ts";
import type {
  CollectionCheck,
  CollectionSubject,
  FunctionSubject,
  ModelledRealm,
  RealmSubject,
} from "../settings/subject.ts";
import { locate } from "../source/source.ts";
import { ruled } from "./access/granted.ts";
import { handOvers } from "./access/hand-over.ts";
import { unnamedRoles } from "./access/unnamed-roles.ts";
import { rulesBeyondRead, unreachedFieldRules } from "./access/unreached.ts";
import { blindOwners, impossibleCreates, outOfSight } from "./access/written.ts";
import { missingIndexes, tellingIndexes } from "./index-advice.ts";
import { unindexedGroups, unindexedReferences } from "./index-hints.ts";
import {
  duplicateIndexes,
  indexFields,
  indexOrders,
  redundantIndexes,
  uniqueAcrossOrganizations,
  uniqueBooleans,
} from "./indexes.ts";
import { mistakenRule, surelyMistaken } from "./mistaken-rules.ts";
import { type PlacedPattern, slowPatterns } from "./patterns.ts";
import { realtimeFacts } from "./realtime.ts";
import { dateAgreement, datePlacement } from "./schema/dates.ts";
import { schemaFits } from "./schema/fit/fitting.ts";
import { patterns, patternsOf, unknownFormats } from "./schema/keywords.ts";
import { referenceLoops } from "./schema/loops.ts";
import { fieldNames, requiredFiles, reservedNames } from "./schema/names.ts";
import { requiredFields } from "./schema/required.ts";
import type { Files } from "./schema/spans.ts";
import { objectAtTop } from "./schema/top.ts";
import { takeovers } from "./takeover.ts";
import { textIndex } from "./text-index.ts";
import { unreadableTargets, unwritableFields } from "./unreachable.ts";

const collectionChecks: readonly CollectionCheck[] = [
  ...collectionSettings.flatMap(({ checks }) => checks),
  indexFields,
  duplicateIndexes,
  redundantIndexes,
  uniqueBooleans,
  indexOrders,
  textIndex,
  uniqueAcrossOrganizations,
];

/** What could be better where nothing is wrong. */
const collectionHints: readonly CollectionCheck[] = [unindexedGroups, unindexedReferences];

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
    const { database, name } = collection;
    const folder = `${realm.name}/${database}/${name}`;
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
    return [
      ...others,
      ...missingIndexes(realm, collection, compiled),
      ...tellingIndexes(collection, compiled),
    ];
  });
  const { createOrganization } = rules;
  const source = realm.organizations?.create;
  const ofRealm =
    createOrganization === undefined || source === undefined ? [] : mistakenRule(source, createOrganization);
  return sorted([
    ...found,
    ...ofRealm,
    ...realm.functions.flatMap((fn) => functionFacts(fn, rules)),
    ...collections.flatMap((each) => migrationFacts(each, rules)),
    // What else names roles is not known while there are mistakes.
    ...(hasErrors([...told, ...rules.diagnostics]) ? [] : unnamedRoles(realm, rules, settings)),
  ]);
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

/** The checks of what the files say, but for rules. */
export async function checkModel(subject: ModelledRealm): Promise<Diagnostic[]> {
  const collections = collectionSubjects(subject);
  // Of a file that cannot be parsed nothing is known.
  const isRead = subject.files.has(subject.settings.path);
  return [
    ...(isRead ? realmSettings.flatMap(({ checks }) => checks.flatMap((check) => check(subject))) : []),
    ...collections.flatMap((each) => collectionChecks.flatMap((check) => check(each))),
    ...functionSubjects(subject).flatMap((each) =>
      functionSettings.flatMap(({ checks }) => checks.flatMap((check) => check(each))),
    ),
    ...schemaProblems(subject, collections),
    ...(await slowPatterns(allPatterns(subject, collections))),
  ];
}

/** Hints at collections without errors among what was `told` of their files. */
export function hints(subject: ModelledRealm, told: readonly Diagnostic[]): Diagnostic[] {
  const faulty = filesWithErrors(told);
  return collectionSubjects(subject)
    .filter(({ collection }) => !collection.sources.some((file) => faulty.has(file)))
    .flatMap((each) => collectionHints.flatMap((hint) => hint(each)));
}

function filesWithErrors(diagnostics: readonly Diagnostic[]): ReadonlySet<string> {
  return new Set(diagnostics.filter(({ severity }) => severity === "error").map(({ span }) => span.file));
}

function collectionSubjects(subject: RealmSubject): CollectionSubject[] {
  const { realm, files } = subject;
  return realm.databases.flatMap(({ name, collections }) =>
    collections.map((collection) => {
      const folder = `${realm.name}/${name}/${collection.name}`;
      return {
        ...subject,
        collection,
        label: `${name}/${collection.name}`,
        collectionFile: files.get(`${folder}/collection.yaml`),
        indexesFile: files.get(`${folder}/indexes.json`),
      };
    }),
  );
}

/** Those whose function.yaml can be parsed. */
function functionSubjects(subject: RealmSubject): FunctionSubject[] {
  return subject.realm.functions.flatMap((fn) => {
    const file = subject.files.get(functionFile(fn));
    return file === undefined ? [] : [{ ...subject, fn, file }];
  });
}

function functionFile({ realm, database, name }: RealmFunction): string {
  return `${realm}/${database}/_func/${name}/function.yaml`;
}

function schemaProblems(subject: RealmSubject, collections: readonly CollectionSubject[]): Diagnostic[] {
  const { realm, schemas, files, settings, faults } = subject;
  const inside = (
    path: string,
    key: string,
    check: (place: Place) => readonly Diagnostic[],
  ): Diagnostic[] => {
    const place = placeAt(documentsOf(files), path, [key]);
    return place === undefined ? [] : [...check(place)];
  };
  const profile = inside(settings.path, "profile", (place) => [
    ...objectAtTop(place, "the users' profile", subject),
    ...datePlacement(place, subject),
  ]);
  const ofFunctions = realm.functions.flatMap((fn) => [
    ...inside(functionFile(fn), "input", (place) => [
      ...objectAtTop(place, "a call's input", subject),
      ...datePlacement(place, subject, "what a call is called with is not stored"),
    ]),
    ...inside(functionFile(fn), "output", (place) =>
      datePlacement(place, subject, "what a call returns is not stored"),
    ),
  ]);
  return [
    ...schemas.flatMap((site) => [
      ...fieldNames(site, files),
      ...requiredFields(site, files, faults),
      ...unknownFormats(site, files),
      ...patterns(site, files),
    ]),
    ...referenceLoops(schemas, files),
    ...schemaFits(subject),
    ...profile,
    ...ofFunctions,
    ...collections.flatMap(documentProblems),
  ];
}

function documentsOf(files: Files): Documents {
  return (path) => files.get(path)?.value;
}

const documentProblems: CollectionCheck = (subject) => {
  const { collection, files, label } = subject;
  const place = placeAt(documentsOf(files), collection.schema.path, []);
  if (place === undefined) return [];
  const misplaced = datePlacement(place, subject);
  return [
    ...reservedNames(place, files),
    ...requiredFiles(place, new Set(collection.files?.map(({ name }) => name)), files),
    ...objectAtTop(place, label, subject),
    ...misplaced,
    // A date that cannot stand where it does agrees with nothing.
    ...(misplaced.length > 0 ? [] : dateAgreement(subject)),
  ];
};

function allPatterns(
  { schemas, files }: RealmSubject,
  collections: readonly CollectionSubject[],
): PlacedPattern[] {
  const ids = collections.flatMap(({ collection, collectionFile: file }) =>
    collection.customId?.pattern === undefined || file === undefined
      ? []
      : [
          {
            pattern: collection.customId.pattern,
            span: locate(file, ["custom_id", "pattern"]),
            of: "id" as const,
          },
        ],
  );
  return [...schemas.flatMap((site) => patternsOf(site, files)), ...ids];
}
