/** Two versions of a collection, but for its rules. */

import {
  createErrors,
  expandErrors,
  searchErrors,
  updateErrors,
} from "../../runtime/contract/document-errors.ts";
import type { Collection, Realm, TextIndex } from "../model/model.ts";
import type { Note } from "../settings/change.ts";
import { collectionSettings } from "../settings/collection.ts";
import { turnover } from "../settings/words.ts";
import type { Report } from "./catalogue.ts";
import { compareIndexes } from "./indexes.ts";
import { compareSchemas } from "./schema/compare.ts";

export interface Version {
  readonly realm: Realm;
  readonly collection: Collection;
}

/** `support/tickets`, as it begins every place in it. */
export function collectionPlace({ database, name }: Collection): string {
  return `${database}/${name}`;
}

export function compareCollections(before: Version, after: Version, report: Report, note: Note): void {
  const [old, now] = [before.collection, after.collection];
  const place = collectionPlace(now);
  compareSchemas(old.schema, now.schema, `${place} schema`, report);
  compareIndexes(old, now, place, report);
  compareSearch(old.text, now.text, `${place} text`, report);
  for (const { compare } of collectionSettings) compare(old, now, place, note);
  compareErrors(before, after, `${place} errors`, report);
}

function compareSearch(
  old: TextIndex | undefined,
  now: TextIndex | undefined,
  where: string,
  report: Report,
): void {
  if (old === undefined || now === undefined) {
    if (old !== undefined) report("search-removed", where, {});
    if (now !== undefined) report("search-added", where, {});
    return;
  }
  const paths = ({ fields }: TextIndex): string[] => fields.map(({ path }) => path);
  const { gone, added } = turnover(paths(old), paths(now));
  if (gone) report("search-field-removed", where, { fields: gone });
  if (added) report("search-field-added", where, { fields: added });
  for (const { path, weight } of now.fields) {
    const before = old.fields.find((field) => field.path === path);
    if (before !== undefined && before.weight !== weight)
      report("search-weight-changed", `${where}.${path}`, { old: before.weight, new: weight });
  }
  const language = ({ defaultLanguage, languageField }: TextIndex): string =>
    languageField === undefined ? defaultLanguage : `${defaultLanguage}, or what ${languageField} says`;
  if (language(old) !== language(now))
    report("search-language-changed", where, { old: language(old), new: language(now) });
}

/** What operations answer beside what all of them do. */
function compareErrors(before: Version, after: Version, where: string, report: Report): void {
  for (const [operations, codesOf] of errors) {
    const { gone, added } = turnover(codesOf(before), codesOf(after));
    if (added) report("error-added", where, { operations, codes: added });
    if (gone) report("error-removed", where, { operations, codes: gone });
  }
}

const errors: readonly (readonly [string, (version: Version) => readonly string[]])[] = [
  ["creates", (version) => createErrors(version.realm, version.collection)],
  ["updates", ({ collection }) => updateErrors(collection)],
  ["searches", ({ collection }) => searchErrors(collection)],
  ["reads with expand", ({ collection }) => expandErrors(collection)],
];
