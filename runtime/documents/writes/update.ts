import { timestamp } from "../../clock.ts";
import { type Detail, unavailable } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import { mergePatch } from "../../merge-patch.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import { newestForm } from "../../realm/migrations.ts";
import type { DocumentWrite, StoredDocument } from "../../store/contract/document.ts";
import { misfitsOf, requireValid } from "../../validation/details.ts";
import { type Access, allows, refusalBy } from "../access.ts";
import type { Collection, Documents } from "../collection.ts";
import { type Draft, ownMembers, problemsOf } from "../draft.ts";
import { documentText } from "../encode.ts";
import { together, without } from "../field-rules.ts";
import type { FileMembers } from "../files/members.ts";
import { createdAt, nextMeta } from "../meta.ts";
import { type Belonging, belongingOf, metaInData, requireSameOrganization } from "../organizations.ts";
import { wholeOf } from "../whole.ts";
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
    const members = membersAfter(collection, access, found, draft, change);
    requireUpdate(collection, access, found, draft.members, members);
    // One that no migration could be applied to is what its writer makes of it.
    return rewritten(collection, access, found, members, { form: newestForm(collection.definition) });
  };
  return (await modifyExisting(collection, access, documents, target, decide, bytes))?.document;
}

/** What judges an update needs of its collection. */
export type Judging = Pick<Collection, "definition" | "fieldRules">;

type JudgingFiles = Judging & {
  readonly files: Pick<FileMembers, "apart" | "misplaced" | "together"> | undefined;
};

/**
 * The members that a document would have after an update.
 * @throws ApiError `immutable_field` | `unavailable` | `validation_error`
 */
export function membersAfter(
  collection: JudgingFiles,
  access: Access,
  found: Existing,
  draft: Draft,
  change: Change,
): JsonObject {
  const { files } = collection;
  requireSameOrganization(collection.definition, found.meta, draft.organizations);
  if (change === "patch") requireKnownForm(collection, found);
  const meant = kept(collection, access, found, draft, changed(collection.definition, found, draft, change));
  const own = valid(
    collection,
    draft,
    files?.apart(meant) ?? meant,
    misplacedFiles(collection, access, found, draft, change),
  );
  return files?.together(own, found.document) ?? own;
}

/**
 * The draft of a replacement, checked against the schema before it is known what is replaced. What does not fit is told at
 * its turn, since other refusals come first; so is what depends on fields with rules, which may be kept.
 */
export function checkedDraft({ definition, fieldRules, files }: Collection, sent: Draft): Draft {
  const draft = files?.ignoring(sent) ?? sent;
  if (fieldRules !== undefined || problemsOf(definition, draft).length > 0) return draft;
  const members = wholeOf(definition, draft.members);
  return misfitsOf(definition, members).length === 0 ? { ...draft, members, fits: true } : draft;
}

function changed(
  definition: CollectionDefinition,
  found: Existing,
  { members }: Draft,
  change: Change,
): JsonObject {
  if (change === "patch") return mergePatch(ownMembers(found.document), members);
  // A copy: dates are brought into their stored form in place, and the draft may be needed once more.
  return wholeOf(definition, members);
}

/**
 * Where an older server shares the store with a newer one: what it merges into a document of the newer one would be taken
 * for a document of its own, and migrated once more.
 * @throws ApiError `unavailable`
 */
function requireKnownForm({ definition }: Judging, { stored: { form = 0 } }: Existing): void {
  if (form > newestForm(definition))
    throw unavailable("A newer version of this service has migrated the document: it takes the patch.");
}

function kept(
  { fieldRules }: Judging,
  { context }: Access,
  found: Existing,
  draft: Draft,
  members: JsonObject,
): JsonObject {
  if (fieldRules === undefined || context === undefined) return members;
  return fieldRules.keep(context, found.document, draft.members, members);
}

/** Files in the draft that are not those of the document, as the caller sees it: of hidden ones nothing is told. */
function misplacedFiles(
  { files, fieldRules }: JudgingFiles,
  { context }: Access,
  { document }: Existing,
  draft: Draft,
  change: Change,
): readonly Detail[] {
  if (files === undefined || draft.files === undefined) return [];
  const hidden = context === undefined ? [] : (fieldRules?.hidden(context, document) ?? []);
  return files.misplaced(draft, change, without(document, hidden));
}

/**
 * The members with their dates in their stored form. What the schema declares no longer and has rules of its own does not
 * stand in the way of changing the rest.
 * @throws ApiError `validation_error`
 */
function valid(
  { definition, fieldRules }: Judging,
  draft: Draft,
  members: JsonObject,
  misplaced: readonly Detail[],
): JsonObject {
  if (draft.fits === true && misplaced.length === 0) return members;
  const [judged, retired] = fieldRules?.apart(draft.members, members) ?? [members, []];
  requireValid(definition, judged, [...problemsOf(definition, draft), ...misplaced]);
  return together(judged, retired);
}

/** What rules see of an update as `data`: the document as it would be. */
export function dataOfUpdate(
  definition: CollectionDefinition,
  { stored, meta }: Existing,
  members: JsonObject,
): JsonObject {
  return { id: stored.id, ...members, ...metaInData(definition, belongingOf(meta)) };
}

/**
 * @param sent what the caller says of it
 * @throws ApiError `unauthenticated` | `forbidden`
 */
export function requireUpdate(
  { definition, fieldRules }: Judging,
  access: Access,
  found: Existing,
  sent: JsonObject,
  members: JsonObject,
): void {
  const { context } = access;
  if (context === undefined) return;
  // What is older than its field's being a date is in another spelling, which is no change of the caller's.
  definition.normalizeDates?.(found.document);
  const data = dataOfUpdate(definition, found, members);
  const asked = { document: found.document, data };
  if (!allows(definition.rules?.update, access, found.document, data))
    throw refusalBy(definition, access, "update", asked);
  const refused = fieldRules?.refusedInUpdate(context, found.document, sent, data) ?? [];
  const [first] = refused;
  if (first !== undefined) throw refusalBy(definition, access, `fields.${first.path}.write`, asked, refused);
}

/** What a document is replaced by. */
export interface Rewritten {
  readonly kind: "replace";
  readonly document: DocumentWrite;
}

/**
 * The next version of a document, with other members; a deleted one is live then.
 * @param belonging default: where it belongs already
 * @param form number of the migration that the members are in the form of; default: the one of the stored document
 */
export function rewritten(
  { clock }: Collection,
  { author }: Access,
  { stored, meta: before }: Existing,
  members: JsonObject,
  {
    belonging = belongingOf(before),
    form = stored.form,
  }: { belonging?: Belonging; form?: number | undefined } = {},
): Rewritten {
  const { id } = stored;
  const version = stored.version + 1;
  const meta = nextMeta(before, version, timestamp(clock.now()), author, belonging);
  const text = documentText(id, members, meta);
  return {
    kind: "replace",
    document: { id, version, text, createdAt: createdAt(before), ...(form !== undefined && { form }) },
  };
}
