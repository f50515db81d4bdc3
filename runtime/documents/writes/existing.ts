import { ApiError } from "../../errors.ts";
import { type Condition, holds } from "../../http/etag.ts";
import { isId } from "../../ids.ts";
import type { JsonObject } from "../../json.ts";
import type { StoredDocument, Visibility } from "../../store/contract/document.ts";
import { type Access, allows } from "../access.ts";
import type { Collection, Documents } from "../collection.ts";
import { type ParsedDocument, parseDocument, splitDocument } from "../encode.ts";
import { notFound } from "../errors.ts";
import { isWithheld, withholds } from "../withheld.ts";

/** One document that a request is about to change. */
export interface Target {
  readonly id: string;
  readonly visibility: Visibility;
  readonly condition: Condition | undefined;
}

/** A stored document, parsed as far as somebody looks into it. */
export class Existing {
  readonly stored: StoredDocument;
  #document: ParsedDocument | undefined;
  #meta: JsonObject | undefined;

  constructor(stored: StoredDocument) {
    this.stored = stored;
  }

  get document(): ParsedDocument {
    this.#document ??= parseDocument(this.stored.text);
    return this.#document;
  }

  get meta(): JsonObject {
    this.#meta ??= this.#document?._meta ?? splitDocument(this.stored.text).meta;
    return this.#meta;
  }
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
  const { definition } = collection;
  const stored = isId(id) ? await documents.get(id, visibility) : undefined;
  if (stored === undefined) throw notFound();
  const found = new Existing(stored);
  if (access.context !== undefined && !isReadable(collection, access, found.document)) throw notFound();
  if (withholds(definition, access) && isWithheld(definition, access, found.meta)) throw notFound();
  if (condition !== undefined && !holds(condition, stored.version)) {
    throw new ApiError("version_mismatch", "The version of the document is not one that was asked for.", {
      headers: { etag: collection.view(access, stored).tag },
    });
  }
  return found;
}

/** The read rule, and the restore rule for a deleted document. */
function isReadable({ definition }: Collection, access: Access, document: ParsedDocument): boolean {
  const { rules } = definition;
  if (!allows(rules?.read, access, document)) return false;
  return document._meta["deleted_at"] === undefined || allows(rules?.restore, access, document);
}
