import { systemClock, timestamp } from "../clock.ts";
import { ApiError } from "../errors.ts";
import { and, eq, type Filter, isIn } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { Outdated } from "../retry.ts";
import { DuplicateId } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction, TransactionCollection } from "../store/contract/transaction.ts";
import { collections, keyFields } from "./collections.ts";
import { newToken, startOf, tokenHash } from "./credentials/tokens.ts";
import { type KeyRecord, readKey, writeFormer, writeKey, writeKeyUse } from "./key-records.ts";
import { walk } from "./matching.ts";
import { currentKeys } from "./paging.ts";
import type { Read } from "./records.ts";

/** What becomes of keys that there are: they are rotated, and they end. */

/** Former keys of one that may live at once. */
const mostFormer = 10;

/** A new key in place of one, whose id and end it has. */
export interface Rotation {
  /** `svk_…`: stored nowhere, cannot be shown again. */
  readonly token: string;
  readonly record: KeyRecord;
  /** To be called in the transaction of the change; throws Outdated where the key is no longer what it was. */
  readonly write: (transaction: Transaction) => Promise<void>;
}

/**
 * @param overlap milliseconds for which the former key lives on, never beyond its own end
 * @throws ApiError `conflict` where too many former ones live still
 */
export async function rotation(
  { store, clock }: Pick<RealmInstance, "store" | "clock">,
  { record: before, version }: Read<KeyRecord>,
  overlap: number,
): Promise<Rotation> {
  const now = clock.now();
  if (
    (await store.collection(collections.keys).count(eq(keyFields.former, before.key), "live")) >= mostFormer
  ) {
    throw new ApiError("conflict", `${mostFormer} former keys are good still; wait until one has ended.`);
  }
  const token = newToken("svk");
  const record: KeyRecord = { ...before, id: tokenHash(token), start: startOf(token) };
  const own = before.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(before.expires_at);
  const until = Math.min(now + overlap, own);
  return {
    token,
    record,
    write: async (transaction) => {
      const keys = transaction.collection(collections.keys);
      if (!(await keys.remove(before.id, version))) throw new Outdated();
      if (until > now) await keys.insert(writeFormer(before, timestamp(now), timestamp(until), version + 1));
      await keys.insert(writeKey(record, 1));
    },
  };
}

/** Keys read, or removed, at once. */
const page = 500;

/** Keys that are about to end. */
export interface Ending {
  /** Of the keys, as they were read. */
  readonly records: readonly KeyRecord[];
  /**
   * To be called in the transaction of the change: ends them, with what rotations left of them. Throws Outdated where one
   * was rotated since.
   */
  readonly write: (transaction: Transaction) => Promise<void>;
}

/** @param which current ones */
export async function ending(store: Store, which: Filter): Promise<Ending> {
  const found: Read<KeyRecord>[] = [];
  const walked = walk(store, {
    collection: collections.keys,
    filter: and(which, currentKeys),
    order: [{ field: documentFields.id, descending: false }],
    read: readKey,
    position: ({ record }) => [record.id],
    page,
  });
  for await (const keys of walked) found.push(...keys);
  const former: string[] = [];
  for (let from = 0; from < found.length; from += page) {
    const ids = found.slice(from, from + page).map(({ record }) => record.key);
    const query = { filter: isIn(keyFields.former, ids), visibility: "live", skip: 0 } as const;
    const documents = await store.collection(collections.keys).find({ ...query, limit: page * mostFormer });
    former.push(...documents.map(({ id }) => id));
  }
  return {
    records: found.map(({ record }) => record),
    write: async (transaction) => {
      const keys = transaction.collection(collections.keys);
      const uses = transaction.collection(collections.keyUses);
      for (const { record, version } of found) {
        if (!(await keys.remove(record.id, version))) throw new Outdated();
        await forgetUse(uses, record);
      }
      for (const id of former) await keys.remove(id);
    },
  };
}

/** Milliseconds: more than a transaction takes. */
const settled = 600_000;

/**
 * A first use that is about to be written meets what is written here in its place, so that it is seen that the key has
 * ended; the store forgets it when no transaction goes on that began before.
 */
async function forgetUse(uses: TransactionCollection, { key, created_at }: KeyRecord): Promise<void> {
  if (await uses.remove(key)) return;
  const none = { id: key, last_used_at: created_at, last_used_address: "", created_at };
  try {
    await uses.insert({ ...writeKeyUse(none, 1), purgeAt: systemClock.now() + settled });
  } catch (error) {
    if (error instanceof DuplicateId) throw new Outdated();
    throw error;
  }
}
