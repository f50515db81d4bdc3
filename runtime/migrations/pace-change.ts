/** What administrators say of the pace of migrations that may be running. */
import { putRecord } from "../auth/administration/put.ts";
import type { Clock } from "../clock.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { changed, type Pace, type PaceChange, paceRecord, pacesIn, writePaces } from "./pace.ts";
import { migrationShape } from "./records.ts";

/**
 * Keeps what is said of a migration, and answers the paces of all; who runs it reads that before the next batch.
 * @param along writes what belongs to the change, in its transaction
 * @throws ApiError `write_conflict`
 */
export async function changePace(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  number: string,
  change: PaceChange,
  along: (transaction: Transaction) => Promise<void>,
): Promise<ReadonlyMap<string, Pace>> {
  return putRecord<ReadonlyMap<string, Pace>>(store, {
    collection: migrationShape.name,
    id: paceRecord,
    read: (document) => ({ record: pacesIn(document), version: document.version }),
    write: (paces, version) => writePaces(paces, version, clock),
    next: (before = new Map()) => new Map(before).set(number, changed(before.get(number) ?? {}, change)),
    along,
  });
}
