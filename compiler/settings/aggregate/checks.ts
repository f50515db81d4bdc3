/** The rules of configuration.md for `aggregate` of collection.yaml. */
import { deletionFields, ownershipFields } from "../../../runtime/filter/fields.ts";
import type { AggregateFunction } from "../../../runtime/realm/definition.ts";
import type { Diagnostic, Span } from "../../diagnostics/diagnostic.ts";
import { storedFields } from "../../model/file-fields.ts";
import { objectOf, texts } from "../../model/given.ts";
import {
  describeField,
  insideHint,
  isOpen,
  type KnownField,
  knownField,
  undeclaredHint,
} from "../../model/known-fields.ts";
import { serverFields, settingOf } from "../../model/server-fields.ts";
import { locate } from "../../source/source.ts";
import { type CollectionCheck, type CollectionSubject, isReliable } from "../subject.ts";
import { diagnose } from "./codes.ts";

export const aggregation: CollectionCheck = (subject) => {
  const { collection, collectionFile: file } = subject;
  const { aggregate } = collection;
  if (file === undefined || aggregate === undefined) return [];
  if (aggregate.groupBy.length === 0 && aggregate.metrics.length === 0)
    return isReliable(subject, ["aggregate"]) ? [diagnose("aggregate-empty", aggregate.span, {})] : [];
  const groups = aggregate.groupBy.flatMap((path, at) => {
    const place = ["aggregate", "group_by", at];
    return isReliable(subject, place) ? groupProblems(subject, path, locate(file, place)) : [];
  });
  const named = objectOf(objectOf(file.value.aggregate).metrics);
  const metrics = aggregate.metrics.flatMap(({ path, functions }) => {
    const place = ["aggregate", "metrics", path];
    if (!isReliable(subject, place)) return [];
    const found = fieldProblems(subject, path, locate(file, place, "key"));
    const field = knownField(subject.realm, collection, path);
    if (found.length > 0 || field === undefined) return found;
    const written = texts(named[path] ?? null) ?? [];
    return functions.flatMap((each) =>
      functionProblems(subject, field, each, locate(file, [...place, written.indexOf(each)])),
    );
  });
  return [...groups, ...metrics];
};

function groupProblems(subject: CollectionSubject, path: string, span: Span): Diagnostic[] {
  const found = fieldProblems(subject, path, span);
  const field = knownField(subject.realm, subject.collection, path);
  if (found.length > 0 || field === undefined || !field.kinds.includes("object")) return found;
  return [wrongType(subject, "grouping", field, "scalars", span)];
}

/** What holds of every field that is named. */
function fieldProblems(subject: CollectionSubject, path: string, span: Span): Diagnostic[] {
  const { realm, collection } = subject;
  const field = knownField(realm, collection, path);
  if (field === undefined || Object.hasOwn(deletionFields, path)) return undeclared(subject, path, span);
  const array = field.arrays.find((one) => one !== path);
  if (array !== undefined) return [diagnose("aggregate-array", span, { field: path, array })];
  const [sign] = /[,:]|^-/.exec(path) ?? [];
  return sign === undefined ? [] : [diagnose("aggregate-name", span, { field: path, sign })];
}

/** A grouping as requests write it. */
const periodic = /^(.+):(?:hour|day|week|month|quarter|year)$/;

function undeclared(subject: CollectionSubject, field: string, span: Span): Diagnostic[] {
  const { realm, collection, label } = subject;
  if (isOpen(collection, field)) return [];
  const unknown = (hint: string): Diagnostic[] => [
    diagnose("aggregate-field", span, { field, collection: label }, { hint }),
  ];
  const setting = settingOf(field);
  if (setting === "soft_delete") return unknown("deleted documents are never aggregated");
  if (setting !== undefined)
    return isReliable(subject, [setting]) ? unknown(`only collections with ${setting} have it`) : [];
  if (Object.hasOwn(ownershipFields, field)) return unknown("only realms with auth: enabled have it");
  const [, dated] = periodic.exec(field) ?? [];
  if (dated !== undefined) return unknown(`write '${dated}'; requests choose the period`);
  if (field === "count") return unknown("documents can be counted without saying so");
  const known = Object.keys(serverFields(realm, collection)).filter(
    (path) => !Object.hasOwn(deletionFields, path),
  );
  return unknown(undeclaredHint(collection, field, known));
}

function functionProblems(
  subject: CollectionSubject,
  field: KnownField,
  name: AggregateFunction,
  span: Span,
): Diagnostic[] {
  const { needs, fits } = wanted[name];
  return fits(field) ? [] : [wrongType(subject, name, field, needs, span)];
}

interface Wanted {
  readonly needs: string;
  readonly fits: (field: KnownField) => boolean;
}

const numbers: Wanted = {
  needs: "numbers",
  fits: ({ kinds, arrays }) =>
    arrays.length === 0 && kinds.every((kind) => kind === "integer" || kind === "number"),
};
/** Values of one kind, which have an order; an array has several. */
const ordered: Wanted = {
  needs: "numbers, strings or dates, of one kind",
  fits: ({ kinds, arrays }) =>
    arrays.length === 0 && kinds.length === 1 && kinds[0] !== "boolean" && kinds[0] !== "object",
};
/** Each element of an array counts. */
const scalars: Wanted = { needs: "scalars", fits: ({ kinds }) => !kinds.includes("object") };

const wanted: Readonly<Record<AggregateFunction, Wanted>> = {
  sum: numbers,
  avg: numbers,
  min: ordered,
  max: ordered,
  distinct: scalars,
};

function wrongType(
  { collection }: CollectionSubject,
  use: string,
  known: KnownField,
  needs: string,
  span: Span,
): Diagnostic {
  const related =
    known.span === undefined ? [] : [{ message: "the field is declared here", span: known.span }];
  const hint = known.kinds.includes("object") ? insideHint(storedFields(collection), known.path) : undefined;
  const parameters = { use, field: known.path, needs, found: describeField(known) };
  return diagnose("aggregate-type", span, parameters, { related, hint });
}
