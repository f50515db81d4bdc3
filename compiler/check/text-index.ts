/** The rules of configuration.md for `text` of indexes.json. Weights and the number of fields are the JSON Schema's. */
import { documentFields, isWithin } from "../../runtime/filter/fields.ts";
import { stemmerFor } from "../../runtime/filter/search/languages.ts";
import { isLocale } from "../../runtime/filter/search/locales.ts";
import { didYouMean } from "../../runtime/suggest.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { noLanguage } from "../model/indexes.ts";
import { declaredField, describeField, insideHint, isOpen } from "../model/known-fields.ts";
import type { DeclaredField } from "../model/model.ts";
import type { CollectionCheck, CollectionSubject } from "../settings/subject.ts";
import { locate } from "../source/source.ts";

export const textIndex: CollectionCheck = (subject) => {
  const { collection, indexesFile: file, faults } = subject;
  const { text } = collection;
  if (file === undefined || text === undefined) return [];
  const reliable = (...path: readonly string[]): boolean => !faults.touch(file.path, ["text", ...path]);
  const fields = text.fields.flatMap(({ path }) =>
    reliable("fields", path)
      ? fieldProblems(subject, path, locate(file, ["text", "fields", path], "key"))
      : [],
  );
  return [
    ...fields,
    ...(reliable("default_language")
      ? languageProblems(text.defaultLanguage, locate(file, ["text", "default_language"]))
      : []),
    ...(text.languageField !== undefined && reliable("language_field")
      ? languageFieldProblems(subject, text.languageField, locate(file, ["text", "language_field"]))
      : []),
  ];
};

function fieldProblems(subject: CollectionSubject, path: string, span: Span): Diagnostic[] {
  const field = declaredField(subject.collection, path);
  if (field === undefined) return undeclared(subject, path, span);
  if (onlyStrings(field)) return hiddenProblems(subject, path, span);
  const related = [{ message: "the field is declared here", span: field.span }];
  const hint = field.kinds.includes("object") ? insideHint(textFields(subject), path) : undefined;
  const parameters = { field: path, found: field.kinds.join(" or ") };
  return [diagnose("text-field-type", span, parameters, { related, hint })];
}

/** Field rules on the path or above it, but for those that hide it from nobody. */
function hiddenProblems({ collection }: CollectionSubject, field: string, span: Span): Diagnostic[] {
  const rule = collection.fieldRules.find(
    ({ path, read }) => isWithin(field, path) && read !== undefined && read.text.trim() !== "true",
  );
  if (rule === undefined) return [];
  const related = [{ message: "the field rule stands here", span: rule.span }];
  return [diagnose("text-field-hidden", span, { field }, { related })];
}

function undeclared(subject: CollectionSubject, field: string, span: Span): Diagnostic[] {
  if (isOpen(subject.collection, field)) return [];
  const isServer = field === "_meta" || field.startsWith("_meta.") || Object.hasOwn(documentFields, field);
  const strings = textFields(subject).map(({ path }) => path);
  const hint = isServer
    ? "it belongs to the server, and is no text"
    : (didYouMean(field, strings) ?? "declare it in schema.json");
  return [diagnose("index-field", span, { field, collection: subject.label }, { hint })];
}

function languageFieldProblems(subject: CollectionSubject, path: string, span: Span): Diagnostic[] {
  const field = declaredField(subject.collection, path);
  if (field === undefined) return undeclared(subject, path, span);
  if (onlyStrings(field) && field.arrays.length === 0) return hiddenProblems(subject, path, span);
  const related = [{ message: "the field is declared here", span: field.span }];
  return [diagnose("text-language-field", span, { field: path, found: describeField(field) }, { related })];
}

function textFields({ collection }: CollectionSubject): DeclaredField[] {
  return collection.fields.filter(onlyStrings);
}

function onlyStrings({ kinds }: DeclaredField): boolean {
  return kinds.length === 1 && kinds[0] === "string";
}

function languageProblems(language: string, span: Span): Diagnostic[] {
  if (language === noLanguage) return [];
  if (!isCode(language))
    return [diagnose("text-language", span, { language }, { hint: localeHint(language) })];
  return stemmerFor(language) === undefined ? [diagnose("text-language-unstemmed", span, { language })] : [];
}

/** A locale code whose language has two or three letters, which leaves out names of languages: `de`, `zh-Hant`. */
function isCode(text: string): boolean {
  return /^[A-Za-z]{2,3}(?:-[A-Za-z0-9-]+)?$/.test(text) && isLocale(text);
}

function localeHint(text: string): string {
  if (text.toLowerCase() === noLanguage) return `write '${noLanguage}'`;
  const dashed = text.replaceAll("_", "-");
  if (dashed !== text && isCode(dashed)) return `write '${dashed}'`;
  const code = codeOf(text.toLowerCase());
  return code === undefined
    ? `locale codes are such as en, de, pt-BR; or write ${noLanguage}`
    : `write '${code}'`;
}

/** The code of a language called by its English name. */
function codeOf(name: string): string | undefined {
  const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .find((code) => names.of(code)?.toLowerCase() === name);
}
