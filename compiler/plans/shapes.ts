/** What the engines hold for the documents of a collection, from its model: what its emitted definition would say. */
import { documentCollection } from "../../runtime/documents/shapes.ts";
import { type Field, type FieldTable, field } from "../../runtime/filter/fields.ts";
import type { CollectionShape } from "../../runtime/store/contract/shape.ts";
import { storedFields } from "../model/file-fields.ts";
import { knownField } from "../model/known-fields.ts";
import type { Collection, Index, Realm } from "../model/model.ts";
import { serverFields } from "../model/server-fields.ts";

/** The indexes and the organization of the collection; `indexes` in place of those that it declares. */
export function shapeOf(
  realm: Realm,
  collection: Collection,
  indexes: readonly Pick<Index, "name" | "fields" | "unique">[] = collection.indexes,
): CollectionShape {
  const { database, name, organization, realtime } = collection;
  return documentCollection({
    database,
    name,
    fields: fieldTable(realm, collection),
    indexes: indexes.map(({ name: own, fields, unique }) => ({
      name: own,
      keys: fields.map(({ path, descending }) => ({ field: fieldAt(realm, collection, path), descending })),
      unique,
    })),
    ...(organization !== undefined && { organization }),
    ...(realtime !== undefined && { realtime: true }),
  });
}

/** The field at a path that `where` may name; of another path a field that holds nothing. */
export function fieldAt(realm: Realm, collection: Collection, path: string): Field {
  const known = knownField(realm, collection, path);
  return field(path, known?.kinds ?? [], known?.arrays);
}

/** The fields of documents, by their paths. */
export function fieldTable(realm: Realm, collection: Collection): FieldTable {
  return {
    ...serverFields(realm, collection),
    ...Object.fromEntries(
      storedFields(collection).map(({ path, kinds, arrays, nullable }) => [
        path,
        field(path, nullable ? [...kinds, "null"] : kinds, arrays),
      ]),
    ),
  };
}
