/** What files take up, and what uploads under way hold of it: counted in the very transactions that write them. */
import { hash, randomInt } from "node:crypto";
import { ApiError, tooManyRequests } from "../../errors.ts";
import type { StorageDefinition } from "../../realm/files.ts";
import { longBackoff, Outdated, optimistic } from "../../retry.ts";
import { batches } from "../../store/batches.ts";
import { DuplicateId } from "../../store/contract/errors.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import {
  type BlobRecord,
  collections,
  type NamesRecord,
  readUsage,
  type UploadRecord,
  type UsageRecord,
  writeFileRecord,
} from "./records.ts";

export type Used = Pick<UsageRecord, "bytes" | "files">;

type Quotas = Pick<StorageDefinition, "quota" | "quotaPerOrg">;

/** Uploads that one caller may have open. */
export const openPerCaller = 100;

/**
 * Records that what is used without a quota is spread over, where the store is shared: of one that a process holds which has died
 * no other transaction has to wait for.
 */
const SLOTS = 16;

/** Milliseconds after which somebody may have completed one. */
const again = 60_000;

const nothing: Used = { bytes: 0, files: 0 };

/**
 * What documents name is so much more, or less. Of who has no quota any of several records says it, so that no transaction
 * holds what all of them write.
 * @param org undefined: of the realm
 * @throws ApiError `quota_exceeded`; Outdated
 */
export async function spend(
  transaction: Transaction,
  { quotas, isShared }: Spending,
  org: string | undefined,
  more: Used,
): Promise<void> {
  if (more.bytes === 0 && more.files === 0) return;
  const { id, most, whose } = org === undefined ? ofRealm(quotas) : ofOrganization(quotas, org);
  const of = most === undefined && isShared ? slotOf(id, randomInt(SLOTS)) : id;
  const { record, version } = await usage(transaction, of);
  const next = { ...record, bytes: record.bytes + more.bytes, files: record.files + more.files };
  if (more.bytes > 0) requireRoom(next, most, whose);
  await putRecord(transaction, collections.usage, version, next);
}

/** What decides which records say what is used. */
export interface Spending {
  readonly quotas: Quotas;
  /** Several processes write to the store. */
  readonly isShared: boolean;
}

function slotOf(id: string, slot: number): string {
  return `${id}/${slot}`;
}

const ofSlot = /^(realm|org:[^/]+)\/\d+$/;

/**
 * Brings what was used without a quota into the records that a quota is judged by; to be called before they are, and again as
 * long as there may be processes that know of no quota.
 */
export async function foldUsage(store: Store, quotas: Quotas): Promise<void> {
  if (!store.isShared || (quotas.quota === undefined && quotas.quotaPerOrg === undefined)) return;
  for await (const batch of batches(store.collection(collections.usage), READ)) {
    for (const { id: slot } of batch) {
      const [, id = ""] = ofSlot.exec(slot) ?? [];
      const most = id === "realm" ? quotas.quota : quotas.quotaPerOrg;
      if (id !== "" && most !== undefined) await fold(store, slot, id);
    }
  }
}

const READ = { documents: 1_000, characters: 8 * 1024 ** 2 };

function fold(store: Store, slot: string, id: string): Promise<boolean> {
  return optimistic(longBackoff, () =>
    store.transaction(async (transaction) => {
      const part = await usage(transaction, slot);
      if (part.version === undefined) return true;
      const { record, version } = await usage(transaction, id);
      const { bytes, files } = part.record;
      if (!(await transaction.collection(collections.usage).remove(slot, part.version))) throw new Outdated();
      const next = { ...record, bytes: record.bytes + bytes, files: record.files + files };
      await putRecord(transaction, collections.usage, version, next);
      return true;
    }),
  );
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
  store: Pick<Store, "collection">,
  quotas: Quotas,
  org: string | undefined,
): Promise<QuotaRoom | undefined> {
  let least: QuotaRoom | undefined;
  for (const { id, most = 0, whose } of bounded(quotas, org)) {
    const { bytes, open = nothing } = (await usage(store, id)).record;
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
  quotas: Quotas,
  { org, caller, field, most, bytes }: Claimed,
): Promise<Pick<UploadRecord, "holds" | "held">> {
  const counts = [
    { id: `caller:${hash("sha256", caller)}`, most: openPerCaller, whose: "of one caller" },
    { id: `field:${field}`, most, whose: "in one field of a document" },
  ];
  for (const { id, most: limit, whose } of counts) {
    const { open } = await add(transaction, id, { bytes, files: 1 });
    if (open.files > limit)
      throw tooManyRequests(`At most ${limit} uploads ${whose} are open at a time; complete some.`, again);
  }
  const full = bounded(quotas, org);
  for (const { id, most: quota, whose } of full)
    requireRoom(await add(transaction, id, { bytes, files: 1 }), quota, whose);
  return { holds: [...counts, ...full].map(({ id }) => id), held: bytes };
}

/** An upload that was held is open no longer. @throws Outdated */
export async function letGo(
  transaction: Transaction,
  { holds, held }: Pick<UploadRecord, "holds" | "held">,
): Promise<void> {
  for (const id of holds) await add(transaction, id, { bytes: -held, files: -1 });
}

/** More, or fewer, uploads that are open. Who only has had such has no record any longer. */
async function add(transaction: Transaction, id: string, more: Used): Promise<Required<UsageRecord>> {
  const { record, version } = await usage(transaction, id);
  const { open: before = nothing, ...named } = record;
  const open = { bytes: before.bytes + more.bytes, files: before.files + more.files };
  const isEmpty = open.files <= 0;
  if (!isEmpty || named.files > 0)
    await putRecord(transaction, collections.usage, version, isEmpty ? named : { ...named, open });
  else if (version !== undefined && !(await transaction.collection(collections.usage).remove(id, version)))
    throw new Outdated();
  return { ...named, open };
}

/** What the documents of the realm name. */
export async function realmUsage(store: Pick<Store, "collection" | "isShared">): Promise<Used> {
  const slots = store.isShared ? Array.from({ length: SLOTS }, (_, slot) => slotOf("realm", slot)) : [];
  const all = await Promise.all(["realm", ...slots].map((id) => usage(store, id)));
  return all.reduce(
    (sum, { record }) => ({ bytes: sum.bytes + record.bytes, files: sum.files + record.files }),
    nothing,
  );
}

async function usage(
  store: Pick<Store | Transaction, "collection">,
  id: string,
): Promise<{ readonly record: UsageRecord; readonly version?: number }> {
  const stored = await store.collection(collections.usage).get(id, "live");
  return stored === undefined ? { record: { id, ...nothing } } : readUsage(stored);
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
