/** Uploads that go past the routes that take files as bodies: where they stand, until they are over. */
import type { BlobKey } from "../../blobs/store.ts";
import type { Access } from "../../documents/access.ts";
import {
  collections,
  readUpload,
  type UploadRecord,
  writeFileRecord,
} from "../../documents/files/records.ts";
import { type Claimed, hold, letGo } from "../../documents/files/usage.ts";
import { ApiError } from "../../errors.ts";
import { isId } from "../../ids.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { FileField } from "../../realm/files.ts";
import { longBackoff, Outdated, optimistic } from "../../retry.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import type { Place } from "../place.ts";
import { uploaderOf } from "../uploader.ts";

/** Milliseconds in which the bytes have to be on their way. */
export const addressLifetime = 900_000;

/** As it is stored. */
export interface FoundUpload {
  readonly record: UploadRecord;
  readonly version: number;
}

type Records = Pick<Store | Transaction, "collection">;

export function noSuchUpload(): ApiError {
  return new ApiError("not_found", "There is no such upload, or its time is over.");
}

/** Where its bytes lie until they are judged. */
export function bytesOf(upload: string): BlobKey {
  return `uploads/${upload}`;
}

export async function findUpload(store: Records, id: string): Promise<FoundUpload | undefined> {
  const stored = isId(id) ? await store.collection(collections.uploads).get(id, "live") : undefined;
  return stored && readUpload(stored);
}

/** Whether it was begun here, and by this caller. */
export function isOwn(
  { collection, field, entrance }: Place,
  access: Access,
  document: string,
  record: UploadRecord,
): boolean {
  return (
    record.collection === collection.storeName &&
    record.document === document &&
    record.field === field.name &&
    record.entrance === entrance.name &&
    record.by === uploaderOf(access)
  );
}

/**
 * Uploads that the field of a document may have open: as many again as it takes files, for those that break off, and some
 * where it takes few.
 */
export function openPerField({ maxFiles }: FileField): number {
  return Math.max(5, 2 * maxFiles);
}

/**
 * Stores that an upload has begun, and what it holds until it is over.
 * @param caller who is counted together
 * @param bytes by which the files of the field grow by it
 * @throws ApiError `too_many_requests` | `quota_exceeded`
 */
export function beginUpload(
  { realm, collection, field }: Place,
  record: Omit<UploadRecord, "holds" | "held" | "state">,
  { org, caller, bytes }: Pick<Claimed, "org" | "caller" | "bytes">,
): Promise<UploadRecord> {
  const { store, definition } = realm;
  if (definition.storage === undefined) throw new Error(`realm ${definition.name} has no storage`);
  const quotas = definition.storage;
  const place = `${collection.storeName}/${record.document}/${field.name}`;
  return optimistic(longBackoff, () =>
    store.transaction(async (transaction) => {
      const claimed = { org, caller, field: place, most: openPerField(field), bytes };
      const held = await hold(transaction, { quotas, store }, claimed);
      const begun: UploadRecord = { ...record, ...held, state: { kind: "open" } };
      await transaction.collection(collections.uploads).insert(writeFileRecord(begun, 1));
      return begun;
    }),
  );
}

/** That it is open no longer: then it holds nothing any more. @throws Outdated */
export async function closeUpload(
  transaction: Transaction,
  upload: FoundUpload,
  change: Pick<UploadRecord, "state"> & Partial<Pick<UploadRecord, "until">>,
): Promise<void> {
  if (upload.record.state.kind === "open") await letGo(transaction, upload.record);
  if (!(await changeUpload(transaction, upload, change))) throw new Outdated();
}

/** Whoever is slow, and still there, has time to complete it. @returns false where it is over */
export async function prolong(
  { store, clock }: Pick<RealmInstance, "store" | "clock">,
  id: string,
): Promise<boolean> {
  for (;;) {
    const upload = await findUpload(store, id);
    if (upload?.record.state.kind !== "open") return false;
    const until = Math.max(upload.record.until, clock.now() + addressLifetime);
    if (until === upload.record.until || (await changeUpload(store, upload, { until }))) return true;
  }
}

/** @returns false where somebody else has changed it in between */
function changeUpload(
  store: Records,
  { record, version }: FoundUpload,
  change: Partial<Pick<UploadRecord, "state" | "until">>,
): Promise<boolean> {
  const next = writeFileRecord({ ...record, ...change }, version + 1);
  return store.collection(collections.uploads).replace(version, next);
}
