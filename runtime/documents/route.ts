import type { RouteContract } from "../contract/contract.ts";
import type { ContractedRoute } from "../http/contracted-routes.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { Handler, RealmInstance, RouteFactory } from "../realm/exchange.ts";
import { type Collection, collectionOf } from "./collection.ts";
import { clientEntrance, type Entrance, type Gate, gate, type Open, type RouteThrough } from "./entrance.ts";

/** What the handler of a collection's route is made of, when its realm starts. */
export interface Setting extends Gate {
  readonly realm: RealmInstance;
  readonly definition: CollectionDefinition;
  readonly collection: Collection;
  readonly entrance: Entrance;
}

/** A route of every collection that has it, on the way that is opened: that of clients unless said. */
export interface CollectionRoute<C> {
  (definition: CollectionDefinition, open?: Open): RouteFactory;
  readonly contract: C;
}

export function collectionRoute<C extends RouteThrough>(
  contract: C,
  make: (setting: Setting) => Handler,
  usual: Open = clientEntrance,
): CollectionRoute<C> {
  const route = (definition: CollectionDefinition, open = usual): RouteFactory => {
    return (realm) => {
      const entrance = open(realm, [definition]);
      const collection = collectionOf(realm, definition);
      const handle = make({ realm, definition, collection, entrance, ...gate(contract, entrance) });
      return { class: entrance.class, handle };
    };
  };
  return Object.assign(route, { contract });
}

/** Those of the routes that a collection has, on the way that is opened. */
export function routesOf(
  definition: CollectionDefinition,
  routes: readonly CollectionRoute<RouteContract>[],
  open?: Open,
): readonly ContractedRoute[] {
  const names = { database: definition.database, collection: definition.name };
  return routes
    .filter(({ contract: { of } }) => of?.(definition) !== false)
    .map((route) => ({ contract: route.contract, route: route(definition, open), names }));
}
