import { timestamp } from "../../clock.ts";
import { isId } from "../../ids.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { DocumentWrite, StoredDocument } from "../../store/contract/document.ts";
import { type Access, allows, refusalBy, type Written } from "../access.ts";
import type { Collection, Documents } from "../collection.ts";
import { splitDocument, withMeta } from "../encode.ts";
import { notFound } from "../errors.ts";
import { createdAt, deletedMeta, nextMeta } from "../meta.ts";
import { withholds } from "../withheld.ts";
import { type Existing, modifyExisting, type Target } from "./existing.ts";
import type { Rewritten } from "./update.ts";

type Removal = "delete" | "purge";

/**
 * One attempt to remove a document for good.
 * @returns undefined when somebody else has written in between
 */
export async function removeDocument(
  collection: Collection,
  access: Access,
  documents: Documents,
  target: Target,
  operation: Removal,
): Promise<Written | undefined> {
  const { id, visibility, condition } = target;
  // With nothing to compare or to ask, whatever version is live goes.
  const asksNothing = access.context === undefined && !withholds(collection.definition, access);
  if (asksNothing && condition === undefined && visibility === "live") {
    if (isId(id) && (await documents.remove(id))) return { id };
    throw notFound();
  }
  const removed = await modifyExisting(collection, access, documents, target, (found) => {
    requireRemoval(collection.definition, access, found, operation);
    return { kind: "remove" };
  });
  return removed && { id };
}

/**
 * One attempt to delete a document softly: the next version, marked as deleted (spec: States, Document).
 * @returns undefined when somebody else has written in between
 */
export async function softDeleteDocument(
  collection: Collection,
  access: Access,
  documents: Documents,
  target: Target,
  retention: number | undefined,
): Promise<Written | undefined> {
  const decide = (found: Existing): Rewritten => {
    requireRemoval(collection.definition, access, found, "delete");
    return { kind: "replace", document: trashed(collection, access, found.stored, retention) };
  };
  return (await modifyExisting(collection, access, documents, target, decide))?.document;
}

function trashed(
  { clock }: Collection,
  { author }: Access,
  { id, version: before, text, form }: StoredDocument,
  retention: number | undefined,
): DocumentWrite {
  const version = before + 1;
  const now = clock.now();
  const at = timestamp(now);
  const purgeAt = retention === undefined ? undefined : now + retention;
  const parts = splitDocument(text);
  const meta = deletedMeta(
    nextMeta(parts.meta, version, at, author),
    at,
    author,
    purgeAt === undefined ? undefined : timestamp(purgeAt),
  );
  return {
    id,
    version,
    text: withMeta(parts, meta),
    createdAt: createdAt(parts.meta),
    deletedAt: now,
    purgeAt,
    ...(form !== undefined && { form }),
  };
}

/** @throws ApiError `unauthenticated` | `forbidden` */
export function requireRemoval(
  definition: CollectionDefinition,
  access: Access,
  { document }: Existing,
  operation: Removal,
): void {
  if (access.context !== undefined && !allows(definition.rules?.[operation], access, document))
    throw refusalBy(definition, access, operation, { document });
}
