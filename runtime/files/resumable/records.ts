/** Uploads that come in pieces: where they stand, and whose they are. */
import { randomBytes } from "node:crypto";
import type { BlobKey } from "../../blobs/store.ts";
import type { Access } from "../../documents/access.ts";
import {
  collections,
  type ResumableRecord,
  readResumable,
  writeFileRecord,
} from "../../documents/files/records.ts";
import { type Claimed, hold, letGo } from "../../documents/files/usage.ts";
import { ApiError } from "../../errors.ts";
import { isId } from "../../ids.ts";
import { longBackoff, Outdated, optimistic } from "../../retry.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { openPerField } from "../direct/records.ts";
import type { Place } from "../place.ts";
import { uploaderOf } from "../uploader.ts";

/** Milliseconds that an upload waits for its next part. */
export const lifetime = 86_400_000;

/** As it is stored. */
export interface Found {
  readonly record: ResumableRecord;
  readonly version: number;
}

type Records = Pick<Store | Transaction, "collection">;

export function noSuchUpload(): ApiError {
  return new ApiError("not_found", "There is no such upload, or its time is over.");
}

export function uploadLocked(): ApiError {
  return new ApiError("upload_locked", "Another request adds to the upload; ask HEAD where it stands.", {
    headers: { "retry-after": "1" },
  });
}

/** A name that no other part has. */
export function partName(): string {
  return randomBytes(6).toString("base64url");
}

/** Where the bytes of a part lie. */
export function keyOf(upload: string, part: string): BlobKey {
  return `uploads/${upload}-${part}`;
}

/** Bytes that are acknowledged. */
export function offsetOf({ parts, size, state }: ResumableRecord): number {
  return state.kind === "done" ? size : parts.reduce((sum, [, bytes]) => sum + bytes, 0);
}

export async function findResumable(store: Records, id: string): Promise<Found | undefined> {
  const stored = isId(id) ? await store.collection(collections.resumable).get(id, "live") : undefined;
  return stored && readResumable(stored);
}

/**
 * The upload that a request is about: begun here, and by this caller.
 * @throws ApiError `not_found`
 */
export async function ownResumable(
  { realm, collection, field, entrance }: Place,
  access: Access,
  { id, upload = "" }: Readonly<Record<string, string | undefined>>,
): Promise<Found> {
  const found = await findResumable(realm.store, upload);
  if (found === undefined) throw noSuchUpload();
  const { record } = found;
  const isOwn =
    record.collection === collection.storeName &&
    record.document === id &&
    record.field === field.name &&
    record.entrance === entrance.name &&
    record.by === uploaderOf(access);
  if (!isOwn || record.state.kind === "over" || record.until <= realm.clock.now()) throw noSuchUpload();
  return found;
}

/**
 * Stores that an upload has begun, and what it holds until it is over.
 * @throws ApiError `too_many_requests` | `quota_exceeded`
 */
export function begun(
  { realm, collection, field }: Place,
  record: Omit<ResumableRecord, "holds" | "held" | "until" | "parts" | "writer" | "loose" | "state">,
  claim: Pick<Claimed, "org" | "caller" | "bytes">,
): Promise<Found> {
  const { store, definition, clock } = realm;
  if (definition.storage === undefined) throw new Error(`realm ${definition.name} has no storage`);
  const quotas = definition.storage;
  const place = `${collection.storeName}/${record.document}/${field.name}`;
  return optimistic(longBackoff, () =>
    store.transaction(async (transaction) => {
      const held = await hold(
        transaction,
        { quotas, store },
        { ...claim, field: place, most: openPerField(field) },
      );
      const open: ResumableRecord = {
        ...record,
        ...held,
        until: clock.now() + lifetime,
        ...{ parts: [], writer: null, loose: [], state: { kind: "open" } },
      };
      await transaction.collection(collections.resumable).insert(writeFileRecord(open, 1));
      return { record: open, version: 1 };
    }),
  );
}

/** That it is open no longer: then it holds nothing any more. @throws Outdated */
export async function closed(
  transaction: Transaction,
  found: Found,
  change: Pick<ResumableRecord, "state"> & Partial<ResumableRecord>,
): Promise<Found> {
  if (found.record.state.kind === "open") await letGo(transaction, found.record);
  const now = await changed(transaction, found, change);
  if (now === undefined) throw new Outdated();
  return now;
}

/** Ends an upload where that is still to be done. @param until its record is needed @returns false where it is not */
export function ended(
  store: Pick<Store, "transaction">,
  id: string,
  still: (record: ResumableRecord) => boolean,
  until?: number,
): Promise<boolean> {
  return optimistic(longBackoff, () =>
    store.transaction(async (transaction) => {
      const found = await findResumable(transaction, id);
      if (found === undefined || found.record.state.kind === "over" || !still(found.record)) return false;
      await closed(transaction, found, { state: { kind: "over" }, ...(until !== undefined && { until }) });
      return true;
    }),
  );
}

/** @returns as it is now; undefined where somebody else has changed it in between */
export async function changed(
  store: Records,
  { record, version }: Found,
  change: Partial<ResumableRecord>,
): Promise<Found | undefined> {
  const next = { ...record, ...change };
  const written = await store
    .collection(collections.resumable)
    .replace(version, writeFileRecord(next, version + 1));
  return written ? { record: next, version: version + 1 } : undefined;
}

/** All names under which bytes of an upload may lie. */
export function partsOf({ parts, writer, loose }: ResumableRecord): readonly string[] {
  return [...new Set([...parts.map(([part]) => part), ...(writer ? [writer.next] : []), ...loose])];
}
