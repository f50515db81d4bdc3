/** Changes of the files that a document has: in the document, the ledger and the audit trail, or nowhere. */
import type { Access } from "../documents/access.ts";
import { ownMembers } from "../documents/draft.ts";
import { type Existing, modifyExisting, type Target } from "../documents/writes/existing.ts";
import { requireUpdate, rewritten } from "../documents/writes/update.ts";
import { ApiError } from "../errors.ts";
import { queueJob } from "../jobs/queue.ts";
import type { JsonObject } from "../json.ts";
import { define } from "../merge-patch.ts";
import type { FileField, FileObject, NamedFile } from "../realm/files.ts";
import { longBackoff, once, optimistic } from "../retry.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { noSuchFile } from "./errors.ts";
import { filesIn, isHidden, memberOf } from "./field.ts";
import type { Place } from "./place.ts";
import { versionJob } from "./version-job.ts";

/** What is to become of the files of a field. */
export interface Change {
  readonly action: "upload" | "remove_file";
  /** The one that comes or goes, as the audit trail tells of it. */
  readonly file: FileObject;
  /** All that there are then. */
  readonly files: readonly FileObject[];
}

/** Which change, of the files that a field has; awaits nothing, and may be asked again. */
export type Decide = (held: readonly FileObject[]) => Change;

/**
 * Changes the files of a document: its next version.
 * @param along writes in the same transaction
 * @throws ApiError `not_found` where the caller may not read the document or the field; `version_mismatch`; `forbidden`;
 *   `quota_exceeded`; `write_conflict`; what `decide` and `along` throw
 * @throws BytesSwept
 */
export async function changeFiles(
  place: Place,
  access: Access,
  target: Target,
  decide: Decide,
  along?: (transaction: Transaction, document: StoredDocument) => Promise<void>,
): Promise<StoredDocument> {
  const { realm, collection, definition, field, ledger } = place;
  const { storeName } = collection;
  const written = await optimistic(longBackoff, () =>
    realm.store.transaction(async (transaction) => {
      const documents = transaction.collection(storeName);
      const { document, change, before } = await optimistic(once, () =>
        modifyExisting(collection, access, documents, target, (found) => {
          const held = heldIn(place, access, found);
          const made = decide(held);
          const written = rewritten(collection, access, found, judged(place, access, found, made));
          return { ...written, change: made, before: held };
        }),
      );
      // What an upload holds of the quota is free for its file.
      await along?.(transaction, document);
      await ledger.rename(
        transaction,
        storeName,
        document.id,
        document.text,
        namesOf(field, before, change.files),
      );
      const { action, file } = change;
      const { id, version } = document;
      await access.audit?.(transaction, [
        { action, collection: definition, id, version, details: told(field, file) },
      ]);
      const hasVersions = action === "upload" && file.versions !== undefined;
      if (hasVersions) await queueJob(realm, transaction, versionJob(definition, id, field, file));
      return { document, hasVersions };
    }),
  );
  if (written.hasVersions) realm.wakeJobs();
  return written.document;
}

/** The files that the caller may know of. @throws ApiError `not_found` */
function heldIn({ collection, field }: Place, access: Access, found: Existing): readonly FileObject[] {
  if (isHidden(collection, access, found.document, field)) throw noSuchFile();
  return filesIn(found.document, field);
}

/**
 * The members with the change, which the update rule allows.
 * @throws ApiError `unauthenticated` | `forbidden`
 */
export function judged(
  { collection, field }: Place,
  access: Access,
  found: Existing,
  { files }: Pick<Change, "files">,
): JsonObject {
  const members = { ...ownMembers(found.document) };
  const member = memberOf(field, files);
  if (member === undefined) delete members[field.name];
  else define(members, field.name, member);
  requireUpdate(collection, access, found, { [field.name]: member ?? null }, members);
  return members;
}

function namesOf(field: FileField, before: readonly FileObject[], after: readonly FileObject[]) {
  const has = (files: readonly FileObject[], { id }: FileObject) => files.some((file) => file.id === id);
  return {
    added: after.filter((file) => !has(before, file)).map((file): NamedFile => named(field, file)),
    removed: before.filter((file) => !has(after, file)).map(({ id }) => id),
  };
}

/** As the ledger has it. */
export function named({ name }: FileField, { id, sha256, size }: FileObject): NamedFile {
  return { id, field: name, sha256, size };
}

/** As the audit trail names it. */
export function told(field: FileField, { id, name, type, size }: FileObject): JsonObject {
  return { field: field.name, file: id, name, type, size };
}

/** @throws ApiError `too_many_files` */
export function requireRoom({ maxFiles }: FileField, held: readonly FileObject[], replace: boolean): void {
  if (replace || held.length < maxFiles) return;
  const reason = maxFiles === 1 ? "a file" : `${maxFiles} files`;
  throw new ApiError(
    "too_many_files",
    `The field has ${reason} already; delete one first, or send replace=true to exchange.`,
  );
}
