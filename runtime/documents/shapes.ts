import { documentFields, type Field, organizationFields } from "../filter/fields.ts";
import { type CollectionDefinition, type RealmDefinition, storeNameOf } from "../realm/definition.ts";
import type { FunctionDefinition } from "../realm/functions.ts";
import { newestForm } from "../realm/migrations.ts";
import type { CollectionShape, IndexShape } from "../store/contract/shape.ts";
import { idempotencyShape } from "./idempotency.ts";

const { "_meta.org": org } = organizationFields;
const { "_meta.created_at": created, id } = documentFields;

/**
 * In collections with organizations nearly every query is about some of them. The first index leads to the documents of
 * each, deleted ones too; the second one has all of them in the default order, beside each whose it is, for callers who
 * belong to many.
 */
const ofOrganizations: readonly IndexShape[] = [
  { name: "_org", keys: ascending(org), unique: false, trash: true },
  { name: "_org_order", keys: ascending(created, id, org), unique: false },
];

function ascending(...fields: readonly Field[]): IndexShape["keys"] {
  return fields.map((field) => ({ field, descending: false }));
}

/** What the store of a realm holds for its documents. */
export function documentCollections({
  collections,
  accounts,
  functions = [],
}: RealmDefinition): CollectionShape[] {
  const triggering = new Set(functions.flatMap(triggeringOf));
  const shapes = collections.map((definition): CollectionShape => {
    const shape = documentCollection(definition);
    return triggering.has(shape.name) ? { ...shape, feed: "documents" } : shape;
  });
  return accounts === undefined ? shapes : [...shapes, idempotencyShape];
}

/** Names, in the store, of the collections whose changes have a function run. */
function triggeringOf(definition: FunctionDefinition): readonly string[] {
  if (definition.mode !== "event") return [];
  return definition.triggers.map(({ database, collection }) => storeNameOf({ database, name: collection }));
}

/** What the store holds for the documents of a collection. */
export function documentCollection(definition: StoredCollection): CollectionShape {
  return {
    name: storeNameOf(definition),
    fields: definition.fields,
    indexes:
      definition.organization === undefined
        ? definition.indexes
        : [...definition.indexes, ...ofOrganizations],
    ...(definition.text !== undefined && { text: definition.text }),
    permanent: true,
    feed: definition.realtime ? "documents" : false,
    ...(definition.migrations !== undefined && { form: newestForm(definition) }),
  };
}

/** What of a collection bears on its store. */
export type StoredCollection = Pick<
  CollectionDefinition,
  "database" | "name" | "fields" | "indexes" | "text" | "organization" | "realtime" | "migrations"
>;
