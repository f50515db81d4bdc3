import { timestamp } from "../../clock.ts";
import { ApiError } from "../../errors.ts";
import type { Exchange } from "../../realm/exchange.ts";
import { DuplicateId, type StoredDocument } from "../../store/contract.ts";
import { requireValid } from "../../validation/details.ts";
import { type Access, allows, nothing, refusal, requireWrite } from "../access.ts";
import type { Collection, Documents } from "../collection.ts";
import { refuseId, requestedId } from "../custom-id.ts";
import type { Draft } from "../draft.ts";
import { documentText } from "../encode.ts";
import { refusedWrite } from "../errors.ts";
import { createdMeta } from "../meta.ts";

/**
 * Creates a document. The order of checks (spec: Custom ids 3; api-decisions, Rules): id, constantly false rule, schema,
 * rule with data, insert.
 */
export async function createDocument(
  collection: Collection,
  access: Access,
  exchange: Exchange,
  documents: Documents,
  draft: Draft,
): Promise<StoredDocument> {
  const { definition, duplicates } = collection;
  const { customId, rules } = definition;
  duplicates?.check(access, exchange);
  const requested = customId === undefined ? refuseId(draft.id) : requestedId(customId, draft.id, access);
  requireWrite(definition, access, rules?.create);
  requireValid(definition, draft.members, draft.problems);
  requireCreate(collection, access, draft, requested);

  const id = requested ?? collection.newId();
  const now = collection.clock.now();
  const meta = createdMeta(timestamp(now), access.caller);
  const text = documentText(id, draft.members, meta);
  try {
    await documents.insert({ id, version: 1, text, createdAt: now });
  } catch (error) {
    if (!(error instanceof DuplicateId)) throw refusedWrite(definition, error);
    // Creates sent at once passed the first check together.
    duplicates?.check(access, exchange);
    duplicates?.count(access, exchange);
    throw new ApiError("id_taken", "A document with this id exists.", { cause: error });
  }
  return { id, version: 1, text };
}

function requireCreate(collection: Collection, access: Access, draft: Draft, id: string | undefined): void {
  const { context } = access;
  if (context === undefined) return;
  const { rules } = collection.definition;
  const data = id === undefined ? draft.members : { id, ...draft.members };
  if (!allows(rules?.create, access, nothing, data)) throw refusal(access);
  const refused = collection.fieldRules?.refusedInCreate(context, data) ?? [];
  if (refused.length > 0) throw refusal(access, refused);
}
