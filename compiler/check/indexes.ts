/** The rules of configuration.md, indexes.json. Numbers of fields and indexes are the JSON Schema's. */
import { ownershipFields } from "../../runtime/filter/fields.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { storedFields } from "../model/file-fields.ts";
import {
  fileAt,
  insideHint,
  isOpen,
  type KnownField,
  knownField,
  undeclaredHint,
} from "../model/known-fields.ts";
import type { Index } from "../model/model.ts";
import { serverFields, settingOf } from "../model/server-fields.ts";
import { type CollectionCheck, type CollectionSubject, isReliable } from "../settings/subject.ts";
import { locate, nodeAt } from "../source/source.ts";

/** Each index for itself. */
export const indexFields: CollectionCheck = (subject) =>
  reliableIndexes(subject).flatMap(({ index, fieldSpan }) => {
    const problems = index.fields.flatMap((_, at) => fieldProblems(subject, index, at, fieldSpan(at)));
    return [...problems, ...arrayProblems(subject, index, fieldSpan)];
  });

export interface PlacedIndex {
  readonly index: Index;
  readonly fieldSpan: (at: number) => Span;
}

export function reliableIndexes({ collection, indexesFile: file, faults }: CollectionSubject): PlacedIndex[] {
  const list = file === undefined ? undefined : nodeAt(file, ["indexes"]);
  if (file === undefined || list?.kind !== "list") return [];
  return [...list.items.keys()].flatMap((at) => {
    const { line, column } = locate(file, ["indexes", at]);
    const index = collection.indexes.find(({ span }) => span.line === line && span.column === column);
    if (index === undefined || faults.touch(file.path, ["indexes", at])) return [];
    return [{ index, fieldSpan: (field: number) => locate(file, ["indexes", at, "fields", field]) }];
  });
}

function fieldProblems(subject: CollectionSubject, index: Index, at: number, span: Span): Diagnostic[] {
  const path = index.fields[at]?.path ?? "";
  if (index.fields.findIndex((field) => field.path === path) < at)
    return [diagnose("index-repeats-field", span, { field: path })];
  const field = knownField(subject.realm, subject.collection, path);
  if (field === undefined) return unknownField(subject, path, span);
  if (index.unique && field.arrays.length > 0) return [diagnose("index-unique-array", span, { field: path })];
  if (index.unique && fileAt(subject.collection, path) !== undefined)
    return [diagnose("index-unique-file", span, { field: path })];
  const onlyObjects = field.kinds.every((kind) => kind === "object");
  if (onlyObjects || (index.unique && field.kinds.includes("object"))) {
    const hint = insideHint(storedFields(subject.collection), path);
    return [diagnose("index-object", span, { field: path, be: onlyObjects ? "is" : "may be" }, { hint })];
  }
  return [];
}

function unknownField(subject: CollectionSubject, path: string, span: Span): Diagnostic[] {
  const { realm, collection, label } = subject;
  if (isOpen(collection, path)) return [];
  const unknown = (hint: string): Diagnostic[] => [
    diagnose("index-field", span, { field: path, collection: label }, { hint }),
  ];
  const setting = settingOf(path);
  if (setting !== undefined)
    return isReliable(subject, [setting]) ? unknown(`only collections with ${setting} have it`) : [];
  if (Object.hasOwn(ownershipFields, path)) return unknown("only realms with auth: enabled have it");
  const [, field, order] = /^(\S+) (asc|desc)$/i.exec(path) ?? [];
  const ordered = order?.toLowerCase() === "desc" ? `-${field}` : field;
  const server = Object.keys(serverFields(realm, collection));
  return unknown(ordered === undefined ? undeclaredHint(collection, path, server) : `write '${ordered}'`);
}

function arrayProblems(
  { realm, collection }: CollectionSubject,
  index: Index,
  span: (at: number) => Span,
): Diagnostic[] {
  if (index.unique) return [];
  const through = index.fields.flatMap(({ path }, at) =>
    (knownField(realm, collection, path)?.arrays.length ?? 0) > 0 ? [{ path, at }] : [],
  );
  const [first, ...others] = through;
  return others.map(({ path, at }) =>
    diagnose("index-arrays", span(at), { field: first?.path ?? "", other: path }),
  );
}

/** A direction asks for an order, which pages by cursor only over single values of one kind. */
export const indexOrders: CollectionCheck = (subject) =>
  reliableIndexes(subject).flatMap(({ index, fieldSpan }) =>
    index.fields.flatMap(({ path, descending }, at) => {
      const field = descending ? knownField(subject.realm, subject.collection, path) : undefined;
      if (field === undefined) return [];
      const [array] = field.arrays;
      const problem =
        array === path
          ? "is an array"
          : array !== undefined
            ? `lies in the array '${array}'`
            : field.kinds.length > 1
              ? "holds values of several kinds"
              : undefined;
      return problem === undefined
        ? []
        : [diagnose("index-order-without-cursor", fieldSpan(at), { field: path, problem })];
    }),
  );

/** Indexes that are the same, or have the same name. */
export const duplicateIndexes: CollectionCheck = (subject) => {
  const names = new Map<string, Index>();
  const contents = new Map<string, Index>();
  return reliableIndexes(subject).flatMap(({ index }) => {
    const content = index.fields.map(({ path, descending }) => `${descending ? "-" : ""}${path}`).join(",");
    const same = contents.get(content);
    const namesake = names.get(index.name.toLowerCase());
    contents.set(content, index);
    names.set(index.name.toLowerCase(), index);
    if (same !== undefined)
      return [duplicate(index, same, "this index has the same fields as an earlier one")];
    if (namesake === undefined) return [];
    return [
      duplicate(
        index,
        namesake,
        `another index has the name '${namesake.name}' too`,
        'give this one another "name"',
      ),
    ];
  });
};

/** Indexes whose fields another one begins with. Unique ones forbid something of their own, and hold not every document. */
export const redundantIndexes: CollectionCheck = (subject) => {
  const { realm, collection } = subject;
  const plain = reliableIndexes(subject).filter(({ index }) => !index.unique);
  return plain.flatMap(({ index }) => {
    const { fields } = index;
    const longer = plain.find(
      ({ index: other }) =>
        other.fields.length > fields.length &&
        fields.every(
          ({ path, descending }, at) =>
            other.fields[at]?.path === path && other.fields[at]?.descending === descending,
        ) &&
        // An index through an array holds a document once for each element, or not at all.
        other.fields.slice(fields.length).every(({ path }) => isSingle(knownField(realm, collection, path))),
    );
    if (longer === undefined) return [];
    const related = [{ message: "the other index is declared here", span: longer.index.span }];
    return [diagnose("index-redundant", index.span, { other: longer.index.name }, { related })];
  });
};

function isSingle(field: KnownField | undefined): boolean {
  return field?.arrays.length === 0;
}

/** Unique indexes that leave room for a few documents only. */
export const uniqueBooleans: CollectionCheck = ({ realm, collection, ...subject }) =>
  reliableIndexes({ realm, collection, ...subject }).flatMap(({ index }) => {
    const areBooleans = index.fields.every(({ path }) => {
      const field = knownField(realm, collection, path);
      return isSingle(field) && field?.kinds.length === 1 && field.kinds[0] === "boolean";
    });
    if (!index.unique || !areBooleans || index.fields.length === 0) return [];
    const fields = index.fields.map(({ path }) => `'${path}'`).join(" and ");
    const documents = 2 ** index.fields.length;
    return [diagnose("index-unique-boolean", index.span, { documents, fields })];
  });

function duplicate(index: Index, other: Index, problem: string, hint?: string): Diagnostic {
  const related = [{ message: "the other index is declared here", span: other.span }];
  return diagnose("index-duplicate", index.span, { problem }, { related, hint });
}

/** Unique values tell that a document of another organization has them. */
export const uniqueAcrossOrganizations: CollectionCheck = (subject) => {
  if (subject.collection.organization === undefined) return [];
  return reliableIndexes(subject).flatMap(({ index: { fields, unique, span } }) => {
    const within = fields.some(({ path }) => path === "_meta.org" || path === "_meta.team");
    if (!unique || within) return [];
    const paths = ["_meta.org", ...fields.map(({ path, descending }) => (descending ? `-${path}` : path))];
    return [
      diagnose("index-unique-across", span, { fields: paths.map((path) => JSON.stringify(path)).join(", ") }),
    ];
  });
};
