/**
 * What is used of a quota on a store that several processes write to: several records, slots, say it together, so that one that
 * a process holds which has died keeps nobody else. Each slot may use its share, the quota is the sum of them all, and slots
 * lend each other what is left of theirs: hence the quota holds to the byte, whichever slots are written at once.
 */
import { randomInt } from "node:crypto";
import { TRUE } from "../../filter/algebra.ts";
import { documentFields } from "../../filter/fields.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { collections, readUsage, type UsageRecord } from "./records.ts";

/** How many there are, beside the one that is called as what they are of: that has no share of its own. */
const SLOTS = 16;

/** A slot as it was read. */
export interface Slot {
  readonly record: UsageRecord;
  /** Undefined: there is no record yet. */
  readonly version?: number | undefined;
}

/** Any of them. @param id `realm` or `org:<id>` */
export function anySlot(id: string): string {
  return slotOf(id, randomInt(SLOTS));
}

function slotOf(id: string, slot: number): string {
  return `${id}/${slot}`;
}

/** What a slot is of; of any other record its own id. */
export function ofSlot(slot: string): string {
  return /^(?:realm|org:[^/]+)\/\d+$/.test(slot) ? slot.slice(0, slot.lastIndexOf("/")) : slot;
}

/** All of them, and the one without a share. */
export function slotsOf(id: string): readonly string[] {
  return [id, ...Array.from({ length: SLOTS }, (_, slot) => slotOf(id, slot))];
}

/** What of a quota is a slot's, before it lends or borrows: the shares of all are the quota. */
function shareOf(slot: string, most: number): number {
  const at = slot.lastIndexOf("/");
  if (at === -1) return 0;
  return Math.floor(most / SLOTS) + (Number(slot.slice(at + 1)) < most % SLOTS ? 1 : 0);
}

/** Bytes that a slot may still use; negative where the quota was larger, or there was none. */
export function roomOf({ id, bytes, open, borrowed = 0 }: UsageRecord, most: number): number {
  return shareOf(id, most) + borrowed - bytes - (open?.bytes ?? 0);
}

/** As they were committed last; none for those that have no record. One query. */
export async function readSlots(
  store: Pick<Store, "collection">,
  id: string,
): Promise<readonly UsageRecord[]> {
  const values = slotsOf(id);
  const found = await store
    .collection(collections.usage)
    .lookup({ key: documentFields.id, values, filter: TRUE, limit: values.length });
  const records = found.map((stored) => readUsage(stored).record);
  return values.map((slot) => records.find((record) => record.id === slot) ?? emptySlot(slot));
}

/** As a transaction sees it, or as it was committed last. */
export async function readSlot(from: Pick<Store | Transaction, "collection">, id: string): Promise<Slot> {
  const stored = await from.collection(collections.usage).get(id, "live");
  return stored === undefined ? { record: emptySlot(id) } : readUsage(stored);
}

function emptySlot(id: string): UsageRecord {
  return { id, bytes: 0, files: 0 };
}

/**
 * A slot with room for so many bytes, and others that lend it what it lacks; all are to be written, in this transaction. Each
 * time it is another one, so that who comes upon one that is held comes past it the next time.
 * @param store is asked for what is committed, which spares the transaction from reading all of them where there is room
 * @param most the quota, in bytes
 * @returns undefined where the quota leaves no room
 */
export async function slotWithRoom(
  transaction: Transaction,
  store: Pick<Store, "collection">,
  id: string,
  most: number,
  bytes: number,
): Promise<{ readonly slot: Slot; readonly lenders: readonly Slot[] } | undefined> {
  const seen = await readSlots(store, id);
  // Where a slot uses more than its share nobody else may use theirs: that is made even first.
  if (seen.every((record) => roomOf(record, most) >= 0)) {
    const roomy = seen.filter((record) => roomOf(record, most) >= bytes);
    const one = roomy[roomy.length === 0 ? 0 : randomInt(roomy.length)];
    const slot = one && (await readSlot(transaction, one.id));
    if (slot !== undefined && roomOf(slot.record, most) >= bytes) return { slot, lenders: [] };
  }
  const slots: Slot[] = [];
  for (const each of slotsOf(id)) slots.push(await readSlot(transaction, each));
  return evened(slots, most, bytes);
}

/**
 * The same, of all slots: those that use more than their share are lent what they lack, too.
 * @param slots with all that there are of a quota
 */
export function evened(
  slots: readonly Slot[],
  most: number,
  bytes: number,
): { readonly slot: Slot; readonly lenders: readonly Slot[] } | undefined {
  const rooms = new Map(slots.map(({ record }) => [record.id, roomOf(record, most)]));
  if ([...rooms.values()].reduce((sum, room) => sum + room, 0) < bytes) return undefined;
  const order = shuffled(slots);
  const [target] = order;
  if (target === undefined) return undefined;
  const wanted = new Map([...rooms].map(([id, room]) => [id, (id === target.record.id ? bytes : 0) - room]));
  let lacking = [...wanted.values()].reduce((sum, want) => sum + Math.max(want, 0), 0);
  const changed = order.flatMap((slot) => {
    const want = wanted.get(slot.record.id) ?? 0;
    const lent = want > 0 ? -want : Math.min(-want, lacking);
    if (want <= 0) lacking -= lent;
    return lent === 0 && slot !== target ? [] : [lending(slot, lent)];
  });
  const [slot, ...lenders] = changed;
  return slot && { slot, lenders };
}

function lending({ record, version }: Slot, bytes: number): Slot {
  const { borrowed = 0, ...rest } = record;
  const now = borrowed - bytes;
  return { record: now === 0 ? rest : { ...rest, borrowed: now }, version };
}

function shuffled<T>(all: readonly T[]): readonly T[] {
  return all
    .map((each) => ({ each, at: randomInt(2 ** 32) }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}
