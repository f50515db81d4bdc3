/** Bytes on their way from the spool into the storage, before a document names them (files.md, How). */
import { setTimeout } from "node:timers/promises";
import type { Spooled } from "../blobs/store.ts";
import { type BlobRecord, collections, readBlob, writeFileRecord } from "../documents/files/records.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { BytesSwept } from "../realm/files.ts";
import { longBackoff, optimistic } from "../retry.ts";
import { DuplicateId } from "../store/contract/errors.ts";
import { storageUnavailable } from "./errors.ts";
import type { RealmStorage } from "./realm.ts";

/** How often it is looked whether a sweep of the same bytes is over, and the milliseconds in between. */
const attempts = 40;
const pause = 250;

/**
 * Stores bytes, and has a document name them.
 * @param name writes the names
 * @throws what `name` throws; StorageUnavailable; ApiError `storage_unavailable` where a sweep of the same bytes does not end
 */
export async function keepBytes<T>(
  realm: Pick<RealmInstance, "store" | "clock">,
  { blobs, metrics }: Pick<RealmStorage, "blobs" | "metrics">,
  spooled: Spooled,
  type: string,
  name: () => Promise<T>,
): Promise<T> {
  const refs = await announced(realm, spooled);
  // What is named is there; unless somebody took it away.
  const isThere = refs > 0 && (await blobs.size(spooled.sha256)) === spooled.size;
  if (!isThere) {
    await blobs.put(spooled.sha256, spooled, type);
    metrics?.stored(spooled.size);
  }
  try {
    return await name();
  } catch (error) {
    // It took as long as unnamed bytes are kept.
    throw error instanceof BytesSwept ? storageUnavailable(error) : error;
  }
}

async function announced(realm: Pick<RealmInstance, "store" | "clock">, spooled: Spooled): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (attempt > 0) await setTimeout(pause);
    const refs = await announce(realm, spooled);
    if (refs !== undefined) return refs;
  }
  throw storageUnavailable();
}

/**
 * Says that bytes are about to be there: no sweep removes them for a while.
 * @returns how many names they have; undefined where they are being removed
 */
async function announce(
  { store, clock }: Pick<RealmInstance, "store" | "clock">,
  { sha256, size }: Spooled,
): Promise<number | undefined> {
  const records = store.collection(collections.blobs);
  const answer = await optimistic(longBackoff, async () => {
    const stored = await records.get(sha256, "live");
    const at = clock.now();
    if (stored === undefined) {
      const record: BlobRecord = { id: sha256, size, refs: 0, at };
      try {
        await records.insert(writeFileRecord(record, 1));
        return { refs: 0 };
      } catch (error) {
        if (error instanceof DuplicateId) return undefined;
        throw error;
      }
    }
    const { record, version } = readBlob(stored);
    if (record.sweeping === true) return { refs: undefined };
    const next = writeFileRecord({ ...record, at }, version + 1);
    return (await records.replace(version, next)) ? { refs: record.refs } : undefined;
  });
  return answer.refs;
}
