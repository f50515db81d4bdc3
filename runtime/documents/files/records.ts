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
  uploads: "_svc.uploads",
  resumable: "_svc.resumable",
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

/** Of a document's record there. @param collection as the store has it */
export function keyOf(collection: string, document: string): string {
  return `${collection}/${document}`;
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
  /**
   * Uploads that have announced these bytes and not ended yet; absent once a document has named them. The last of them that is
   * refused removes them.
   */
  readonly coming?: number;
  /** Its bytes are being removed: nobody may name them. */
  readonly sweeping?: true;
}

/**
 * `_svc.usage`: what the documents of `realm`, or of `org:<id>`, name, in the trash too, and what uploads under way hold
 * there. Where the store is shared, `realm/<number>` and `org:<id>/<number>` say it together with these, each of them
 * perhaps less than nothing. Of `caller:<hash>` and `field:<place>` there is the latter alone, as long as there is any.
 */
export interface UsageRecord {
  readonly id: string;
  readonly bytes: number;
  readonly files: number;
  /** Of uploads that nobody has completed. */
  readonly open?: { readonly bytes: number; readonly files: number };
  /** Bytes of a quota beyond its own share, from others of the same quota; less than nothing: lent to them. */
  readonly borrowed?: number;
}

/** `_svc.uploads`: a file that is to come past the server, or in pieces. */
export interface UploadRecord {
  readonly id: string;
  readonly collection: string;
  readonly document: string;
  readonly field: string;
  /** The way that whoever began it took, and who that is: nobody else ends it. */
  readonly entrance: string;
  readonly by: string | null;
  /** Of the file, as its sender says. */
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
  /** It takes the place of all that the field has. */
  readonly replace: boolean;
  /** What it holds as long as it is open: ids of {@link UsageRecord}, and bytes of each. */
  readonly holds: readonly string[];
  readonly held: number;
  /** When it ends by itself: epoch milliseconds. Of one that is over: when its record goes. */
  readonly until: number;
  readonly state:
    | { readonly kind: "open" | "over" }
    /** The document names the file: what was answered, to be answered again. */
    | { readonly kind: "done"; readonly body: string; readonly etag: string; readonly location: string };
}

/** `_svc.resumable`: a file that comes in pieces, by the tus protocol. */
export interface ResumableRecord
  extends Pick<
    UploadRecord,
    "id" | "collection" | "document" | "field" | "entrance" | "by" | "name" | "holds" | "held"
  > {
  readonly type: string | null;
  readonly size: number;
  readonly replace: boolean;
  /** As it was sent. */
  readonly metadata: string;
  /** When it ends by itself: epoch milliseconds. Of one that is over: when its record goes. */
  readonly until: number;
  /** What has come, in its order: a name of its own, and bytes. */
  readonly parts: readonly (readonly [part: string, bytes: number])[];
  /** The request that adds to it: nobody else does. */
  readonly writer: UploadWriter | null;
  /** Names of parts whose bytes may lie there all the same: of writers that were taken the upload from. */
  readonly loose: readonly string[];
  readonly state:
    | { readonly kind: "open" | "over" }
    /** The document names the file: its object, what it has as its address, and the document's entity tag then. */
    | { readonly kind: "done"; readonly file: string; readonly location: string; readonly etag: string };
}

export interface UploadWriter {
  readonly token: string;
  /** The part that it stores next: named here before its bytes are there, so that none are nobody's. */
  readonly next: string;
  /** All has come, and the document is being told: until then, epoch milliseconds, nobody takes it over. */
  readonly finishing?: number;
}

export const namesFields = {
  purge_at: field("purge_at", "date-time"),
};

export const blobFields = {
  refs: field("refs", "integer"),
  at: field("at", "integer"),
};

export const uploadFields = {
  until: field("until", "integer"),
};

/** {@link BlobRecord}s. */
export const blobsShape = shape(collections.blobs, blobFields, [
  index("unnamed", [blobFields.refs, blobFields.at], false),
]);

const shapes: readonly CollectionShape[] = [
  shape(collections.names, namesFields, [index("purge", namesFields.purge_at, false)]),
  blobsShape,
  shape(collections.usage, {}),
  shape(collections.uploads, uploadFields, [index("until", uploadFields.until, false)]),
  shape(collections.resumable, uploadFields, [index("until", uploadFields.until, false)]),
];

/** Those of a realm: none where it stores no files. */
export function fileCollections({ storage }: Pick<RealmDefinition, "storage">): readonly CollectionShape[] {
  return storage === undefined ? [] : shapes;
}

export const readNames = readRecord<NamesRecord>;
export const readBlob = readRecord<BlobRecord>;
export const readUsage = readRecord<UsageRecord>;
export const readUpload = readRecord<UploadRecord>;
export const readResumable = readRecord<ResumableRecord>;

/** As it is stored; nobody lists them by their time. */
export function writeFileRecord(
  record: NamesRecord | BlobRecord | UsageRecord | UploadRecord | ResumableRecord,
  version: number,
): DocumentWrite {
  return writeRecord(record, version, beginning);
}

const beginning = timestamp(0);
