import { batchRoute as batch, type documents, type RouteOfRules } from "../../contract/documents.ts";
import { tableBelow } from "../../http/contracted-routes.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RouteTable } from "../../realm/exchange.ts";
import type { Open } from "../entrance.ts";
import { type CollectionRoute, routesOf } from "../route.ts";
import { aggregateDocuments } from "./aggregate.ts";
import { batchRoute } from "./batch.ts";
import { createDocument } from "./create.ts";
import { deleteDocument, softDeleteDocument } from "./delete.ts";
import { getDocument } from "./get.ts";
import { listDocuments } from "./list.ts";
import { restoreDocument } from "./restore.ts";
import { patchDocument, replaceDocument } from "./update.ts";

const served: Readonly<Record<keyof typeof documents, CollectionRoute<RouteOfRules>>> = {
  ...{ listDocuments, createDocument, aggregateDocuments, getDocument, replaceDocument, patchDocument },
  ...{ deleteDocument, softDeleteDocument, restoreDocument },
};

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
  const databases = [...new Set(collections.map(({ database }) => database))];
  return tableBelow(base, [
    ...collections.flatMap((collection) => routesOf(collection, Object.values(served), entrance)),
    ...databases.map((database) => {
      const own = collections.filter((collection) => collection.database === database);
      return { contract: batch, route: batchRoute(database, own, entrance), names: { database } };
    }),
  ]);
}
