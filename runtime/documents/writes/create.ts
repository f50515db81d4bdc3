import { timestamp } from "../../clock.ts";
import { ApiError } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Exchange } from "../../realm/exchange.ts";
import type { DocumentWrite, StoredDocument } from "../../store/contract/document.ts";
import { DuplicateId } from "../../store/contract/errors.ts";
import { requireValid } from "../../validation/details.ts";
import { type Access, allows, nothing, refusalBy, requireWrite } from "../access.ts";
import type { Collection, Documents } from "../collection.ts";
import { refuseId, requestedId } from "../custom-id.ts";
import { type Draft, problemsOf } from "../draft.ts";
import { documentText } from "../encode.ts";
import { refusedWrite } from "../errors.ts";
import { createdMeta } from "../meta.ts";
import { type Belonging, belongingIn, metaInData, type Place } from "../organizations.ts";
import { wholeOf } from "../whole.ts";

/** Inserts a document that was checked. */
export async function insertDocument(
  collection: Collection,
  access: Access,
  exchange: Exchange,
  documents: Documents,
  document: DocumentWrite,
): Promise<StoredDocument> {
  try {
    await documents.insert(document);
  } catch (error) {
    throw refusedCreate(collection, access, exchange, error);
  }
  return document;
}

/**
 * A document to be inserted, once everything but the insert is checked (spec: Custom ids 3; api-decisions, Rules): id,
 * constantly false rule, organization and team, schema, rule with data.
 * @throws DocumentTooLarge with the defaults of what was left out
 * @param filed members for the files that come with it; `later`: they are not known yet, and the document is judged again
 */
export function newDocument(
  collection: Collection,
  access: Access,
  exchange: Exchange,
  sent: Draft,
  place: Place,
  filed: JsonObject | "later" = {},
): DocumentWrite {
  const { definition, duplicates, files } = collection;
  const draft = files?.ignoring(sent) ?? sent;
  const { customId } = definition;
  duplicates?.check(access, exchange);
  const requested = customId === undefined ? refuseId(draft.id) : requestedId(customId, draft.id, access);
  requireWrite(definition, access, "create");
  const belonging = belongingIn(definition, place);
  const misplaced = files?.misplaced(draft, "replace", undefined) ?? [];
  const missing = filed === "later" ? [] : (files?.missing(filed) ?? []);
  const own = definition.withDefaults === undefined ? draft.members : wholeOf(definition, draft.members);
  requireValid(definition, own, [...problemsOf(definition, draft), ...misplaced, ...missing]);
  const withFiles = (some: JsonObject) => (filed === "later" ? some : { ...some, ...filed });
  const members = withFiles(own);
  requireCreate(collection, access, { members, sent: withFiles(draft.members) }, requested, belonging);

  const id = requested ?? collection.newId();
  const now = collection.clock.now();
  const meta = createdMeta(timestamp(now), access.author, belonging);
  const text = documentText(id, members, meta);
  return { id, version: 1, text, createdAt: now };
}

/** What to throw where the store refused to insert. */
export function refusedCreate(
  { definition, duplicates }: Collection,
  access: Access,
  exchange: Exchange,
  error: unknown,
): unknown {
  if (!(error instanceof DuplicateId)) return refusedWrite(definition, error);
  // Creates sent at once passed the first check together.
  duplicates?.check(access, exchange);
  duplicates?.count(access, exchange);
  return new ApiError("id_taken", "A document with this id exists.", { cause: error });
}

/** What rules see of a create as `data`. @param id that it asks for */
export function dataOfCreate(
  definition: CollectionDefinition,
  members: JsonObject,
  id: string | undefined,
  belonging: Belonging,
): JsonObject {
  const own = id === undefined ? members : { id, ...members };
  return definition.organization === undefined ? own : { ...own, ...metaInData(definition, belonging) };
}

/**
 * @param draft checked against the schema; `sent`: what the caller says of it, default: all of it
 * @param id that it asks for
 * @throws ApiError `unauthenticated` | `forbidden`
 */
export function requireCreate(
  { definition, fieldRules }: Pick<Collection, "definition" | "fieldRules">,
  access: Access,
  { members, sent = members }: { readonly members: JsonObject; readonly sent?: JsonObject },
  id: string | undefined,
  belonging: Belonging,
): void {
  const { context } = access;
  if (context === undefined) return;
  const data = dataOfCreate(definition, members, id, belonging);
  if (!allows(definition.rules?.create, access, nothing, data))
    throw refusalBy(definition, access, "create", { data });
  const named = sent === members ? data : dataOfCreate(definition, sent, id, belonging);
  const refused = fieldRules?.refusedInCreate(context, named, data) ?? [];
  const [first] = refused;
  if (first !== undefined)
    throw refusalBy(definition, access, `fields.${first.path}.write`, { data }, refused);
}
