import { field, organizationFields } from "../../runtime/filter/fields.ts";
import type { IndexShape } from "../../runtime/store/contract/shape.ts";
import { indexedPaths } from "../../runtime/store/sqlite/indexes.ts";
import { knownField } from "../model/known-fields.ts";
import type { Collection, Index, Realm } from "../model/model.ts";

/** Paths of the fields whose values indexes of the collection find, as the engine judges it. */
export function indexedFields(realm: Realm, collection: Collection): ReadonlySet<string> {
  const shapes = collection.indexes.map((index) => shapeOf(realm, collection, index));
  // The runtime makes an index over the organization by itself.
  const own = collection.organization === undefined ? [] : Object.keys(organizationFields);
  return new Set([...indexedPaths(shapes), ...own]);
}

/** An entry of indexes.json. */
export function indexOver(...paths: readonly string[]): string {
  return `{ "fields": [${paths.map((path) => JSON.stringify(path)).join(", ")}] }`;
}

function shapeOf(realm: Realm, collection: Collection, { name, fields, unique }: Index): IndexShape {
  const keys = fields.map(({ path, descending }) => {
    const known = knownField(realm, collection, path);
    return { field: field(path, known?.kinds ?? [], known?.arrays), descending };
  });
  return { name, keys, unique };
}
