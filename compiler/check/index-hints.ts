/** Hints at indexes for what collection.yaml declares that clients will ask for. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { knownField } from "../model/known-fields.ts";
import type { CollectionCheck } from "../settings/subject.ts";
import { locate } from "../source/source.ts";
import { indexedFields, indexOver } from "./indexed.ts";

/** Fields to group by of which no index holds the values: each document is read for them. */
export const unindexedGroups: CollectionCheck = ({ realm, collection, collectionFile: file }) => {
  if (file === undefined) return [];
  // An index tells the groups by any of its fields, where it is read from end to end.
  const inIndexes = collection.indexes.flatMap(({ fields }) => fields.map(({ path }) => path));
  const held = new Set([...indexedFields(realm, collection), ...inIndexes]);
  return (collection.aggregate?.groupBy ?? []).flatMap((path, at) => {
    const field = knownField(realm, collection, path);
    // The groups by an array are told by the documents alone.
    const isServable = field?.arrays.length === 0 && !field.kinds.includes("object");
    if (!isServable || held.has(path)) return [];
    const problem = `no index holds '${path}', so grouping by it reads each document`;
    // What is asked of one organization is told by an index that begins with it.
    const fields = [...(collection.organization === undefined ? [] : ["_meta.org"]), path];
    return [advised(fields, problem, locate(file, ["aggregate", "group_by", at]))];
  });
};

/** References against whose direction no index leads: to the documents that refer to another one. */
export const unindexedReferences: CollectionCheck = ({ realm, collection, collectionFile: file }) => {
  if (file === undefined) return [];
  const indexed = indexedFields(realm, collection);
  return collection.references.flatMap(({ name, field, collection: target }) => {
    if (indexed.has(field)) return [];
    const problem = `no index finds what refers to one of '${target}' by '${field}': such a list looks at each document`;
    return [advised([field], problem, locate(file, ["references", name, "field"]))];
  });
};

function advised(fields: readonly string[], problem: string, span: Span): Diagnostic {
  return diagnose("index-advised", span, { problem, index: indexOver(...fields) });
}
