/** Names and paths that emitted modules know each other by. */

import type { Collection, Realm, RealmFunction } from "../../compiler/model/model.ts";
import { identifierName } from "../print/identifiers.ts";
import { capitalized, pascalCase } from "../print/names.ts";

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

/** The folder of a function's modules, in the output folder. */
export function functionPath({ realm, database, name }: RealmFunction): string {
  return `${realm}/${database}/_func/${name}`;
}

/** What a function's `function.ts` calls its definition. */
export function functionName({ name }: RealmFunction): string {
  return identifierName(name);
}

/** What a realm's `realm.ts` calls it. */
export function realmName(realm: string): string {
  return identifierName(realm);
}

/** The stem of each collection's schema names and operation ids. */
export function collectionStems(realm: Realm): ReadonlyMap<Collection, string> {
  const collections = realm.databases.flatMap((database) => database.collections);
  return new Map(collections.map((collection) => [collection, stemOf(collection)]));
}

/** The stem of a function's operation id and of the names of its schemas. */
export function functionStem(fn: RealmFunction): string {
  return stemOf(fn);
}

/**
 * `SupportTickets`, of the database's name and its own alone: whatever else the realm has or gets, what is called by it
 * keeps its name. Names whose joined words could be those of others stand as they are: `Help-desk.line-items`.
 */
function stemOf({ database, name }: Pick<Collection, "database" | "name">): string {
  const plain = /^[a-z][a-z0-9]*$/.test(database) && /^[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*$/.test(name);
  return capitalized(database) + (plain ? pascalCase(name) : `.${name}`);
}
