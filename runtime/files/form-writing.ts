/** The files of a form on their way into a new document: their bytes, its members, and what is written along with it. */
import type { Access } from "../documents/access.ts";
import type { Collection } from "../documents/collection.ts";
import { queueJob } from "../jobs/queue.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { FileObject } from "../realm/files.ts";
import type { DocumentWrite } from "../store/contract/document.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { type Arrived, arrived } from "./arriving.ts";
import { named, told } from "./change.ts";
import { memberOf } from "./field.ts";
import type { FormFile } from "./form-parts.ts";
import { keepBytes } from "./keeping.ts";
import type { Place } from "./place.ts";
import type { RealmStorage } from "./realm.ts";
import { fileObject } from "./taking.ts";
import { versionJob } from "./version-job.ts";

/** A file as its document will have it. */
export interface Filed {
  readonly place: Place;
  readonly file: FileObject;
  readonly arrived: Arrived;
}

/** @throws ApiError as {@link arrived} does */
export async function filed(access: Access, { place, name, type, spooled }: FormFile): Promise<Filed> {
  const stored = await arrived(place, spooled, type);
  return { place, file: fileObject(place, access, name, stored), arrived: stored };
}

/** The members of a document that are its files. */
export function membersOf(files: readonly Filed[]): JsonObject {
  const members: Record<string, JsonValue> = {};
  for (const place of new Set(files.map((each) => each.place))) {
    const own = files.filter((each) => each.place === place).map(({ file }) => file);
    members[place.field.name] = memberOf(place.field, own) ?? null;
  }
  return members;
}

/**
 * Writes what goes along with a new document that has files: its names in the ledger, the audit records of its uploads, and
 * the jobs for versions of images.
 * @throws ApiError `quota_exceeded`; BytesSwept; Outdated
 */
export async function writeAlong(
  realm: RealmInstance,
  { definition, storeName, files: fields }: Collection,
  transaction: Transaction,
  { audit }: Access,
  { id, version, text }: DocumentWrite,
  files: readonly Filed[],
): Promise<void> {
  if (files.length === 0 || fields === undefined) return;
  const added = files.map(({ place: { field }, file }) => named(field, file));
  await fields.ledger.rename(transaction, storeName, id, text, { added, removed: [] });
  const uploads = files.map(({ place: { field }, file }) => ({
    ...{ action: "upload" as const, collection: definition, id, version },
    details: told(field, file),
  }));
  await audit?.(transaction, uploads);
  for (const { place, file } of files)
    if (file.versions !== undefined)
      await queueJob(realm, transaction, versionJob(definition, id, place.field, file));
}

/** Stores the bytes of all files, and has a document name them; where that is refused, all are taken back. */
export function keepAll<T>(
  realm: RealmInstance,
  storage: Pick<RealmStorage, "blobs" | "metrics">,
  [first, ...rest]: readonly Filed[],
  name: () => Promise<T>,
): Promise<T> {
  if (first === undefined) return name();
  const { spooled, type } = first.arrived;
  return keepBytes(realm, storage, spooled, type, () => keepAll(realm, storage, rest, name));
}
