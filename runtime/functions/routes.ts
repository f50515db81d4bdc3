import type { RouteTable } from "../realm/exchange.ts";
import type { FunctionDefinition } from "../realm/functions.ts";
import { callRoute } from "./call.ts";
import { webhookRoute } from "./webhook.ts";

/** The routes of a realm's functions (spec: Functions). */
export function functionRoutes(realm: string, definitions: readonly FunctionDefinition[]): RouteTable {
  const table: Record<string, RouteTable[string]> = {};
  for (const definition of definitions) {
    const path = `/v1/${realm}/${definition.database}/_func/${definition.name}`;
    if (definition.mode === "webhook") table[path] = { POST: webhookRoute(definition) };
    if (definition.mode === "call") table[path] = { POST: callRoute(definition) };
  }
  return table;
}
