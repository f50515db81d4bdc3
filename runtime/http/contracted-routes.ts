import { type Names, patternOf, type RouteContract } from "../contract/contract.ts";
import type { Method, RouteFactory, RouteTable } from "../realm/exchange.ts";

export interface ContractedRoute {
  readonly contract: RouteContract;
  readonly route: RouteFactory;
  /** In its path. */
  readonly names?: Names;
}

/** The routes of a subject under their paths in a realm. */
export function routeTable(realm: string, routes: readonly ContractedRoute[]): RouteTable {
  return tableBelow(`/v1/${realm}`, routes);
}

/** @param base what stands before their paths */
export function tableBelow(base: string, routes: readonly ContractedRoute[]): RouteTable {
  const table: Record<string, Partial<Record<Method, RouteFactory>>> = {};
  for (const { contract, route, names = {} } of routes) {
    const pattern = patternOf(base, contract.path, names);
    table[pattern] = { ...table[pattern], [contract.method]: route };
  }
  return table;
}
