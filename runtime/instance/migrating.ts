/** What a server does about the migrations of a realm before it serves it. */
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import { announceMigrations, requireInOrder } from "../migrations/announce.ts";
import { isPending, migrateCollection, type PassOptions, type PassProgress } from "../migrations/pass.ts";
import { recordOf } from "../migrations/records.ts";
import { tellEnd, tellingRefused } from "../migrations/telling.ts";
import { type RealmDefinition, storeNameOf } from "../realm/definition.ts";
import type { Log } from "../realm/exchange.ts";
import type { Store } from "../store/contract/store.ts";
import { paced } from "./progress.ts";

/** Milliseconds between two looks at what another process does. */
const LOOK = 500;

export interface StartMigrations {
  readonly definition: RealmDefinition;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly stopping: AbortSignal;
  /** Told after each batch; with undefined when the documents of a collection are done. */
  readonly migrating: (progress: PassProgress | undefined) => void;
}

/**
 * Says in the store which migrations there are, and, where the realm is migrated at the start, migrates its documents.
 * @throws LaterMigration where the store's documents are in forms that this server cannot share
 * @throws MigrationOutOfOrder
 */
export async function migrateAtStart(options: StartMigrations): Promise<void> {
  const { definition, store, clock, log, stopping, migrating } = options;
  for (const collection of definition.collections) {
    await requireInOrder(store, collection);
    await announceMigrations(store, collection, clock);
    if (definition.migrations !== "start") continue;
    const tell = paced(({ done, total }: PassProgress, seconds) =>
      log.info(
        {
          realm: definition.name,
          collection: collection.name,
          done,
          total,
          rate: Math.round(done / seconds),
        },
        "migrating",
      ),
    );
    await migrateWaiting(
      {
        store,
        definition: collection,
        authored: definition.accounts !== undefined,
        clock,
        goesOn: () => !stopping.aborted,
        refused: tellingRefused({ definition: collection }, log),
        progress(progress) {
          migrating(progress);
          tell(progress);
        },
      },
      log,
    );
    migrating(undefined);
  }
}

async function migrateWaiting(options: PassOptions, log: Log): Promise<void> {
  while (options.goesOn?.() !== false && (await isPending(options))) {
    const end = await migrateCollection(options);
    tellEnd(options, end, log);
    if (end !== "taken") return;
    const { migrations } = await recordOf(options.store, options.definition);
    const running = migrations.find(({ state }) => state === "running");
    if (running !== undefined)
      options.progress?.({ collection: storeNameOf(options.definition), ...running });
    await setTimeout(LOOK);
  }
}
