import type { RouteContract } from "../../contract/contract.ts";
import { dataPath, type documentAdministration } from "../../contract/document-administration.ts";
import { routeTable } from "../../http/contracted-routes.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RouteTable } from "../../realm/exchange.ts";
import { type CollectionRoute, routesOf } from "../route.ts";
import { documentRoutes } from "../routes/table.ts";
import { assignDocuments } from "./assign.ts";
import { checkDocuments } from "./check.ts";
import { administratorEntrance } from "./entrance.ts";
import { importDocuments } from "./import.ts";
import { transferDocument } from "./transfer.ts";

const served: Readonly<Record<keyof typeof documentAdministration, CollectionRoute<RouteContract>>> = {
  checkDocuments,
  importDocuments,
  transferDocument,
  assignDocuments,
};

/**
 * The routes of `/v1/{realm}/_admin/data`: those of the collections, on the way of administrators, and what only they do
 * (spec: Administrator routes).
 * @param collections all of the realm
 */
export function dataRoutes(realm: string, collections: readonly CollectionDefinition[]): RouteTable {
  const further = collections.flatMap((collection) => routesOf(collection, Object.values(served)));
  return {
    ...documentRoutes(`/v1/${realm}${dataPath}`, collections, administratorEntrance),
    ...routeTable(realm, further),
  };
}
