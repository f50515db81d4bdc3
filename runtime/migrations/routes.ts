import { appendAudit } from "../auth/administration/audit.ts";
import { administratorRoute } from "../auth/contracted.ts";
import { answerAtHand, pageRequest } from "../auth/paging.ts";
import * as contract from "../contract/migrations.ts";
import { ApiError } from "../errors.ts";
import { routeTable } from "../http/contracted-routes.ts";
import type { JsonObject } from "../json.ts";
import type { RealmInstance, RouteTable } from "../realm/exchange.ts";
import { type Pace, pacesOf } from "./pace.ts";
import { changePace } from "./pace-change.ts";
import { type MigrationEntry, recordOf } from "./records.ts";

interface Listed {
  readonly id: string;
  readonly collection: string;
  readonly entry: MigrationEntry;
}

/** Those of the collections that are configured, also such as a later configuration has brought. */
const listMigrations = administratorRoute(contract.listMigrations, (realm) => async ({ query }) => {
  const list = { records: await listed(realm), context: "migrations" };
  const view = viewOf(realm, await pacesOf(realm.store));
  return answerAtHand(realm, list, pageRequest(query), view);
});

/** What whoever runs it goes by from the next batch on; audited. */
const patchMigration = administratorRoute(
  contract.patchMigration,
  (realm) =>
    async ({ exchange, params: { number }, body }, { caller }) => {
      const { rate, paused } = body();
      const records = (await listed(realm)).filter(({ entry }) => entry.number === number);
      if (records.length === 0) throw new ApiError("not_found", "There is no migration of this number.");
      const paces = await changePace(realm, number, { rate, paused }, (transaction) =>
        appendAudit(realm, transaction, exchange, caller, {
          action: "migration.pace",
          target: `migration:${number}`,
          details: { ...(rate !== undefined && { rate }), ...(paused !== undefined && { paused }) },
        }),
      );
      return { items: records.map(viewOf(realm, paces)), has_more: false };
    },
);

async function listed({ definition, store }: RealmInstance): Promise<readonly Listed[]> {
  const records: Listed[] = [];
  for (const each of definition.collections) {
    const collection = `${each.database}/${each.name}`;
    for (const entry of (await recordOf(store, each)).migrations)
      records.push({ id: `${collection} ${entry.number}`, collection, entry });
  }
  return records;
}

function viewOf({ definition }: RealmInstance, paces: ReadonlyMap<string, Pace>) {
  return ({ collection, entry }: Listed): JsonObject => {
    const { number, name, state, done, total, failed } = entry;
    const about = { realm: definition.name, collection, number, name, state, done, total };
    return { ...about, failed: [...failed], ...paces.get(number) };
  };
}

/** The routes of `/v1/{realm}/_admin/migrations`. */
export function migrationRoutes(realm: string): RouteTable {
  return routeTable(realm, [listMigrations, patchMigration]);
}
