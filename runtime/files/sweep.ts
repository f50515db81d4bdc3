/**
 * What removes bytes: no document names them, for an hour at least, since an upload may be about to. A content is marked
 * first, so that nobody names it any more, then its bytes go, then its record: where that breaks off, the next sweep goes on.
 */

import { StorageUnavailable } from "../blobs/store.ts";
import { timestamp } from "../clock.ts";
import {
  blobFields,
  collections,
  namesFields,
  readBlob,
  readNames,
  writeFileRecord,
} from "../documents/files/records.ts";
import { and, compare, eq } from "../filter/algebra.ts";
import type { Hold, JobKind, JobRealm } from "../jobs/kind.ts";
import { AttemptFailed } from "../jobs/kind.ts";
import type { FileLedger } from "../realm/files.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import { sweepUploads } from "./direct/sweep.ts";
import type { RealmStorage } from "./realm.ts";
import { sweepResumable } from "./resumable/sweep.ts";

/** Milliseconds that bytes stay after they were stored, or named last. */
export const unnamedFor = 3_600_000;

/** Milliseconds between two sweeps. */
export const sweepEvery = 600_000;

/** Milliseconds that what is put in parts may take. */
const leftFor = 2 * 86_400_000;

/** Records read at once. */
const batch = 100;

type Sweeping = Pick<RealmStorage, "blobs" | "spool" | "metrics">;

/** Of a realm with storage. */
export function fileSweep(ledger: FileLedger, storage: Sweeping): JobKind {
  return {
    name: "file_sweep",
    limit: 1,
    backoff: [60_000],
    every: sweepEvery,
    async step(realm, _, hold) {
      try {
        const released = await releaseExpired(realm, ledger, hold);
        const removed = await removeUnnamed(realm, storage, hold);
        await sweepUploads(realm, storage, hold);
        await sweepResumable(realm, storage, hold);
        await storage.spool.clean(Date.now());
        await storage.blobs.removeLeftovers(Date.now() - leftFor);
        if (removed > 0)
          realm.log.info({ realm: realm.definition.name, removed }, "removed bytes that nothing names");
        return { result: { released, removed } };
      } catch (error) {
        if (error instanceof StorageUnavailable) throw new AttemptFailed(error.message);
        throw error;
      }
    },
  };
}

/** Documents in the trash are gone when their time is over, whoever removes them. */
async function releaseExpired(realm: JobRealm, ledger: FileLedger, hold: Hold): Promise<number> {
  const { store, clock } = realm;
  let released = 0;
  for (;;) {
    const now = clock.now();
    const filter = compare("lte", namesFields.purge_at, timestamp(now));
    const found = await store
      .collection(collections.names)
      .find({ filter, visibility: "live", limit: batch, skip: 0 });
    for (const stored of found) {
      if (!isOn(hold)) return released;
      const { collection, document } = readNames(stored).record;
      await store.transaction((transaction) => ledger.expire(transaction, collection, document, now));
      released += 1;
    }
    if (found.length < batch) return released;
  }
}

async function removeUnnamed(realm: JobRealm, storage: Sweeping, hold: Hold): Promise<number> {
  const before = realm.clock.now() - unnamedFor;
  const filter = and(eq(blobFields.refs, 0), compare("lte", blobFields.at, before));
  let removed = 0;
  for (;;) {
    const found = await realm.store
      .collection(collections.blobs)
      .find({ filter, visibility: "live", limit: batch, skip: 0 });
    for (const stored of found) {
      if (!isOn(hold)) return removed;
      removed += await removeOne(realm, storage, stored, before);
    }
    if (found.length < batch) return removed;
  }
}

/** How many are gone by it: one, or none where somebody named it meanwhile. */
async function removeOne(
  { store }: JobRealm,
  { blobs, metrics }: Sweeping,
  { id }: StoredDocument,
  before: number,
): Promise<number> {
  const version = await store.transaction(async (transaction) => {
    const records = transaction.collection(collections.blobs);
    const stored = await records.get(id, "live");
    const blob = stored && readBlob(stored);
    if (blob === undefined || blob.record.refs > 0 || blob.record.at > before) return undefined;
    if (blob.record.sweeping === true) return blob.version;
    const marked = writeFileRecord({ ...blob.record, sweeping: true }, blob.version + 1);
    return (await records.replace(blob.version, marked)) ? marked.version : undefined;
  });
  if (version === undefined) return 0;
  const bytes = (await blobs.size(id)) ?? 0;
  await blobs.remove([id]);
  await store.collection(collections.blobs).remove(id, version);
  metrics?.swept(bytes);
  return 1;
}

function isOn({ signal, goesOn }: Hold): boolean {
  return !signal.aborted && goesOn();
}
