/** Reads the rule tests of a realm. They are no input of its output: whoever emits does not look at them. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Staged } from "../diagnostics/diagnostic.ts";
import { whileReading } from "../diagnostics/internal-error.ts";
import { fileSpan } from "../diagnostics/span.ts";
import { objectOf } from "../model/given.ts";
import { type Collection, collectionOf, type Realm } from "../model/model.ts";
import { validate } from "../model/validate.ts";
import { exampleTime } from "../plans/callers.ts";
import type { RealmFolder } from "../source/folders.ts";
import { createReader } from "../source/reader.ts";
import type { SourceFile } from "../source/source.ts";
import { moment, readCallers } from "./callers.ts";
import { readDocuments } from "./documents.ts";
import { type Misfits, misfits } from "./misfits.ts";
import { nameOf, TestReading } from "./reading.ts";
import type { RuleTestFile } from "./rule-tests.ts";
import { readTests } from "./tests.ts";

/**
 * The files of a realm, sorted by path, each as far as it can be made sense of.
 * @param told what is wrong in the realm's model
 */
export function readRuleTests(
  root: string,
  folder: RealmFolder,
  realm: Realm,
  told: readonly Diagnostic[],
): Staged<readonly RuleTestFile[]> {
  const reader = createReader(root);
  const found: Diagnostic[] = [];
  const known = misfits(told);
  const files = placesOf(folder, realm).flatMap(({ path, own }) => {
    const file = reader.read(path);
    if (file === undefined) return [];
    if (!realm.auth) {
      found.push(diagnose("rule-test-without-auth", fileSpan(path), { realm: realm.name }));
      return [];
    }
    const { value, diagnostics } = whileReading(path, () => readRuleTestFile(file, realm, own, known));
    found.push(...diagnostics);
    return [value];
  });
  return { value: files, diagnostics: [...reader.diagnostics, ...found] };
}

interface TestPlace {
  readonly path: string;
  readonly own: Collection | undefined;
}

function placesOf({ databases, tests }: RealmFolder, realm: Realm): readonly TestPlace[] {
  const ofCollections = databases.flatMap((database) =>
    database.collections.flatMap((collection) => {
      const own = collectionOf(realm, database.name, collection.name);
      return own === undefined ? [] : collection.tests.map((path) => ({ path, own }));
    }),
  );
  return [...tests.map((path) => ({ path, own: undefined })), ...ofCollections].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

/** @param own the collection in whose folder the file is; undefined where it is the realm's */
export function readRuleTestFile(
  file: SourceFile,
  realm: Realm,
  own: Collection | undefined,
  known: Misfits = misfits(),
): Staged<RuleTestFile> {
  const reading = new TestReading(file, realm, own);
  const { diagnostics: ofForm } = validate("rule-test", file);
  const now = moment(file.value.now) ?? exampleTime;
  const appConfig = { ...realm.appConfig, ...objectOf(file.value.app_config) };
  const callers = readCallers(reading, { now, appConfig });
  const documents = readDocuments(reading, now, known);
  const tests = readTests(reading, { callers, documents, misfits: known });
  const value: RuleTestFile = {
    path: file.path,
    realm: realm.name,
    ...(own !== undefined && { collection: nameOf(own) }),
    now,
    appConfig,
    callers,
    declared: reading.declared,
    documents,
    tests,
  };
  return { value, diagnostics: [...ofForm, ...reading.diagnostics] };
}
