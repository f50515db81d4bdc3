/** What documents name, counted anew where they were written past the ledger. Nobody else writes meanwhile. */
import type { Clock } from "../../clock.ts";
import { batches } from "../../store/batches.ts";
import type { DocumentWrite, StoredDocument } from "../../store/contract/document.ts";
import type { Store } from "../../store/contract/store.ts";
import { ofSlot } from "./quota-slots.ts";
import {
  type BlobRecord,
  collections,
  keyOf,
  type NamesRecord,
  readBlob,
  readNames,
  readResumable,
  readUpload,
  readUsage,
  type UploadRecord,
  type UsageRecord,
  writeFileRecord,
} from "./records.ts";

/** Documents were written over others, whose files nobody names any longer. @param collection as the store has it */
export async function forgetNames(
  store: Store,
  collection: string,
  documents: readonly Pick<DocumentWrite, "id">[],
): Promise<void> {
  const names = store.collection(collections.names);
  for (const { id } of documents) await names.remove(keyOf(collection, id));
}

/** Brings references to bytes, and what is used of quotas, to what the ledger says. */
export async function recountFiles(store: Store, clock: Clock): Promise<void> {
  await recountUsage(store);
  await recountReferences(store, clock);
}

const READ = { documents: 1_000, characters: 8 * 1024 ** 2 };
/** Contents that are counted at a time, each time with one walk through the ledger. */
const COUNTED = { documents: 50_000, characters: 16 * 1024 ** 2 };

async function recountUsage(store: Store): Promise<void> {
  const used = new Map<string, UsageRecord & Required<Pick<UsageRecord, "open">>>();
  const of = (id: string) => used.get(id) ?? { id, bytes: 0, files: 0, open: { bytes: 0, files: 0 } };
  for await (const { org, files } of ledger(store)) {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    for (const id of org === null ? ["realm"] : ["realm", `org:${org}`]) {
      const before = of(id);
      used.set(id, { ...before, bytes: before.bytes + bytes, files: before.files + files.length });
    }
  }
  if (!store.isShared) await holdWithoutSlots(store);
  for await (const { state, holds, held } of uploads(store)) {
    if (state.kind !== "open") continue;
    for (const id of holds) {
      const before = of(id);
      const open = { bytes: before.open.bytes + held, files: before.open.files + 1 };
      used.set(id, { ...before, open });
    }
  }
  const usage = store.collection(collections.usage);
  for await (const { id } of records(store, collections.usage, readUsage)) {
    if (!used.has(id)) await usage.remove(id);
  }
  for (const { open, ...named } of used.values()) {
    const stored = await usage.get(named.id, "live");
    const record: UsageRecord = open.files > 0 ? { ...named, open } : named;
    await usage.load([writeFileRecord(record, (stored?.version ?? 0) + 1)]);
  }
}

/** What uploads of a shared store hold of a slot, those of another hold of what the slot is of. */
async function holdWithoutSlots(store: Store): Promise<void> {
  for (const [name, read] of [
    [collections.uploads, readUpload],
    [collections.resumable, readResumable],
  ] as const) {
    const found = store.collection(name);
    for await (const batch of batches(found, READ)) {
      for (const stored of batch) {
        const { record, version } = read(stored);
        const holds = record.holds.map(ofSlot);
        if (holds.every((id, at) => id === record.holds[at])) continue;
        await found.load([writeFileRecord({ ...record, holds }, version + 1)]);
      }
    }
  }
}

async function recountReferences(store: Store, clock: Clock): Promise<void> {
  const blobs = store.collection(collections.blobs);
  for await (const batch of batches(blobs, COUNTED)) {
    const refs = new Map(batch.map(({ id }) => [id, 0]));
    for await (const { files } of ledger(store)) {
      for (const { sha256 } of files) {
        const count = refs.get(sha256);
        if (count !== undefined) refs.set(sha256, count + 1);
      }
    }
    for (const stored of batch) {
      const { record, version } = readBlob(stored);
      const { sweeping, coming: _, ...kept } = record;
      const now = refs.get(record.id) ?? 0;
      // Named bytes are there: they were copied, or nobody has removed them.
      if (now === record.refs && (now === 0 || sweeping === undefined)) continue;
      const next: BlobRecord = { ...kept, refs: now, at: clock.now() };
      await blobs.load([writeFileRecord(next, version + 1)]);
    }
  }
}

function ledger(store: Store): AsyncGenerator<NamesRecord> {
  return records(store, collections.names, readNames);
}

async function* uploads(store: Store): AsyncGenerator<Pick<UploadRecord, "holds" | "held" | "state">> {
  yield* records(store, collections.uploads, readUpload);
  const inParts = records(store, collections.resumable, readResumable);
  for await (const { holds, held, state } of inParts)
    yield { holds, held, state: { kind: state.kind === "open" ? "open" : "over" } };
}

async function* records<Record>(
  store: Store,
  name: string,
  read: (stored: StoredDocument) => { readonly record: Record },
): AsyncGenerator<Record> {
  for await (const batch of batches(store.collection(name), READ)) {
    for (const stored of batch) yield read(stored).record;
  }
}
