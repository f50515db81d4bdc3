/** Two versions of a collection, but for its rules. */
import { printDuration } from "../../runtime/units.ts";
import { expandErrors } from "../../templates/openapi/paths/collection.ts";
import { searchErrors } from "../../templates/openapi/paths/queries.ts";
import { createErrors, updateErrors } from "../../templates/openapi/paths/writes.ts";
import { placeOf } from "../../templates/openapi/schemas/place.ts";
import type { Aggregation, Collection, Realm, Reference, TextIndex } from "../model/model.ts";
import type { Report } from "./catalogue.ts";
import { compareIndexes } from "./indexes.ts";
import { compareLimit } from "./limits.ts";
import { compareBelonging } from "./organizations.ts";
import { compareSchemas } from "./schema/compare.ts";
import { missing } from "./words.ts";

/** A collection and the realm it is in. */
export interface Version {
  readonly realm: Realm;
  readonly collection: Collection;
}

/** `support/tickets`, as it begins every place in it. */
export function collectionPlace({ database, name }: Collection): string {
  return `${database}/${name}`;
}

export function compareCollections(before: Version, after: Version, report: Report): void {
  const [old, now] = [before.collection, after.collection];
  const place = collectionPlace(now);
  compareSchemas(placeOf(old.schema), placeOf(now.schema), `${place} schema`, report);
  compareSoftDelete(old, now, `${place} soft_delete`, report);
  compareCustomId(old, now, `${place} custom_id`, report);
  compareIndexes(old, now, place, report);
  compareSearch(old.text, now.text, `${place} text`, report);
  compareReferences(old, now, place, report);
  compareExpansion(old, now, place, report);
  compareAggregation(old.aggregate, now.aggregate, `${place} aggregate`, report);
  compareCache(old, now, `${place} cache`, report);
  if ((old.realtime === undefined) !== (now.realtime === undefined))
    report(now.realtime === undefined ? "realtime-removed" : "realtime-added", `${place} realtime`, {});
  compareBelonging(old, now, place, report);
  compareErrors(before, after, `${place} errors`, report);
}

function compareSoftDelete(
  { softDelete: old }: Collection,
  { softDelete: now }: Collection,
  where: string,
  report: Report,
): void {
  if (old === undefined || now === undefined) {
    if (old !== undefined) report("soft-delete-disabled", where, {});
    if (now !== undefined) report("soft-delete-enabled", where, {});
    return;
  }
  const [before = Number.POSITIVE_INFINITY, after = Number.POSITIVE_INFINITY] = [
    old.retention,
    now.retention,
  ];
  if (before === after) return;
  const kept = (time: number): string => (Number.isFinite(time) ? `for ${printDuration(time)}` : "for ever");
  report(after < before ? "retention-shortened" : "retention-lengthened", where, {
    old: kept(before),
    new: kept(after),
  });
}

function compareCustomId(
  { customId: old }: Collection,
  { customId: now }: Collection,
  where: string,
  report: Report,
): void {
  if (old === undefined || now === undefined) {
    if (old !== undefined) report("custom-id-disabled", where, {});
    if (now !== undefined) report("custom-id-enabled", where, {});
    return;
  }
  type Ids = NonNullable<Collection["customId"]>;
  const form = ({ is, pattern }: Ids): string =>
    is === "user" ? "the user's own id" : pattern === undefined ? "any" : `those that match ${pattern}`;
  if (form(old) !== form(now)) {
    const anyId = now.is === undefined && now.pattern === undefined;
    report(anyId ? "custom-id-widened" : "custom-id-narrowed", where, { old: form(old), new: form(now) });
  }
  if (old.duplicateLimit !== now.duplicateLimit) {
    const lowered = now.duplicateLimit < old.duplicateLimit;
    const parameters = { old: old.duplicateLimit, new: now.duplicateLimit };
    report(lowered ? "duplicate-limit-lowered" : "duplicate-limit-raised", where, parameters);
  }
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
  const gone = missing(paths(old), paths(now));
  const added = missing(paths(now), paths(old));
  if (gone.length > 0) report("search-field-removed", where, { fields: gone.join(", ") });
  if (added.length > 0) report("search-field-added", where, { fields: added.join(", ") });
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

function compareReferences(old: Collection, now: Collection, place: string, report: Report): void {
  const names = [...new Set([...old.references, ...now.references].map(({ name }) => name))].sort();
  for (const name of names) {
    const where = `${place} references.${name}`;
    const [before, after] = [old, now].map(({ references }) => references.find((each) => each.name === name));
    if (after === undefined) report("reference-removed", where, { name });
    else if (before === undefined) report("reference-added", where, { name });
    else compareReference(before, after, where, report);
  }
}

function compareReference(old: Reference, now: Reference, where: string, report: Report): void {
  const described = (reference: Reference) => ({
    "the target": `${reference.database}/${reference.collection}`,
    "the source": reference.field,
    "the target's field": reference.key,
    "what it holds": reference.many ? "many" : "one",
  });
  const after = Object.entries(described(now));
  for (const [at, [what, before]] of Object.entries(described(old)).entries()) {
    const [, value = before] = after[at] ?? [];
    if (value !== before) report("reference-changed", where, { what, old: before, new: value });
  }
  compareLimit("expansion", old.maxExpand, now.maxExpand, `${where}.max_expand`, report);
}

function compareExpansion(old: Collection, now: Collection, place: string, report: Report): void {
  for (const [key, name] of [
    ["maxDepth", "max_depth"],
    ["maxPaths", "max_paths"],
    ["maxArray", "max_array"],
    ["maxDocs", "max_docs"],
  ] as const)
    compareLimit("expansion", old.expand?.[key], now.expand?.[key], `${place} expand.${name}`, report);
}

function compareAggregation(
  old: Aggregation | undefined,
  now: Aggregation | undefined,
  where: string,
  report: Report,
): void {
  if (old === undefined || now === undefined) {
    if (old !== undefined) report("aggregation-removed", where, {});
    if (now !== undefined) report("aggregation-added", where, {});
    return;
  }
  const gone = missing(old.groupBy, now.groupBy);
  const added = missing(now.groupBy, old.groupBy);
  if (gone.length > 0) report("group-removed", `${where}.group_by`, { fields: gone.join(", ") });
  if (added.length > 0) report("group-added", `${where}.group_by`, { fields: added.join(", ") });
  const metrics = ({ metrics: all }: Aggregation): string[] =>
    all.flatMap(({ path, functions }) => functions.map((name) => `${name}:${path}`));
  const lost = missing(metrics(old), metrics(now));
  const won = missing(metrics(now), metrics(old));
  if (lost.length > 0) report("metric-removed", `${where}.metrics`, { metrics: lost.join(", ") });
  if (won.length > 0) report("metric-added", `${where}.metrics`, { metrics: won.join(", ") });
}

function compareCache(
  { publicCache: old }: Collection,
  { publicCache: now }: Collection,
  where: string,
  report: Report,
): void {
  if (old?.maxAge === now?.maxAge) return;
  if (now === undefined) report("cache-disabled", where, {});
  else if (old === undefined) report("cache-enabled", where, { seconds: now.maxAge });
  else report("cache-age-changed", where, { old: old.maxAge, new: now.maxAge });
}

/** What operations answer beside what all of them do. */
function compareErrors(before: Version, after: Version, where: string, report: Report): void {
  for (const [operations, codesOf] of errors) {
    const [old, now] = [codesOf(before), codesOf(after)];
    const added = missing(now, old);
    const gone = missing(old, now);
    if (added.length > 0) report("error-added", where, { operations, codes: added.join(", ") });
    if (gone.length > 0) report("error-removed", where, { operations, codes: gone.join(", ") });
  }
}

const errors: readonly (readonly [string, (version: Version) => readonly string[]])[] = [
  ["creates", (version) => createErrors(version, version.collection)],
  ["updates", ({ collection }) => updateErrors(collection)],
  ["searches", ({ collection }) => searchErrors(collection)],
  ["reads with expand", ({ collection }) => expandErrors(collection)],
];
