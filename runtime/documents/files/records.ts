/** What the store keeps of files beside the documents that name them (files.md, How). */
import { index, shape } from "../../auth/collections.ts";
import { readRecord, writeRecord } from "../../auth/records.ts";
import { timestamp } from "../../clock.ts";
import { field } from "../../filter/fields.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import type { NamedFile } from "../../realm/files.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import type { CollectionShape } from "../../store/contract/shape.ts";

/** Names of the system collections of files. */
export const collections = {
  names: "_svc.files",
  blobs: "_svc.blobs",
  usage: "_svc.usage",
} as const;

/** `_svc.files`: the files that a document names; there is none for a document without files. */
export interface NamesRecord {
  /** `<database>.<collection>/<document>`. */
  readonly id: string;
  readonly collection: string;
  readonly document: string;
  /** The document's organization. */
  readonly org: string | null;
  /** When the document goes for good by itself, RFC 3339: of deleted ones in collections with a retention. */
  readonly purge_at: string | null;
  readonly files: readonly NamedFile[];
}

/** `_svc.blobs`: bytes that are stored, or about to be. */
export interface BlobRecord {
  /** SHA-256. */
  readonly id: string;
  readonly size: number;
  /** File objects that documents name with these bytes. */
  readonly refs: number;
  /** When somebody last stored, or ceased to name, these bytes: epoch milliseconds. */
  readonly at: number;
  /** Its bytes are being removed: nobody may name them. */
  readonly sweeping?: true;
}

/** `_svc.usage`: what the documents of `realm`, or of `org:<id>`, name; in the trash, too. */
export interface UsageRecord {
  readonly id: string;
  readonly bytes: number;
  readonly files: number;
}

export const namesFields = {
  purge_at: field("purge_at", "date-time"),
};

export const blobFields = {
  refs: field("refs", "integer"),
  at: field("at", "integer"),
};

const shapes: readonly CollectionShape[] = [
  shape(collections.names, namesFields, [index("purge", namesFields.purge_at, false)]),
  shape(collections.blobs, blobFields, [index("unnamed", [blobFields.refs, blobFields.at], false)]),
  shape(collections.usage, {}),
];

/** Those of a realm: none where it stores no files. */
export function fileCollections({ storage }: Pick<RealmDefinition, "storage">): readonly CollectionShape[] {
  return storage === undefined ? [] : shapes;
}

export const readNames = readRecord<NamesRecord>;
export const readBlob = readRecord<BlobRecord>;
export const readUsage = readRecord<UsageRecord>;

/** As it is stored; nobody lists them by their time. */
export function writeFileRecord(
  record: NamesRecord | BlobRecord | UsageRecord,
  version: number,
): DocumentWrite {
  return writeRecord(record, version, beginning);
}

const beginning = timestamp(0);
