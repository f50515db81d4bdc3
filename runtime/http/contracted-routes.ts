import type { RouteContract } from "../contract/contract.ts";
import type { Method, RouteFactory, RouteTable } from "../realm/exchange.ts";

/** A contract, and the route that keeps it. */
export interface ContractedRoute {
  readonly contract: RouteContract;
  readonly route: RouteFactory;
}

/** The routes of a subject under their paths in a realm. */
export function routeTable(realm: string, routes: readonly ContractedRoute[]): RouteTable {
  const table: Record<string, Partial<Record<Method, RouteFactory>>> = {};
  for (const { contract, route } of routes) {
    const pattern = `/v1/${realm}${contract.path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
    table[pattern] = { ...table[pattern], [contract.method]: route };
  }
  return table;
}
