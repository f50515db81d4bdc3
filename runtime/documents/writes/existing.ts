import { ApiError } from "../../errors.ts";
import { type Condition, holds } from "../../http/etag.ts";
import { isId } from "../../ids.ts";
import type { JsonObject } from "../../json.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Modification } from "../../store/contract/collection.ts";
import type { StoredDocument, Visibility } from "../../store/contract/document.ts";
import { type Access, allows, blamed } from "../access.ts";
import type { Collection, Documents } from "../collection.ts";
import { type ParsedDocument, parseDocument, splitDocument } from "../encode.ts";
import { notFound, refusedWrite } from "../errors.ts";
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
 * One attempt to make something else of a document.
 * @param decide what becomes of it, once it is known to be one that may be changed so
 * @param bytes what the request holds while it waits
 * @returns undefined when somebody else has written in between
 * @throws ApiError `not_found` where there is none that the caller may read; `version_mismatch`; what `decide` throws;
 *   `conflict`, `payload_too_large`
 */
export async function modifyExisting<M extends Modification>(
  collection: Collection,
  access: Access,
  documents: Documents,
  target: Target,
  decide: (found: Existing) => M,
  bytes?: number,
): Promise<M | undefined> {
  const { id, visibility } = target;
  if (!isId(id)) throw notFound();
  try {
    return await documents.modify(
      id,
      visibility,
      (stored) => decide(existing(collection, access, stored, target)),
      bytes,
    );
  } catch (error) {
    throw refusedWrite(collection.definition, error);
  }
}

/**
 * The document, where it is one that the caller may know of and is about to change.
 * @throws ApiError `not_found` | `version_mismatch`
 */
export function existing(
  collection: Pick<Collection, "definition" | "view">,
  access: Access,
  stored: StoredDocument | undefined,
  { condition }: Pick<Target, "condition">,
): Existing {
  const { definition } = collection;
  if (stored === undefined) throw notFound();
  const found = new Existing(stored);
  const hides = access.context === undefined ? undefined : hiding(definition, access, found.document);
  if (hides !== undefined) throw blamed(notFound(), definition, access, hides, { document: found.document });
  if (withholds(definition, access) && isWithheld(definition, access, found.meta)) throw notFound();
  if (condition !== undefined && !holds(condition, stored.version)) {
    throw new ApiError("version_mismatch", "The version of the document is not one that was asked for.", {
      headers: { etag: collection.view(access, stored).tag },
    });
  }
  return found;
}

/** The rule that hides a document from its caller, if any: the read rule, and the restore rule of a deleted one. */
export function hiding(
  { rules }: CollectionDefinition,
  access: Access,
  document: ParsedDocument,
): "read" | "restore" | undefined {
  if (!allows(rules?.read, access, document)) return "read";
  if (document._meta["deleted_at"] === undefined) return undefined;
  return allows(rules?.restore, access, document) ? undefined : "restore";
}
