import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RouteTable } from "../../realm/exchange.ts";
import type { Open } from "../entrance.ts";
import { aggregateDocuments } from "./aggregate.ts";
import { batchRoute } from "./batch.ts";
import { createDocument } from "./create.ts";
import { deleteDocument, softDeleteDocument } from "./delete.ts";
import { getDocument } from "./get.ts";
import { listDocuments } from "./list.ts";
import { restoreDocument } from "./restore.ts";
import { patchDocument, replaceDocument } from "./update.ts";

/**
 * All that is done to the documents of a realm, by another way than the collections' own.
 * @param base what their paths begin with
 * @param collections all of the realm
 */
export function documentRoutes(
  base: string,
  collections: readonly CollectionDefinition[],
  entrance: Open,
): RouteTable {
  const databases = new Set(collections.map(({ database }) => database));
  const tables = [
    ...collections.map((collection) => collectionRoutes(base, collection, entrance)),
    ...[...databases].map((database) => {
      const own = collections.filter((collection) => collection.database === database);
      return { [`${base}/${database}/_batch`]: { POST: batchRoute(database, own, entrance) } };
    }),
  ];
  return Object.fromEntries(tables.flatMap((table) => Object.entries(table)));
}

function collectionRoutes(base: string, collection: CollectionDefinition, entrance: Open): RouteTable {
  const { database, name, softDelete } = collection;
  const path = `${base}/${database}/${name}`;
  const remove = softDelete === undefined ? deleteDocument : softDeleteDocument;
  return {
    [path]: { GET: listDocuments(collection, entrance), POST: createDocument(collection, entrance) },
    [`${path}/_aggregate`]: { GET: aggregateDocuments(collection, entrance) },
    [`${path}/:id`]: {
      GET: getDocument(collection, entrance),
      PUT: replaceDocument(collection, entrance),
      PATCH: patchDocument(collection, entrance),
      DELETE: remove(collection, entrance),
    },
    ...(softDelete !== undefined && {
      [`${path}/:id/restore`]: { POST: restoreDocument(collection, entrance) },
    }),
  };
}
