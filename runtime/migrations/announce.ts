/** What instances that share a store tell one another of migrations. */
import type { Clock } from "../clock.ts";
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import { migrationName, migrationNumber, newestForm } from "../realm/migrations.ts";
import { DuplicateId } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import { type MigrationEntry, migrationShape, recordOf, writeRecord } from "./records.ts";

/** The store's documents are in a form that this program does not know, and there is no way back from it. */
export class LaterMigration extends Error {
  constructor(collection: string, migrations: readonly string[]) {
    super(
      `documents of ${collection} have been migrated by ${migrations.join(", ")}, which this configuration does not have and which has no way back: start the newer one, or restore a backup`,
    );
    this.name = "LaterMigration";
  }
}

/** A migration is new, and its number lower than that of one that has run: documents in the later form would never meet it. */
export class MigrationOutOfOrder extends Error {
  constructor(collection: string, migrations: readonly string[], last: MigrationEntry) {
    const next = migrationNumber(Number(last.number) + 1);
    super(
      `${migrations.join(", ")} of ${collection} ${migrations.length === 1 ? "is" : "are"} new and would come before ${migrationName(last)}, which has run: documents that it has migrated would be left out; number what is new from ${next} on`,
    );
    this.name = "MigrationOutOfOrder";
  }
}

/**
 * @throws LaterMigration where the store knows of migrations after the last one of the collection that have begun, one of
 *   which has no way back
 * @throws MigrationOutOfOrder where the store knows nothing of one whose number is lower than that of one that has begun
 */
export async function requireInOrder(store: Store, definition: CollectionDefinition): Promise<void> {
  const { migrations, added } = await recordOf(store, definition);
  const newest = newestForm(definition);
  const begun = migrations.filter(({ state }) => state !== "pending");
  const later = begun.filter(({ number, back }) => Number(number) > newest && !back);
  if (later.length > 0) throw new LaterMigration(storeNameOf(definition), later.map(migrationName));
  const last = begun.at(-1);
  if (last === undefined) return;
  const early = added.filter(({ number }) => number < last.number);
  if (early.length > 0)
    throw new MigrationOutOfOrder(storeNameOf(definition), early.map(migrationName), last);
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
    if (record.added.length === 0) return;
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
