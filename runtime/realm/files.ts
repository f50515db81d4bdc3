/** Files of documents: what the configuration says of them, and what documents name. */
import type { Signer } from "../signing.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import type { FileObject } from "./file-object.ts";

export type { FileObject, VersionState } from "./file-object.ts";

/** `storage` of realm.yaml. */
export interface StorageDefinition {
  readonly driver: LocalStorage | S3Storage;
  /** Bytes that documents of the realm may name. */
  readonly quota?: number;
  /** The same of each organization. */
  readonly quotaPerOrg?: number;
}

/** Below the instance's data folder. */
export interface LocalStorage {
  readonly kind: "local";
}

/** A bucket of a server that speaks S3. */
export interface S3Storage {
  readonly kind: "s3";
  readonly bucket: string;
  readonly region?: string;
  /** Absent: Amazon's of the region. */
  readonly endpoint?: string;
  /** The bucket stands in the path rather than in the host's name. */
  readonly pathStyle: boolean;
  /** What keys begin with. */
  readonly prefix?: string;
}

/** A field of `files` in collection.yaml. */
export interface FileField {
  readonly name: string;
  /** Media types, `image/*` or `*` with any subtype. */
  readonly accept: readonly string[];
  /** Bytes of a file. */
  readonly maxSize: number;
  /** More than one: documents have an array of file objects. */
  readonly maxFiles: number;
  /** Documents are created with one, and keep one. */
  readonly required?: true;
  /** Beside proxied uploads of at most {@link alwaysProxied} bytes. */
  readonly upload: "proxy" | "direct" | "resumable" | "any";
  /** Of images, by name. */
  readonly versions?: Readonly<Record<string, ImageVersion>>;
}

/** Bytes that may be uploaded by the proxy whatever the field's mode. */
export const alwaysProxied = 1_048_576;

/** Whether files of any size that a field takes may come in a way. */
export function comesBy(
  { upload }: Pick<FileField, "upload">,
  way: "proxy" | "direct" | "resumable",
): boolean {
  return upload === way || upload === "any";
}

/** Bytes of the largest file that may come through the server as a body, as far as the field goes. */
export function mostProxied({ maxSize, upload }: Pick<FileField, "maxSize" | "upload">): number {
  return comesBy({ upload }, "proxy") ? maxSize : Math.min(maxSize, alwaysProxied);
}

/** Media types of the images that versions are made of; each has its format in `runtime/files/content`. */
export const versionedTypes = [
  "image/avif",
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/tiff",
  "image/webp",
] as const;

/** Fitted into a box of pixels; at least one of the sides is given. */
export interface ImageVersion {
  readonly width?: number;
  readonly height?: number;
  readonly fit: "cover" | "contain" | "inside";
}

/** A file as the ledger has it: what decides which bytes a document names. */
export interface NamedFile extends Pick<FileObject, "id" | "sha256" | "size"> {
  readonly field: string;
}

/**
 * What the documents of a realm name, counted in the very transactions that write them. Where two transactions meet so that
 * neither may go on, they throw Outdated: whoever began it begins anew.
 */
export interface FileLedger {
  /** The files that a document names. */
  read(collection: string, document: string): Promise<readonly NamedFile[]>;
  /**
   * After a write that leaves a document's files as they are, but not where the document is: its end, deletion, return,
   * or another organization.
   * @param collection as the store has it
   * @param text what the document is now; undefined: gone
   * @throws ApiError `quota_exceeded`
   */
  follow(
    transaction: Transaction,
    collection: string,
    document: string,
    text: string | undefined,
  ): Promise<void>;
  /** Where a document in the trash has gone by itself: its files are named no longer. @param now epoch milliseconds */
  expire(transaction: Transaction, collection: string, document: string, now: number): Promise<void>;
  /**
   * After a write that changed what a live document names.
   * @param text as before
   * @throws ApiError `quota_exceeded` | {@link BytesSwept}
   */
  rename(
    transaction: Transaction,
    collection: string,
    document: string,
    text: string,
    change: FileChange,
  ): Promise<void>;
}

export interface FileChange {
  readonly added: readonly NamedFile[];
  /** Ids. */
  readonly removed: readonly string[];
}

/** The bytes of a new name are being removed, or gone: they have to be stored once more. */
export class BytesSwept extends Error {
  constructor(sha256: string) {
    super(`the bytes ${sha256} are being removed`);
    this.name = "BytesSwept";
  }
}

/** What a realm with storage has for its files. */
export interface RealmFiles {
  readonly ledger: FileLedger;
  /** Signs addresses of files. */
  readonly links: Signer;
}

/** Of all fields of a collection, each once. */
export function versionNames(files: readonly Pick<FileField, "versions">[] = []): readonly string[] {
  return [...new Set(files.flatMap(({ versions = {} }) => Object.keys(versions)))];
}
