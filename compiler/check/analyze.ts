/** Which checks there are, and what each of them is shown. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { whileReading } from "../diagnostics/internal-error.ts";
import { filesWithErrors } from "../diagnostics/sort.ts";
import { functionFile, settingsFile } from "../model/declaring-files.ts";
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
import { unindexedGroups, unindexedReferences } from "./index-hints.ts";
import {
  duplicateIndexes,
  indexFields,
  indexOrders,
  redundantIndexes,
  uniqueAcrossOrganizations,
  uniqueBooleans,
} from "./indexes.ts";
import { type PlacedPattern, slowPatterns } from "./patterns.ts";
import { dateAgreement, datePlacement } from "./schema/dates.ts";
import {
  appliedDefaults,
  defaultsOfBranches,
  idleDefaults,
  unfitDefaults,
  uniqueDefaults,
} from "./schema/defaults.ts";
import { schemaFits } from "./schema/fit/fitting.ts";
import { patterns, patternsOf, unknownFormats } from "./schema/keywords.ts";
import { referenceLoops } from "./schema/loops.ts";
import { fieldNames, requiredFiles, reservedNames } from "./schema/names.ts";
import { requiredFields } from "./schema/required.ts";
import type { Files } from "./schema/spans.ts";
import { objectAtTop } from "./schema/top.ts";
import { textIndex } from "./text-index.ts";

const collectionChecks: readonly CollectionCheck[] = [
  ...collectionSettings.flatMap(({ checks }) => checks),
  indexFields,
  duplicateIndexes,
  redundantIndexes,
  uniqueBooleans,
  indexOrders,
  textIndex,
  uniqueAcrossOrganizations,
  uniqueDefaults,
];

/** What could be better where nothing is wrong. */
const collectionHints: readonly CollectionCheck[] = [unindexedGroups, unindexedReferences];

/** The checks of what the files say, but for rules. */
export async function checkModel(subject: ModelledRealm): Promise<Diagnostic[]> {
  const collections = collectionSubjects(subject);
  // Of a file that cannot be parsed nothing is known.
  const isRead = subject.files.has(subject.settings.path);
  const found = [
    ...(isRead ? realmSettings.flatMap(({ checks }) => checks.flatMap((check) => check(subject))) : []),
    ...collections.flatMap((each) =>
      whileReading(settingsFile(each.collection), () => collectionChecks.flatMap((check) => check(each))),
    ),
    ...functionSubjects(subject).flatMap((each) =>
      whileReading(each.file.path, () =>
        functionSettings.flatMap(({ checks }) => checks.flatMap((check) => check(each))),
      ),
    ),
    ...schemaProblems(subject, collections),
    ...(await slowPatterns(allPatterns(subject, collections))),
  ];
  const faulty = filesWithErrors(found);
  return [...found, ...collections.flatMap((each) => unfitDefaults(each, faulty))];
}

/** Hints at collections without errors among what was `told` of their files. */
export function hints(subject: ModelledRealm, told: readonly Diagnostic[]): Diagnostic[] {
  const faulty = filesWithErrors(told);
  return collectionSubjects(subject)
    .filter(({ collection }) => !collection.sources.some((file) => faulty.has(file)))
    .flatMap((each) => collectionHints.flatMap((hint) => hint(each)));
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
    ...schemas.flatMap((site) =>
      whileReading(site.path, () => [
        ...fieldNames(site, files),
        ...requiredFields(site, files, faults),
        ...unknownFormats(site, files),
        ...patterns(site, files),
      ]),
    ),
    ...referenceLoops(schemas, files),
    ...schemaFits(subject, appliedDefaults(collections)),
    ...idleDefaults(subject, collections),
    ...defaultsOfBranches(collections),
    ...profile,
    ...ofFunctions,
    ...collections.flatMap((each) => whileReading(each.collection.schema.path, () => documentProblems(each))),
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
