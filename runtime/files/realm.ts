import type { Spool } from "../blobs/spool.ts";
import type { BlobStore } from "../blobs/store.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { FileMetrics } from "../realm/file-metrics.ts";
import { Versions } from "./versions.ts";

/** What a realm's files lie in, and how they get there. */
export interface RealmStorage {
  readonly blobs: BlobStore;
  readonly spool: Spool;
  /** Bytes of a proxied upload (`SVC_MAX_UPLOAD_BYTES`). */
  readonly maxUpload: number;
  /** Bytes of a document (`MAX_BODY_BYTES`). */
  readonly maxBody: number;
  /** Of the realm. */
  readonly metrics: FileMetrics | undefined;
}

/** The same, of a realm that serves them. */
export interface OpenStorage extends RealmStorage {
  readonly versions: Versions;
}

const opened = new WeakMap<object, OpenStorage>();

/** To be called when a realm with storage starts, before its routes are made. */
export function openFiles(realm: RealmInstance, storage: RealmStorage): RealmStorage {
  opened.set(realm, { ...storage, versions: new Versions(realm, storage) });
  return storage;
}

/** @throws Error for a realm that was not opened */
export function storageOf(realm: Pick<RealmInstance, "definition">): OpenStorage {
  const storage = opened.get(realm);
  if (storage === undefined) throw new Error(`realm ${realm.definition.name} has no storage`);
  return storage;
}
