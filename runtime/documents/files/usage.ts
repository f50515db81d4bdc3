/** What files take up, and what uploads under way hold of it: counted in the very transactions that write them. */
import { hash } from "node:crypto";
import { ApiError, tooManyRequests } from "../../errors.ts";
import type { StorageDefinition } from "../../realm/files.ts";
import { Outdated } from "../../retry.ts";
import { DuplicateId } from "../../store/contract/errors.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { anySlot, readSlot, readSlots, slotWithRoom } from "./quota-slots.ts";
import {
  type BlobRecord,
  collections,
  type NamesRecord,
  type UploadRecord,
  type UsageRecord,
  writeFileRecord,
} from "./records.ts";

export type Used = Pick<UsageRecord, "bytes" | "files">;

type Quotas = Pick<StorageDefinition, "quota" | "quotaPerOrg">;

/** Uploads that one caller may have open. */
export const openPerCaller = 100;

/** Milliseconds after which somebody may have completed one. */
const again = 60_000;

const nothing: Used = { bytes: 0, files: 0 };

/**
 * What documents name is so much more, or less.
 * @param org undefined: of the realm
 * @throws ApiError `quota_exceeded`; Outdated
 */
export async function spend(
  transaction: Transaction,
  { quotas, store }: Spending,
  org: string | undefined,
  more: Used,
): Promise<void> {
  if (more.bytes === 0 && more.files === 0) return;
  const bound = org === undefined ? ofRealm(quotas) : ofOrganization(quotas, org);
  const change = (record: UsageRecord): UsageRecord => ({
    ...record,
    bytes: record.bytes + more.bytes,
    files: record.files + more.files,
  });
  await use(transaction, store, bound, more.bytes, change);
}

/** What decides which records say what is used. */
export interface Spending {
  readonly quotas: Quotas;
  readonly store: Pick<Store, "collection" | "isShared">;
}

/**
 * Changes a record of what is used, of a store that is shared one of several.
 * @param bytes by how much it grows: where it does, the quota decides
 * @returns the id of the record
 * @throws ApiError `quota_exceeded`; Outdated
 */
async function use(
  transaction: Transaction,
  store: Spending["store"],
  { id, most, whose }: Bound,
  bytes: number,
  change: (record: UsageRecord) => UsageRecord,
): Promise<string> {
  if (!store.isShared || most === undefined || bytes <= 0) {
    const { record, version } = await readSlot(transaction, store.isShared ? anySlot(id) : id);
    const next = change(record);
    if (bytes > 0) requireRoom(next, most, whose);
    await putRecord(transaction, collections.usage, version, next);
    return next.id;
  }
  const found = await slotWithRoom(transaction, store, id, most, bytes);
  if (found === undefined) throw quotaExceeded(whose);
  for (const { record, version } of found.lenders)
    await putRecord(transaction, collections.usage, version, record);
  const next = change(found.slot.record);
  await putRecord(transaction, collections.usage, found.slot.version, next);
  return next.id;
}

/** What a quota leaves. */
export interface QuotaRoom {
  /** Bytes; negative where more is named than the quota allows by now. */
  readonly bytes: number;
  /** Whose quota it is. */
  readonly whose: string;
}

/**
 * Returns the least room that the quotas leave now, or undefined where there is none; {@link spend} and {@link hold} decide.
 */
export async function quotaRoom(
  store: Spending["store"],
  quotas: Quotas,
  org: string | undefined,
): Promise<QuotaRoom | undefined> {
  let least: QuotaRoom | undefined;
  for (const { id, most = 0, whose } of bounded(quotas, org)) {
    const { bytes, open } = await usedOf(store, id);
    const left = most - bytes - open.bytes;
    if (least === undefined || left < least.bytes) least = { bytes: left, whose };
  }
  return least;
}

export function quotaExceeded(whose: string): ApiError {
  return new ApiError("quota_exceeded", `The files would pass the quota of the ${whose}.`);
}

/** What an upload that is begun will take up. */
export interface Claimed {
  readonly org: string | undefined;
  /** Who begins it, whatever credential they show. */
  readonly caller: string;
  /** The field of the document, and how many uploads may be open there. */
  readonly field: string;
  readonly most: number;
  /** By how much the files grow by it. */
  readonly bytes: number;
}

/**
 * Counts an upload that is begun, against the quotas too, until it is {@link letGo}.
 * @throws ApiError `too_many_requests` | `quota_exceeded`; Outdated
 */
export async function hold(
  transaction: Transaction,
  { quotas, store }: Spending,
  { org, caller, field, most, bytes }: Claimed,
): Promise<Pick<UploadRecord, "holds" | "held">> {
  // Who has to wait for others at a field holds nothing of the caller's meanwhile.
  const counts = [
    { id: `field:${field}`, most, whose: "in one field of a document" },
    { id: `caller:${hash("sha256", caller)}`, most: openPerCaller, whose: "of one caller" },
  ];
  for (const { id, most: limit, whose } of counts) {
    const { open } = await add(transaction, id, { bytes, files: 1 });
    if (open.files > limit)
      throw tooManyRequests(`At most ${limit} uploads ${whose} are open at a time; complete some.`, again);
  }
  const holds = counts.map(({ id }) => id);
  for (const bound of bounded(quotas, org))
    holds.push(
      await use(transaction, store, bound, bytes, (record) => withOpen(record, { bytes, files: 1 })),
    );
  return { holds, held: bytes };
}

/** An upload that was held is open no longer. @throws Outdated */
export async function letGo(
  transaction: Transaction,
  { holds, held }: Pick<UploadRecord, "holds" | "held">,
): Promise<void> {
  for (const id of holds) await add(transaction, id, { bytes: -held, files: -1 });
}

/** More, or fewer, uploads that are open. Who only has had such has no record any longer. */
async function add(
  transaction: Transaction,
  id: string,
  more: Used,
): Promise<Required<Pick<UsageRecord, "open">>> {
  const { record, version } = await readSlot(transaction, id);
  const next = withOpen(record, more);
  const { bytes, files, open, borrowed = 0 } = next;
  if (open !== undefined || bytes !== 0 || files !== 0 || borrowed !== 0)
    await putRecord(transaction, collections.usage, version, next);
  else if (version !== undefined && !(await transaction.collection(collections.usage).remove(id, version)))
    throw new Outdated();
  return { open: open ?? nothing };
}

function withOpen({ open: before = nothing, ...record }: UsageRecord, more: Used): UsageRecord {
  const open = { bytes: before.bytes + more.bytes, files: before.files + more.files };
  return open.files <= 0 ? record : { ...record, open };
}

/** What the documents of the realm name. */
export async function realmUsage(store: Spending["store"]): Promise<Used> {
  const { bytes, files } = await usedOf(store, "realm");
  return { bytes, files };
}

/** What documents name, and uploads hold, of a quota, whichever records say it. @param id `realm` or `org:<id>` */
export async function usedOf(store: Spending["store"], id: string): Promise<Used & { readonly open: Used }> {
  const records = store.isShared ? await readSlots(store, id) : [(await readSlot(store, id)).record];
  const sum = (one: Used, other: Used = nothing): Used => ({
    bytes: one.bytes + other.bytes,
    files: one.files + other.files,
  });
  return records.reduce((all, record) => ({ ...sum(all, record), open: sum(all.open, record.open) }), {
    ...nothing,
    open: nothing,
  });
}

interface Bound {
  /** Of its record. */
  readonly id: string;
  /** Bytes; undefined: any. */
  readonly most: number | undefined;
  readonly whose: string;
}

function ofRealm({ quota }: Quotas): Bound {
  return { id: "realm", most: quota, whose: "realm" };
}

function ofOrganization({ quotaPerOrg }: Quotas, org: string): Bound {
  return { id: `org:${org}`, most: quotaPerOrg, whose: "organization" };
}

/** Those that there are. */
function bounded(quotas: Quotas, org: string | undefined): readonly Bound[] {
  const all = [ofRealm(quotas), ...(org === undefined ? [] : [ofOrganization(quotas, org)])];
  return all.filter(({ most }) => most !== undefined);
}

function requireRoom(
  { bytes, open = nothing }: Pick<UsageRecord, "bytes" | "open">,
  most: number | undefined,
  whose: string,
): void {
  if (most === undefined || bytes + open.bytes <= most) return;
  throw quotaExceeded(whose);
}

/** @param version that is stored; undefined: none @throws Outdated where another one is */
export async function putRecord(
  transaction: Transaction,
  name: string,
  version: number | undefined,
  record: NamesRecord | BlobRecord | UsageRecord,
): Promise<void> {
  const records = transaction.collection(name);
  if (version !== undefined) {
    if (await records.replace(version, writeFileRecord(record, version + 1))) return;
    throw new Outdated();
  }
  try {
    await records.insert(writeFileRecord(record, 1));
  } catch (error) {
    throw error instanceof DuplicateId ? new Outdated() : error;
  }
}
