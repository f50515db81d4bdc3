/** Bytes on their way from the spool into the storage, before a document names them (files.md, How). */
import { setTimeout } from "node:timers/promises";
import type { Digest, Spooled } from "../blobs/store.ts";
import { type BlobRecord, collections, readBlob, writeFileRecord } from "../documents/files/records.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { BytesSwept } from "../realm/files.ts";
import { longBackoff, optimistic } from "../retry.ts";
import { DuplicateId, StoreUnavailable } from "../store/contract/errors.ts";
import { storageUnavailable } from "./errors.ts";
import type { RealmStorage } from "./realm.ts";

type Keeping = Pick<RealmInstance, "store" | "clock">;

/** How often it is looked whether a sweep of the same bytes is over, and the milliseconds in between. */
const attempts = 40;
const pause = 250;

/**
 * Stores bytes, and has a document name them. Where that is refused, bytes that nobody else has named or announced are removed.
 * @param name writes the names
 * @throws what `name` throws; StorageUnavailable; ApiError `storage_unavailable` where a sweep of the same bytes does not end
 */
export async function keepBytes<T>(
  realm: Keeping,
  storage: Pick<RealmStorage, "blobs" | "metrics">,
  spooled: Spooled,
  type: string,
  name: () => Promise<T>,
): Promise<T> {
  const { blobs, metrics } = storage;
  const refs = await announced(realm, spooled);
  try {
    // What is named is there; unless somebody took it away.
    const isThere = refs > 0 && (await blobs.size(spooled.sha256)) === spooled.size;
    if (!isThere) {
      await blobs.put(spooled.sha256, spooled, type);
      metrics?.stored(spooled.size);
    }
    return await name();
  } catch (error) {
    // Of a store that went away nobody knows whether it names them; the sweep finds out, as it does where this fails.
    if (!(error instanceof StoreUnavailable))
      await withdraw(realm, storage, spooled.sha256).catch(() => undefined);
    // It took as long as unnamed bytes are kept.
    throw error instanceof BytesSwept ? storageUnavailable(error) : error;
  }
}

/** Takes an announcement back: the last one of bytes that no document has ever named takes them along. */
async function withdraw(
  { store }: Keeping,
  { blobs, metrics }: Pick<RealmStorage, "blobs" | "metrics">,
  sha256: string,
): Promise<void> {
  const records = store.collection(collections.blobs);
  const { marked } = await optimistic(longBackoff, async () => {
    const stored = await records.get(sha256, "live");
    if (stored === undefined) return { marked: undefined };
    const { record, version } = readBlob(stored);
    if (record.coming === undefined || record.sweeping === true || record.refs > 0)
      return { marked: undefined };
    const { coming, ...rest } = record;
    const isLast = coming <= 1;
    const next: BlobRecord = isLast ? { ...rest, sweeping: true } : { ...rest, coming: coming - 1 };
    const written = writeFileRecord(next, version + 1);
    if (!(await records.replace(version, written))) return undefined;
    return { marked: isLast ? written : undefined };
  });
  if (marked === undefined) return;
  const bytes = (await blobs.size(sha256)) ?? 0;
  await blobs.remove([sha256]);
  await records.remove(sha256, marked.version);
  metrics?.swept(bytes);
}

/**
 * Says that bytes are about to be there, which no sweep removes for a while.
 * @returns how many names they have
 * @throws ApiError `storage_unavailable` where a sweep of them does not end
 */
export async function announced(realm: Keeping, spooled: Digest): Promise<number> {
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
async function announce({ store, clock }: Keeping, { sha256, size }: Digest): Promise<number | undefined> {
  const records = store.collection(collections.blobs);
  const answer = await optimistic(longBackoff, async () => {
    const stored = await records.get(sha256, "live");
    const at = clock.now();
    if (stored === undefined) {
      const record: BlobRecord = { id: sha256, size, refs: 0, at, coming: 1 };
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
    const { coming } = record;
    const more = coming === undefined ? {} : { coming: coming + 1 };
    const next = writeFileRecord({ ...record, at, ...more }, version + 1);
    return (await records.replace(version, next)) ? { refs: record.refs } : undefined;
  });
  return answer.refs;
}
