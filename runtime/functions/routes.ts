import { routeTable } from "../http/contracted-routes.ts";
import type { RouteTable } from "../realm/exchange.ts";
import type { FunctionDefinition } from "../realm/functions.ts";
import { listFunctions, listInvocations } from "./administration/functions.ts";
import { runFunction } from "./administration/run.ts";
import { callRoute } from "./call.ts";
import { functionJobRoutes } from "./events/job-routes.ts";
import { webhookRoute } from "./webhook.ts";

/** The routes of a realm's functions (spec: Functions), and of those who administer them. */
export function functionRoutes(realm: string, definitions: readonly FunctionDefinition[]): RouteTable {
  const databases = new Set(definitions.map(({ database }) => database));
  const table: Record<string, RouteTable[string]> = {
    ...routeTable(realm, [listFunctions, listInvocations, runFunction]),
    ...functionJobRoutes(realm, databases),
  };
  for (const definition of definitions) {
    const path = `/v1/${realm}/${definition.database}/_func/${definition.name}`;
    if (definition.mode === "webhook") table[path] = { POST: webhookRoute(definition) };
    if (definition.mode === "call") table[path] = { POST: callRoute(definition) };
  }
  return table;
}
