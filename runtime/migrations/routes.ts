import { administratorRoute } from "../auth/contracted.ts";
import { answerAtHand, pageRequest } from "../auth/paging.ts";
import * as contract from "../contract/migrations.ts";
import { routeTable } from "../http/contracted-routes.ts";
import type { RouteTable } from "../realm/exchange.ts";
import { type MigrationEntry, recordOf } from "./records.ts";

interface Listed {
  readonly id: string;
  readonly collection: string;
  readonly entry: MigrationEntry;
}

/** Those of the collections that are configured, also such as a later configuration has brought. */
const listMigrations = administratorRoute(contract.listMigrations, (realm) => async ({ query }) => {
  const { definition, store } = realm;
  const records: Listed[] = [];
  for (const each of definition.collections) {
    const collection = `${each.database}/${each.name}`;
    for (const entry of (await recordOf(store, each)).migrations)
      records.push({ id: `${collection} ${entry.number}`, collection, entry });
  }
  const list = { records, context: "migrations" };
  return answerAtHand(realm, list, pageRequest(query), ({ collection, entry }) => {
    const { number, name, state, done, total, failed } = entry;
    return { realm: definition.name, collection, number, name, state, done, total, failed: [...failed] };
  });
});

/** The routes of `/v1/{realm}/_admin/migrations`. */
export function migrationRoutes(realm: string): RouteTable {
  return routeTable(realm, [listMigrations]);
}
