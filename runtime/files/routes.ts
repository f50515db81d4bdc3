import { administratorEntrance } from "../documents/administration/entrance.ts";
import { clientEntrance, type Open } from "../documents/entrance.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { RouteFactory, RouteTable, StreamRouteFactory } from "../realm/exchange.ts";
import type { FileField } from "../realm/files.ts";
import { downloadFrom } from "./download.ts";
import { linkedFiles } from "./linked.ts";
import { placeIn } from "./place.ts";
import { removeFrom } from "./remove.ts";
import { uploadTo } from "./upload.ts";

/**
 * The routes of a realm's files (files.md, Routes): of clients, and of administrators past the rules.
 * @param collections all of the realm
 */
export function fileRoutes(realm: string, collections: readonly CollectionDefinition[]): RouteTable {
  const ways: readonly (readonly [base: string, open: Open])[] = [
    [`/v1/${realm}`, clientEntrance],
    [`/v1/${realm}/_admin/data`, administratorEntrance],
  ];
  const table: Record<string, RouteTable[string]> = {};
  for (const definition of collections) {
    for (const field of definition.files ?? []) {
      for (const [base, open] of ways) {
        const path = `${base}/${definition.database}/${definition.name}/:id/_files/${field.name}`;
        Object.assign(table, fieldRoutes(path, definition, field, open));
      }
    }
  }
  table[`/v1/${realm}/_files/:signed`] = { GET: linkedFiles(collections) };
  return table;
}

function fieldRoutes(
  path: string,
  definition: CollectionDefinition,
  field: FileField,
  open: Open,
): RouteTable {
  const upload: StreamRouteFactory = (realm) => {
    const place = placeIn(realm, definition, field, open);
    return { class: place.entrance.class, body: "stream", handle: uploadTo(place) };
  };
  const download: RouteFactory = (realm) => {
    const place = placeIn(realm, definition, field, open);
    return { class: place.entrance.class, handle: downloadFrom(place) };
  };
  const remove: RouteFactory = (realm) => {
    const place = placeIn(realm, definition, field, open);
    return { class: place.entrance.class, handle: removeFrom(place) };
  };
  return { [path]: { POST: upload }, [`${path}/:file`]: { GET: download, DELETE: remove } };
}
