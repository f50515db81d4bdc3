/** The refusals of http-api.md, "References (collection settings)". */

import { didYouMean } from "../../../runtime/suggest.ts";
import type { Diagnostic, Span } from "../../diagnostics/diagnostic.ts";
import { reservedFields } from "../../model/fields.ts";
import { declaredField, describeField, isOpen } from "../../model/known-fields.ts";
import { type Collection, collectionOf, type Reference } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import { type CollectionCheck, type CollectionSubject, isReliable } from "../subject.ts";
import { diagnose } from "./codes.ts";

/** A check of one reference; `at` says where one of its keys stands, or its name where the key is left to its default. */
type ReferenceCheck = (
  reference: Reference,
  subject: CollectionSubject,
  at: (key: string) => Span,
) => readonly Diagnostic[];

/** Ids of an array that are followed at most (http-api.md, Limits). */
const MAX_EXPAND = 100;

export const references: CollectionCheck = (subject) =>
  subject.collection.references.flatMap((reference) => {
    const { collectionFile: file } = subject;
    if (file === undefined || !isReliable(subject, ["references", reference.name])) return [];
    const at = (key: string): Span => locate(file, ["references", reference.name, key]);
    return referenceChecks.flatMap((check) => check(reference, subject, at));
  });

const name: ReferenceCheck = ({ name, span }) =>
  /^[A-Za-z0-9_]+$/.test(name) ? [] : [diagnose("reference-name", span, { name })];

const nameTaken: ReferenceCheck = ({ name, field, span }, { collection }) => {
  if (reservedFields.has(name)) {
    const hint = "it belongs to the server; give the reference another name";
    return [diagnose("reference-name-taken", span, { name }, { hint })];
  }
  const taken = declaredField(collection, name);
  if (taken === undefined || name === field) return [];
  const related = [{ message: "the field is declared here", span: taken.span }];
  return [diagnose("reference-name-taken", span, { name }, { related })];
};

const target: ReferenceCheck = (reference, { names }, at) => {
  const { name, database, collection } = reference;
  const collections = names.get(database);
  if (collections === undefined) {
    const hint = didYouMean(database, names.keys());
    return [diagnose("reference-database", at("database"), { name, database }, { hint })];
  }
  if (collections.includes(collection)) return [];
  const hint = didYouMean(collection, collections) ?? elsewhere(collection, names);
  return [diagnose("reference-collection", at("collection"), { name, collection, database }, { hint })];
};

/** For a collection of another database, also one named by a path: `hr/people`. */
function elsewhere(collection: string, names: CollectionSubject["names"]): string | undefined {
  for (const [database, collections] of names) {
    if (collections.includes(collection))
      return `the database '${database}' has one: add database: ${database}`;
    const named = collections.find((each) => collection === `${database}/${each}`);
    if (named !== undefined) return `write database: ${database} and collection: ${named}`;
  }
  return undefined;
}

const metaSource: ReferenceCheck = ({ name, field, many }, { realm }, at) => {
  if (field !== "_meta" && !field.startsWith("_meta.")) return [];
  if (field !== "_meta.owner" && field !== "_meta.created_by")
    return [diagnose("reference-meta", at("field"), { name, field })];
  if (!realm.auth) return [diagnose("reference-meta-without-auth", at("field"), { name, field })];
  return many ? [diagnose("reference-meta-many", at("many"), { name, field })] : [];
};

const source: ReferenceCheck = ({ name, field, many }, { collection, label }, at) => {
  if (field === "_meta" || field.startsWith("_meta.")) return [];
  const declared = declaredField(collection, field);
  if (declared === undefined) {
    if (isOpen(collection, field)) return [];
    const hint = didYouMean(
      field,
      collection.fields.map(({ path }) => path),
    );
    return [diagnose("reference-field", at("field"), { name, field, collection: label }, { hint })];
  }
  const related = [{ message: "the field is declared here", span: declared.span }];
  const array = declared.arrays.find((path) => path !== field);
  if (array !== undefined)
    return [diagnose("reference-inside-array", at("field"), { name, field, array }, { related })];
  const isArray = declared.arrays.includes(field);
  const onlyStrings = declared.kinds.length === 1 && declared.kinds[0] === "string";
  const fits = onlyStrings && (many ? isArray && !declared.scalar : !isArray);
  if (fits) return [];
  const expected = many ? "an array of strings" : "a string";
  const hint =
    onlyStrings && isArray && !many
      ? "add many: true"
      : onlyStrings && many && !isArray
        ? "remove many"
        : undefined;
  const parameters = { name, field, expected, found: describeField(declared) };
  return [diagnose("reference-field-type", at("field"), parameters, { related, hint })];
};

const key: ReferenceCheck = (reference, subject, at) => {
  const { name, key } = reference;
  const target = targetOf(reference, subject);
  if (key === "id" || target === undefined) return [];
  const collection = `${target.database}/${target.name}`;
  const declared = declaredField(target, key);
  if (declared === undefined) {
    if (isOpen(target, key)) return [];
    const hint =
      didYouMean(key, ["id", ...target.fields.map(({ path }) => path)]) ??
      "a key is id or a string field that schema.json declares";
    return [
      diagnose(
        "reference-key",
        at("key"),
        { name, key, problem: "not a declared field", collection },
        { hint },
      ),
    ];
  }
  if (!declared.kinds.includes("string") || declared.arrays.length > 0) {
    const related = [{ message: "the field is declared here", span: declared.span }];
    const parameters = { name, key, problem: `${describeField(declared)}, not a string`, collection };
    return [diagnose("reference-key", at("key"), parameters, { related })];
  }
  const indexes = `${target.realm}/${collection}/indexes.json`;
  const unique = target.indexes.some(
    (index) => index.unique && index.fields.length === 1 && index.fields[0]?.path === key,
  );
  if (unique || subject.faults.touch(indexes, [])) return [];
  return [diagnose("reference-key-index", at("key"), { name, key, collection })];
};

/** The target's model, where there is such a collection. */
function targetOf({ database, collection }: Reference, { realm }: CollectionSubject): Collection | undefined {
  return collectionOf(realm, database, collection);
}

const maxExpand: ReferenceCheck = ({ name, many, maxExpand }, _, at) => {
  if (maxExpand === undefined) return [];
  const problem =
    maxExpand < 1
      ? "must be at least 1"
      : maxExpand > MAX_EXPAND
        ? `must be at most ${MAX_EXPAND}`
        : many
          ? ""
          : "needs many: true";
  return problem === "" ? [] : [diagnose("reference-max-expand", at("max_expand"), { name, problem })];
};

const referenceChecks: readonly ReferenceCheck[] = [
  name,
  nameTaken,
  target,
  metaSource,
  source,
  key,
  maxExpand,
];
