import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RouteTable } from "../../realm/exchange.ts";
import { aggregateDocuments } from "../routes/aggregate.ts";
import { batchRoute } from "../routes/batch.ts";
import { createDocument } from "../routes/create.ts";
import { deleteDocument, softDeleteDocument } from "../routes/delete.ts";
import { getDocument } from "../routes/get.ts";
import { listDocuments } from "../routes/list.ts";
import { restoreDocument } from "../routes/restore.ts";
import { patchDocument, replaceDocument } from "../routes/update.ts";
import { assignDocuments } from "./assign.ts";
import { checkDocuments } from "./check.ts";
import { administratorEntrance as entrance } from "./entrance.ts";
import { transferDocument } from "./transfer.ts";

/**
 * The routes of `/v1/{realm}/_admin/data`: those of the collections, on the way of administrators (spec: Administrator
 * routes).
 * @param collections all of the realm
 */
export function dataRoutes(realm: string, collections: readonly CollectionDefinition[]): RouteTable {
  const base = `/v1/${realm}/_admin/data`;
  const databases = new Set(collections.map(({ database }) => database));
  const tables = [
    ...collections.map((collection) => collectionRoutes(base, collection)),
    ...[...databases].map((database) => databaseRoutes(base, database, collections)),
  ];
  return Object.fromEntries(tables.flatMap((table) => Object.entries(table)));
}

function databaseRoutes(
  base: string,
  database: string,
  collections: readonly CollectionDefinition[],
): RouteTable {
  const own = collections.filter((collection) => collection.database === database);
  return { [`${base}/${database}/_batch`]: { POST: batchRoute(database, own, entrance) } };
}

function collectionRoutes(base: string, collection: CollectionDefinition): RouteTable {
  const { database, name, softDelete, organization } = collection;
  const path = `${base}/${database}/${name}`;
  const remove = softDelete === undefined ? deleteDocument : softDeleteDocument;
  return {
    [path]: { GET: listDocuments(collection, entrance), POST: createDocument(collection, entrance) },
    [`${path}/_aggregate`]: { GET: aggregateDocuments(collection, entrance) },
    [`${path}/_check`]: { POST: checkDocuments(collection) },
    [`${path}/:id`]: {
      GET: getDocument(collection, entrance),
      PUT: replaceDocument(collection, entrance),
      PATCH: patchDocument(collection, entrance),
      DELETE: remove(collection, entrance),
    },
    ...(softDelete !== undefined && {
      [`${path}/:id/restore`]: { POST: restoreDocument(collection, entrance) },
    }),
    ...(organization !== undefined && {
      [`${path}/_assign_org`]: { POST: assignDocuments(collection) },
      [`${path}/:id/_transfer`]: { POST: transferDocument(collection) },
    }),
  };
}
