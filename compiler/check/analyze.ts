/**
 * The front of the compiler: from a folder to checked realms.
 *
 *     const { value: realms, diagnostics } = await loadRealms(folder, only);   // load -> model -> check
 *     const rules = await compileRules(realm);                                 // compiler/rules
 *     const more = checkRealm(realm, rules, diagnostics);                      // the checks that need compiled rules
 *
 * Every mistake of a run is reported: realms whose `auth`, `profile` or roles could not be understood, and collections
 * whose schema could not, are left out of the value, so that what the later stages say of the others is meant.
 */
import type { Diagnostic, Staged } from "../diagnostics/diagnostic.ts";
import { sorted } from "../diagnostics/sort.ts";
import { type RealmFolder, walk } from "../load/folders.ts";
import { locate } from "../load/source.ts";
import type { Realm } from "../model/model.ts";
import { type ModelledRealm, readRealm } from "../model/read-realms.ts";
import type { RulesStage } from "../rules/compiled.ts";
import { allowedNetworks, defaultAdministrators, unusedAdministration } from "./administration.ts";
import { aggregation } from "./aggregation.ts";
import {
  customId,
  fieldRules,
  publicCache,
  rulesWithoutAuth,
  rulesWithoutRead,
  rulesWithoutSoftDelete,
  unusedWrite,
} from "./collection-settings.ts";
import { links, sender } from "./email.ts";
import { publicCacheFacts } from "./facts.ts";
import { missingIndexes, tellingIndexes } from "./index-advice.ts";
import { duplicateIndexes, indexFields, indexOrders } from "./indexes.ts";
import {
  collectionOrganization,
  creatorRoles,
  memberRoles,
  organizationRoles,
  requiredMfa,
  tellingIds,
  uniqueAcrossOrganizations,
} from "./organizations.ts";
import { type PlacedPattern, slowPatterns } from "./patterns.ts";
import { accountSettings, cookieOrigins, defaultRoles, origins } from "./realm-settings.ts";
import { references, unusedExpand } from "./references.ts";
import { dateAgreement, datePlacement } from "./schema/dates.ts";
import { patterns, patternsOf, unknownFormats } from "./schema/keywords.ts";
import { referenceLoops } from "./schema/loops.ts";
import { fieldNames, reservedNames } from "./schema/names.ts";
import { requiredFields } from "./schema/required.ts";
import { objectAtTop } from "./schema/top.ts";
import type { CollectionCheck, CollectionSubject, RealmCheck, RealmSubject } from "./subject.ts";
import { textIndex } from "./text-index.ts";
import { timeouts } from "./timeouts.ts";

const realmChecks: readonly RealmCheck[] = [
  accountSettings,
  defaultRoles,
  origins,
  cookieOrigins,
  timeouts,
  defaultAdministrators,
  unusedAdministration,
  allowedNetworks,
  sender,
  links,
  organizationRoles,
  creatorRoles,
  memberRoles,
  requiredMfa,
];

const collectionChecks: readonly CollectionCheck[] = [
  rulesWithoutAuth,
  rulesWithoutSoftDelete,
  rulesWithoutRead,
  unusedWrite,
  publicCache,
  customId,
  fieldRules,
  references,
  unusedExpand,
  aggregation,
  indexFields,
  duplicateIndexes,
  indexOrders,
  textIndex,
  collectionOrganization,
  tellingIds,
  uniqueAcrossOrganizations,
];

/**
 * Reads, models and checks the realms of a configuration folder, or only the realm `only`. Diagnostics are sorted; with
 * errors among them the value is as complete as the files allow.
 */
export async function loadRealms(folder: string, only?: string): Promise<Staged<Realm[]>> {
  const walked = walk(folder, only);
  const realms = await Promise.all(walked.value.map((realm) => loadRealm(folder, realm)));
  return {
    value: realms.flatMap(({ value }) => value ?? []),
    diagnostics: sorted([...walked.diagnostics, ...realms.flatMap(({ diagnostics }) => diagnostics)]),
  };
}

/** Reads, models and checks one realm of a configuration folder, which `walk` has found. */
export async function loadRealm(folder: string, found: RealmFolder): Promise<Staged<Realm | undefined>> {
  const { value, diagnostics } = await readRealm(folder, found);
  if (value === undefined) return { value, diagnostics };
  const checked = await checkModel(value);
  return { value: value.sound ? value.realm : undefined, diagnostics: [...diagnostics, ...checked] };
}

/**
 * The checks that need compiled rules. Rules with mistakes of their own are passed over, and of indexes in files with
 * errors among `told`, what was found before, nothing is said.
 */
export function checkRealm(realm: Realm, rules: RulesStage, told: readonly Diagnostic[]): Diagnostic[] {
  const faulty = new Set(told.filter(({ severity }) => severity === "error").map(({ span }) => span.file));
  const collections = realm.databases.flatMap((database) => database.collections);
  const found = collections.flatMap((collection) => {
    const compiled = rules.collections.get(`${collection.database}/${collection.name}`);
    if (compiled === undefined) return [];
    const cache = publicCacheFacts(collection, compiled.rules.read?.facts);
    const { database, name } = collection;
    if (faulty.has(`${realm.name}/${database}/${name}/indexes.json`)) return cache;
    return [
      ...cache,
      ...missingIndexes(realm, collection, compiled),
      ...tellingIndexes(collection, compiled),
    ];
  });
  return sorted(found);
}

async function checkModel(modelled: ModelledRealm): Promise<Diagnostic[]> {
  const settings = modelled.files.get(`${modelled.realm.name}/realm.yaml`);
  if (settings === undefined) return [];
  const subject: RealmSubject = { ...modelled, settings };
  const collections = collectionSubjects(subject);
  return [
    ...realmChecks.flatMap((check) => check(subject)),
    ...collections.flatMap((each) => collectionChecks.flatMap((check) => check(each))),
    ...schemaProblems(subject, collections),
    ...(await slowPatterns(allPatterns(subject, collections))),
  ];
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

function schemaProblems(subject: RealmSubject, collections: readonly CollectionSubject[]): Diagnostic[] {
  const { realm, schemas, files, settings } = subject;
  const profile =
    realm.profile === undefined
      ? []
      : [
          ...objectAtTop(settings, ["profile"], "the users' profile", files),
          ...datePlacement(settings, ["profile"], files),
        ];
  return [
    ...schemas.flatMap((site) => [
      ...fieldNames(site),
      ...requiredFields(site),
      ...unknownFormats(site),
      ...patterns(site),
    ]),
    ...referenceLoops(schemas, files),
    ...profile,
    ...collections.flatMap(documentProblems),
  ];
}

const documentProblems: CollectionCheck = (subject) => {
  const { collection, files, label } = subject;
  const file = files.get(collection.schema.path);
  if (file === undefined) return [];
  const misplaced = datePlacement(file, [], files);
  return [
    ...reservedNames(file, files),
    ...objectAtTop(file, [], label, files),
    ...misplaced,
    // A date that cannot stand where it does agrees with nothing.
    ...(misplaced.length > 0 ? [] : dateAgreement(subject)),
  ];
};

function allPatterns({ schemas }: RealmSubject, collections: readonly CollectionSubject[]): PlacedPattern[] {
  const ids = collections.flatMap(({ collection, collectionFile: file }) =>
    collection.customId?.pattern === undefined || file === undefined
      ? []
      : [{ pattern: collection.customId.pattern, span: locate(file, ["custom_id", "pattern"]), short: true }],
  );
  return [...schemas.flatMap(patternsOf), ...ids];
}
