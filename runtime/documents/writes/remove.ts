import { timestamp } from "../../clock.ts";
import { isId } from "../../ids.ts";
import type { WriteRule } from "../../realm/rule.ts";
import { type Access, allows, refusal, type Written } from "../access.ts";
import type { Collection, Documents } from "../collection.ts";
import { splitDocument, withMeta } from "../encode.ts";
import { notFound } from "../errors.ts";
import { createdAt, deletedMeta, nextMeta } from "../meta.ts";
import { withholds } from "../withheld.ts";
import { type Existing, existing, type Target } from "./existing.ts";

/**
 * One attempt to remove a document for good.
 * @param rule `delete` or `purge`
 * @returns undefined when somebody else has written in between
 */
export async function removeDocument(
  collection: Collection,
  access: Access,
  documents: Documents,
  target: Target,
  rule: WriteRule | undefined,
): Promise<Written | undefined> {
  const { id, visibility, condition } = target;
  // With nothing to compare or to ask, whatever version is live goes.
  const asksNothing = access.context === undefined && !withholds(collection.definition, access);
  if (asksNothing && condition === undefined && visibility === "live") {
    if (isId(id) && (await documents.remove(id))) return { id };
    throw notFound();
  }
  const found = await existing(collection, access, documents, target);
  requireRemoval(access, found, rule);
  return (await documents.remove(id, found.stored.version)) ? { id } : undefined;
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
  const found = await existing(collection, access, documents, target);
  requireRemoval(access, found, collection.definition.rules?.delete);
  const { id, version: expected, text } = found.stored;
  const version = expected + 1;
  const now = collection.clock.now();
  const at = timestamp(now);
  const purgeAt = retention === undefined ? undefined : now + retention;
  const parts = splitDocument(text);
  const meta = deletedMeta(
    nextMeta(parts.meta, version, at, access.author),
    at,
    access.author,
    purgeAt === undefined ? undefined : timestamp(purgeAt),
  );
  const next = {
    id,
    version,
    text: withMeta(parts, meta),
    createdAt: createdAt(parts.meta),
    deletedAt: now,
    purgeAt,
  };
  return (await documents.replace(expected, next)) ? next : undefined;
}

function requireRemoval(access: Access, found: Existing, rule: WriteRule | undefined): void {
  if (access.context !== undefined && !allows(rule, access, found.document)) throw refusal(access);
}
