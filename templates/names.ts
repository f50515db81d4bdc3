/** Names and paths that emitted modules know each other by. */

import type { Collection } from "../compiler/model/model.ts";
import { identifierName } from "./print/identifiers.ts";

export const runtime = "realmc/runtime";

/** The folder of a collection's modules, in the output folder and below `/v1/`. */
export function collectionPath(collection: Collection): string {
  return `${collection.realm}/${collection.database}/${collection.name}`;
}

/** What a collection's `routes.ts` calls its definition, beside the `routes`. */
export function collectionName(collection: Collection): string {
  return identifierName(collection.name, ["routes"]);
}

/** What a realm's `realm.ts` calls the routes of a collection. */
export function routesName(collection: Collection): string {
  return identifierName(`${collection.name}-routes`);
}

/** What a realm's `realm.ts` calls it. */
export function realmName(realm: string): string {
  return identifierName(realm);
}
