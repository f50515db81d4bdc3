import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RouteTable } from "../../realm/exchange.ts";
import { documentRoutes } from "../routes/table.ts";
import { assignDocuments } from "./assign.ts";
import { checkDocuments } from "./check.ts";
import { administratorEntrance } from "./entrance.ts";
import { transferDocument } from "./transfer.ts";

/**
 * The routes of `/v1/{realm}/_admin/data`: those of the collections, on the way of administrators, and what only they do
 * (spec: Administrator routes).
 * @param collections all of the realm
 */
export function dataRoutes(realm: string, collections: readonly CollectionDefinition[]): RouteTable {
  const base = `/v1/${realm}/_admin/data`;
  return {
    ...documentRoutes(base, collections, administratorEntrance),
    ...Object.fromEntries(collections.flatMap((collection) => Object.entries(further(base, collection)))),
  };
}

function further(base: string, collection: CollectionDefinition): RouteTable {
  const { database, name, organization } = collection;
  const path = `${base}/${database}/${name}`;
  return {
    [`${path}/_check`]: { POST: checkDocuments(collection) },
    ...(organization !== undefined && {
      [`${path}/_assign_org`]: { POST: assignDocuments(collection) },
      [`${path}/:id/_transfer`]: { POST: transferDocument(collection) },
    }),
  };
}
