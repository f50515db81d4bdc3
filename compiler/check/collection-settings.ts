/** Checks of collection.yaml that need no compiled rules. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { objectOf } from "../model/given.ts";
import { declaredField, isHideable, isOpen } from "../model/known-fields.ts";
import { locate, nodeAt, type SourceFile } from "../source/source.ts";
import { outsideIds } from "./id-patterns.ts";
import { patternProblem } from "./patterns.ts";
import { type CollectionCheck, isReliable } from "./subject.ts";

/** In a realm without authentication a rule would have no effect. */
export const rulesWithoutAuth: CollectionCheck = ({ realm, collectionFile: file }) => {
  if (realm.auth || file === undefined) return [];
  const rules = Object.entries(objectOf(file.value.rules)).flatMap(([name, rule]) =>
    name === "invoke" || (name === "read" && (rule === true || rule === "true"))
      ? []
      : [diagnose("rule-without-auth", locate(file, ["rules", name], "key"), {})],
  );
  const fields = Object.keys(objectOf(file.value.fields)).map((path) =>
    diagnose("rule-without-auth", locate(file, ["fields", path], "key"), {}),
  );
  return [...rules, ...fields];
};

/** `restore` and `purge` without `soft_delete`. */
export const rulesWithoutSoftDelete: CollectionCheck = (subject) => {
  const { collection, collectionFile: file } = subject;
  if (file === undefined || collection.softDelete !== undefined || !isReliable(subject, ["soft_delete"]))
    return [];
  return ["restore", "purge"]
    .filter((rule) => nodeAt(file, ["rules", rule]) !== undefined)
    .map((rule) => diagnose("rule-without-soft-delete", locate(file, ["rules", rule], "key"), { rule }));
};

/** `write` beside all that it is short for. */
export const unusedWrite: CollectionCheck = ({ collectionFile: file }) => {
  const given = file === undefined ? [] : Object.keys(objectOf(file.value.rules));
  if (file === undefined || !["write", "create", "update", "delete"].every((rule) => given.includes(rule)))
    return [];
  return [diagnose("rule-unused", locate(file, ["rules", "write"], "key"), {})];
};

/** What needs a document that the caller may read, where there is none for anybody. */
export const rulesWithoutRead: CollectionCheck = (subject) => {
  const { realm, collection, collectionFile: file } = subject;
  if (!realm.auth || file === undefined) return [];
  if (collection.rules.read !== undefined || !isReliable(subject, ["rules"])) return [];
  const ofStored = ["update", "delete"] as const;
  const ofDeleted = ["restore", "purge"] as const;
  return [...ofStored, ...(collection.softDelete === undefined ? [] : ofDeleted)]
    .filter((rule) => (collection.rules[rule]?.text ?? "false") !== "false")
    .filter((rule) => collection.rules[rule]?.key === rule)
    .map((rule) => diagnose("rule-without-read", locate(file, ["rules", rule], "key"), { rule }));
};

/** `cache.public` with a max_age of 1 to 3600 seconds and a read rule (http-api.md, Concurrency 5). */
export const publicCache: CollectionCheck = (subject) => {
  const { collection, collectionFile: file } = subject;
  const { public: isPublic, max_age: maxAge } = objectOf(file?.value.cache);
  if (file === undefined || !isReliable(subject, ["cache"])) return [];
  const found: Diagnostic[] = [];
  if (
    isPublic === true
      ? typeof maxAge !== "number" || !isMaxAge(maxAge)
      : maxAge !== undefined && !isMaxAge(Number(maxAge))
  ) {
    found.push(
      diagnose("cache-max-age", locate(file, ["cache", ...(maxAge === undefined ? [] : ["max_age"])]), {}),
    );
  }
  if (isPublic === true && collection.rules.read === undefined && isReliable(subject, ["rules", "read"])) {
    found.push(diagnose("cache-without-read", locate(file, ["cache", "public"], "key"), {}));
  }
  return found;
};

function isMaxAge(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600;
}

/** The pattern compiles, and `user` has users. */
export const customId: CollectionCheck = ({ realm, collection, collectionFile: file }) => {
  const { customId } = collection;
  if (file === undefined || customId === undefined) return [];
  const found: Diagnostic[] = [];
  if (customId.is === "user" && !realm.auth)
    found.push(diagnose("custom-id-without-auth", customId.span, {}));
  const problem = customId.pattern === undefined ? undefined : patternProblem(customId.pattern);
  if (problem !== undefined)
    found.push(diagnose("custom-id-pattern", locate(file, ["custom_id", "pattern"]), { problem }));
  const outside =
    problem === undefined && customId.pattern !== undefined ? outsideIds(customId.pattern) : undefined;
  if (outside !== undefined)
    found.push(diagnose("custom-id-outside", locate(file, ["custom_id", "pattern"]), { problem: outside }));
  return found;
};

/**
 * Field rules do not pass through arrays. They may be for members that the schema does not declare (any more); those that look
 * like a declared field without a rule are warned of.
 */
export const fieldRules: CollectionCheck = (subject) => {
  const { collection, collectionFile: file, label, realm } = subject;
  if (file === undefined || !realm.auth) return [];
  const unruled = collection.fields
    .map(({ path }) => path)
    .filter((path) => !collection.fieldRules.some((rules) => rules.path === path));
  return collection.fieldRules.flatMap((rules) => {
    const { path: field, span } = rules;
    if (isServerOwned(field)) return [diagnose("field-rule-server", span, { field })];
    const array = declaredField(collection, field)?.arrays.find((path) => path !== field);
    if (array !== undefined) return [diagnose("field-rule-array", span, { field, array })];
    if (isEmptyEntry(file, field) && isReliable(subject, ["fields", field]))
      return [diagnose("field-rule-empty", span, { field })];
    if (declaredField(collection, field) !== undefined || isOpen(collection, field)) return [];
    const hint = didYouMean(field, unruled);
    return hint === undefined
      ? []
      : [diagnose("field-rule-field", span, { field, collection: label }, { hint })];
  });
};

/** `retired: published` is for members that no rule could hide, and stands alone. */
export const publishedFields: CollectionCheck = ({ collection, collectionFile: file, realm }) => {
  if (file === undefined || !realm.auth) return [];
  return (collection.published ?? []).flatMap(({ path: field, span }) => {
    if (isServerOwned(field)) return [diagnose("field-rule-server", span, { field })];
    const { read, write } = objectOf(objectOf(file.value.fields)[field]);
    const rule = read === undefined ? "write" : "read";
    if (read !== undefined || write !== undefined)
      return [diagnose("field-rule-retired", span, { problem: `it stands beside '${rule}'` })];
    return isHideable(collection, field)
      ? [diagnose("field-rule-retired", span, { problem: `the schema declares '${field}'` })]
      : [];
  });
};

function isServerOwned(path: string): boolean {
  return /^(?:id|_id|_expanded|_meta)(?:\.|$)/.test(path);
}

function isEmptyEntry(file: SourceFile, field: string): boolean {
  return Object.keys(objectOf(objectOf(file.value.fields)[field])).length === 0;
}
