import { timestamp } from "../../clock.ts";
import type { JsonObject } from "../../json.ts";
import { mergePatch } from "../../merge-patch.ts";
import type { DocumentWrite, StoredDocument } from "../../store/contract/document.ts";
import { misfitsOf, requireValid } from "../../validation/details.ts";
import { type Access, allows, refusal } from "../access.ts";
import type { Collection, Documents } from "../collection.ts";
import { type Draft, ownMembers } from "../draft.ts";
import { documentText } from "../encode.ts";
import { together } from "../field-rules.ts";
import { createdAt, nextMeta } from "../meta.ts";
import { type Belonging, belongingOf, metaInData, requireSameOrganization } from "../organizations.ts";
import { type Existing, modifyExisting, type Target } from "./existing.ts";

/** How a draft becomes the members of a document: as they are (PUT), or merged into what is stored (PATCH). */
export type Change = "replace" | "patch";

/**
 * One attempt to update a document. The order of checks (api-decisions, Order of checks): readable, `If-Match`,
 * organization, schema, rule with data, unique indexes.
 * @param bytes what the request holds while it waits
 * @returns undefined when somebody else has written in between
 */
export async function updateDocument(
  collection: Collection,
  access: Access,
  documents: Documents,
  target: Target,
  change: Change,
  sent: Draft,
  bytes?: number,
): Promise<StoredDocument | undefined> {
  const { files } = collection;
  const draft = files?.ignoring(sent) ?? sent;
  const decide = (found: Existing) => {
    requireSameOrganization(collection.definition, found.meta, draft.organizations);
    const meant = kept(collection, access, found, draft, changed(found, draft, change));
    const own = valid(collection, draft, files?.apart(meant) ?? meant);
    const members = files?.together(own, found.document) ?? own;
    requireUpdate(collection, access, found, draft.members, members);
    return rewritten(collection, access, found, members);
  };
  return (await modifyExisting(collection, access, documents, target, decide, bytes))?.document;
}

/**
 * The draft of a replacement, checked against the schema before it is known what is replaced. What does not fit is told at
 * its turn, since other refusals come first; so is what depends on fields with rules, which may be kept.
 */
export function checkedDraft({ definition, fieldRules, files }: Collection, sent: Draft): Draft {
  const draft = files?.ignoring(sent) ?? sent;
  if (draft.problems.length > 0 || fieldRules !== undefined) return draft;
  const members = { ...draft.members };
  return misfitsOf(definition, members).length === 0 ? { ...draft, members, fits: true } : draft;
}

function changed(found: Existing, { members }: Draft, change: Change): JsonObject {
  // A copy: dates are brought into their stored form in place, and the draft may be needed once more.
  return change === "replace" ? { ...members } : mergePatch(ownMembers(found.document), members);
}

function kept(
  { fieldRules }: Collection,
  { context }: Access,
  found: Existing,
  draft: Draft,
  members: JsonObject,
): JsonObject {
  if (fieldRules === undefined || context === undefined) return members;
  return fieldRules.keep(context, found.document, draft.members, members);
}

/**
 * The members with their dates in their stored form. What the schema declares no longer and has rules of its own does not
 * stand in the way of changing the rest.
 * @throws ApiError `validation_error`
 */
function valid({ definition, fieldRules }: Collection, draft: Draft, members: JsonObject): JsonObject {
  if (draft.fits === true) return members;
  const [judged, retired] = fieldRules?.apart(draft.members, members) ?? [members, []];
  requireValid(definition, judged, draft.problems);
  return together(judged, retired);
}

/**
 * @param sent what the caller says of it
 * @throws ApiError `unauthenticated` | `forbidden`
 */
export function requireUpdate(
  { definition, fieldRules }: Collection,
  access: Access,
  found: Existing,
  sent: JsonObject,
  members: JsonObject,
): void {
  const { context } = access;
  if (context === undefined) return;
  // What is older than its field's being a date is in another spelling, which is no change of the caller's.
  definition.normalizeDates?.(found.document);
  const data = { id: found.stored.id, ...members, ...metaInData(definition, belongingOf(found.meta)) };
  if (!allows(definition.rules?.update, access, found.document, data)) throw refusal(access);
  const refused = fieldRules?.refusedInUpdate(context, found.document, sent, data) ?? [];
  if (refused.length > 0) throw refusal(access, refused);
}

/** What a document is replaced by. */
export interface Rewritten {
  readonly kind: "replace";
  readonly document: DocumentWrite;
}

/**
 * The next version of a document, with other members; a deleted one is live then.
 * @param belonging default: where it belongs already
 */
export function rewritten(
  { clock }: Collection,
  { author }: Access,
  { stored, meta: before }: Existing,
  members: JsonObject,
  belonging: Belonging = belongingOf(before),
): Rewritten {
  const { id } = stored;
  const version = stored.version + 1;
  const meta = nextMeta(before, version, timestamp(clock.now()), author, belonging);
  const text = documentText(id, members, meta);
  return { kind: "replace", document: { id, version, text, createdAt: createdAt(before) } };
}
