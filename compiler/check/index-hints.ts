/** Hints at indexes for what collection.yaml declares that clients will ask for. */
import { eq, TRUE } from "../../runtime/filter/algebra.ts";
import { field } from "../../runtime/filter/fields.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { groupsAreHeld, isServed } from "../plans/planning.ts";
import { fieldAt, fieldTable, shapeOf } from "../plans/shapes.ts";
import type { CollectionCheck } from "../settings/subject.ts";
import { locate } from "../source/source.ts";
import { indexOver } from "./index-advice.ts";

/** Fields to group by that no index tells, though one could: each document is read for them. */
export const unindexedGroups: CollectionCheck = ({ realm, collection, collectionFile: file }) => {
  if (file === undefined) return [];
  const fields = fieldTable(realm, collection);
  const shape = shapeOf(realm, collection);
  // What is asked of one organization is told by an index that begins with it.
  const ofOrganization = collection.organization === undefined ? [] : ["_meta.org"];
  const asked = [TRUE, ...ofOrganization.map((path) => eq(field(path, "string"), "acme"))];
  return (collection.aggregate?.groupBy ?? []).flatMap((path, at) => {
    const own = fields[path];
    if (own === undefined || asked.some((filter) => groupsAreHeld(shape, own, filter))) return [];
    const advice = [...ofOrganization, path];
    const mended = shapeOf(realm, collection, [...collection.indexes, plainIndex(advice)]);
    if (!asked.some((filter) => groupsAreHeld(mended, own, filter))) return [];
    const holds = collection.indexes.some(({ fields }) => fields.some((each) => each.path === path))
      ? `no index holds '${path}' of all documents (unique ones leave some out)`
      : `no index holds '${path}'`;
    const problem = `${holds}, so grouping by it reads each document`;
    return [advised(advice, problem, locate(file, ["aggregate", "group_by", at]))];
  });
};

/** References against whose direction no index leads: to the documents that refer to another one. */
export const unindexedReferences: CollectionCheck = ({ realm, collection, collectionFile: file }) => {
  if (file === undefined) return [];
  const shape = shapeOf(realm, collection);
  return collection.references.flatMap(({ name, field: path, collection: target }) => {
    const own = fieldAt(realm, collection, path);
    if (isServed(shape, eq(own, "01m7zefm3b7jabexb93r"))) return [];
    const problem = `no index finds what refers to one of '${target}' by '${path}': such a list looks at each document`;
    return [advised([path], problem, locate(file, ["references", name, "field"]))];
  });
};

function plainIndex(paths: readonly string[]) {
  return { name: "advised", fields: paths.map((path) => ({ path, descending: false })), unique: false };
}

function advised(fields: readonly string[], problem: string, span: Span): Diagnostic {
  return diagnose("index-advised", span, { problem, index: indexOver(...fields) });
}
