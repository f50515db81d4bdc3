/** What instances that share a store tell one another of migrations. */
import type { Clock } from "../clock.ts";
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import { newestForm } from "../realm/migrations.ts";
import { DuplicateId } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import { migrationShape, recordOf, writeRecord } from "./records.ts";

/** The store's documents are in a form that this program does not know, and there is no way back from it. */
export class LaterMigration extends Error {
  constructor(collection: string, migrations: readonly string[]) {
    super(
      `documents of ${collection} have been migrated by ${migrations.join(", ")}, which this configuration does not have and which has no way back: start the newer one, or restore a backup`,
    );
    this.name = "LaterMigration";
  }
}

/**
 * @throws LaterMigration where the store knows of migrations after the last one of the collection that have begun, one of
 *   which has no way back
 */
export async function requireNoLater(store: Store, definition: CollectionDefinition): Promise<void> {
  const { migrations } = await recordOf(store, definition);
  const newest = newestForm(definition);
  const later = migrations.filter(
    ({ number, back, state }) => Number(number) > newest && !back && state !== "pending",
  );
  if (later.length === 0) return;
  const names = later.map(({ number, name }) => `${number}-${name}`);
  throw new LaterMigration(storeNameOf(definition), names);
}

/** Records the collection's migrations before the first of them is applied, once. */
export async function announceMigrations(
  store: Store,
  definition: CollectionDefinition,
  clock: Clock,
): Promise<void> {
  if (definition.migrations === undefined) return;
  const records = store.collection(migrationShape.name);
  for (;;) {
    const record = await recordOf(store, definition);
    if (record.isComplete) return;
    const next = writeRecord(definition, record, record.version + 1, clock);
    try {
      if (record.version > 0) {
        if (await records.replace(record.version, next)) return;
      } else {
        await records.insert(next);
        return;
      }
    } catch (error) {
      if (!(error instanceof DuplicateId)) throw error;
    }
  }
}
