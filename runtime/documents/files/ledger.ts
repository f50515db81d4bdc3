import type { JsonObject } from "../../json.ts";
import {
  BytesSwept,
  type FileChange,
  type FileLedger,
  type NamedFile,
  type StorageDefinition,
} from "../../realm/files.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { splitDocument } from "../encode.ts";
import { type BlobRecord, collections, keyOf, type NamesRecord, readBlob, readNames } from "./records.ts";
import { putRecord, spend, type Used } from "./usage.ts";

/** Where a document is, as far as its files are concerned. */
type Whereabouts = Pick<NamesRecord, "org" | "purge_at">;

/** What a document names before or after a write. */
interface Names extends Whereabouts {
  readonly files: readonly NamedFile[];
}

const none: Names = { org: null, purge_at: null, files: [] };

/** Keeps {@link FileLedger} in the store. @param now epoch milliseconds */
export function fileLedger(
  store: Pick<Store, "collection" | "isShared">,
  quotas: StorageDefinition,
  now: () => number,
): FileLedger {
  const spending = { quotas, store };
  return {
    async read(collection, document) {
      const found = await store.collection(collections.names).get(keyOf(collection, document), "live");
      return found === undefined ? [] : readNames(found).record.files;
    },
    follow: (transaction, collection, document, text) =>
      change(transaction, collection, document, ({ files }) =>
        text === undefined ? none : { ...whereabouts(text), files },
      ),
    expire: (transaction, collection, document, at) =>
      change(transaction, collection, document, (before) =>
        before.purge_at !== null && Date.parse(before.purge_at) <= at ? none : before,
      ),
    rename: (transaction, collection, document, text, { added, removed }: FileChange) =>
      change(transaction, collection, document, (before) => {
        // A live document has no end: what has one is of an older document of this id, which is gone.
        const own = before.purge_at === null ? before.files : [];
        return { ...whereabouts(text), files: [...own.filter(({ id }) => !removed.includes(id)), ...added] };
      }),
  };

  async function change(
    transaction: Transaction,
    collection: string,
    document: string,
    decide: (before: Names) => Names,
  ): Promise<void> {
    const names = transaction.collection(collections.names);
    const id = keyOf(collection, document);
    const stored = await names.get(id, "live");
    const before = stored === undefined ? none : readNames(stored).record;
    const after = decide(before);
    if (stored === undefined && after.files.length === 0) return;
    if (before.files === after.files && before.org === after.org && before.purge_at === after.purge_at)
      return;
    if (after.files.length > 0)
      await putRecord(transaction, collections.names, stored?.version, {
        id,
        collection,
        document,
        ...after,
      });
    else await names.remove(id);
    for (const [sha256, more] of counted(before.files, after.files)) await refer(transaction, sha256, more);
    await use(transaction, before, after);
  }

  async function refer(transaction: Transaction, sha256: string, more: number): Promise<void> {
    const stored = await transaction.collection(collections.blobs).get(sha256, "live");
    const blob = stored && readBlob(stored);
    if (blob === undefined || blob.record.sweeping === true) {
      if (more > 0) throw new BytesSwept(sha256);
      return;
    }
    const { coming: _, ...named } = blob.record;
    const record: BlobRecord = { ...named, refs: named.refs + more, at: now() };
    await putRecord(transaction, collections.blobs, blob.version, record);
  }

  async function use(transaction: Transaction, before: Names, after: Names): Promise<void> {
    const [had, has] = [sizeOf(before.files), sizeOf(after.files)];
    await spend(transaction, spending, undefined, less(has, had));
    if (before.org === after.org) {
      if (after.org !== null) await spend(transaction, spending, after.org, less(has, had));
      return;
    }
    if (before.org !== null)
      await spend(transaction, spending, before.org, less({ bytes: 0, files: 0 }, had));
    if (after.org !== null) await spend(transaction, spending, after.org, has);
  }
}

function sizeOf(files: readonly NamedFile[]): Used {
  return { bytes: files.reduce((sum, { size }) => sum + size, 0), files: files.length };
}

function less(one: Used, other: Used): Used {
  return { bytes: one.bytes - other.bytes, files: one.files - other.files };
}

/** By how much more names each content has, in an order that all transactions share. */
function counted(
  before: readonly NamedFile[],
  after: readonly NamedFile[],
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { sha256 } of before) counts.set(sha256, (counts.get(sha256) ?? 0) - 1);
  for (const { sha256 } of after) counts.set(sha256, (counts.get(sha256) ?? 0) + 1);
  return [...counts].filter(([, more]) => more !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
}

function whereabouts(text: string): Whereabouts {
  const meta: JsonObject = splitDocument(text).meta;
  const { org, purge_at } = meta;
  return {
    org: typeof org === "string" ? org : null,
    purge_at: typeof purge_at === "string" ? purge_at : null,
  };
}
