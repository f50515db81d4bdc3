import { ApiError } from "../../errors.ts";
import type { StoredDocument, Visibility } from "../../store/contract.ts";
import { type Access, allows } from "../access.ts";
import type { Collection, Documents } from "../collection.ts";
import { isDocumentId } from "../custom-id.ts";
import { type ParsedDocument, parseDocument } from "../encode.ts";
import { notFound } from "../errors.ts";
import { type IfMatch, versionMatches } from "../etag.ts";

/** One document that a request is about to change. */
export interface Target {
  readonly id: string;
  readonly visibility: Visibility;
  readonly condition: IfMatch | undefined;
}

/** A stored document, parsed where rules look at it. */
export interface Existing {
  readonly stored: StoredDocument;
  /** Undefined where no rules apply. */
  readonly document: ParsedDocument | undefined;
}

/**
 * The document that a request is about to change.
 * @throws ApiError `not_found` where there is none that the caller may read; `version_mismatch`
 */
export async function existing(
  collection: Collection,
  access: Access,
  documents: Documents,
  { id, visibility, condition }: Target,
): Promise<Existing> {
  const stored = isDocumentId(id) ? await documents.get(id, visibility) : undefined;
  if (stored === undefined) throw notFound();
  const document = access.context === undefined ? undefined : parseDocument(stored.text);
  if (document !== undefined && !isReadable(collection, access, document)) throw notFound();
  if (condition !== undefined && !versionMatches(condition, stored.version)) {
    throw new ApiError("version_mismatch", "The document has another version.", {
      headers: { etag: collection.view(access, stored).tag },
    });
  }
  return { stored, document };
}

/** The read rule, and the restore rule for a deleted document. */
function isReadable({ definition }: Collection, access: Access, document: ParsedDocument): boolean {
  const { rules } = definition;
  if (!allows(rules?.read, access, document)) return false;
  return document._meta["deleted_at"] === undefined || allows(rules?.restore, access, document);
}
