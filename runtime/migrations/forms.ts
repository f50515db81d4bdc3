/** What a collection's migrations make of its stored documents. */
import { ownMembers } from "../documents/draft.ts";
import { documentText, type ParsedDocument, parseDocument } from "../documents/encode.ts";
import { schemaMembers } from "../documents/files/members.ts";
import { timesIn } from "../documents/meta.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { define } from "../merge-patch.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import { type MigrationDefinition, migrationName, migrationNumber, newestForm } from "../realm/migrations.ts";
import type { DocumentWrite, StoredDocument } from "../store/contract/document.ts";
import { misfitsOf } from "../validation/details.ts";

/** Why a document stays as it is. */
export class Unmigratable extends Error {}

/** Whether migrations of the collection have not been applied to a document. */
export function isOld(definition: CollectionDefinition, { form = 0 }: Pick<StoredDocument, "form">): boolean {
  return form < newestForm(definition);
}

/**
 * The text of an old document in the newest form, for those who write it anew: not validated, since what they make of it is.
 * Its `_meta` is as it was.
 * @throws Unmigratable
 */
export function migratedText(definition: CollectionDefinition, stored: StoredDocument): string {
  const document = parseDocument(stored.text);
  const members = migratedMembers(definition, stored, document);
  return documentText(stored.id, withFiles(definition, members, document), JSON.stringify(document._meta));
}

/**
 * An old document's next version, in the newest form.
 * @param authored whether documents say who wrote them
 * @throws Unmigratable where a migration throws, or what it makes does not fit the schema
 */
export function migrated(
  definition: CollectionDefinition,
  stored: StoredDocument,
  authored: boolean,
): DocumentWrite {
  const document = parseDocument(stored.text);
  const members = migratedMembers(definition, stored, document);
  const [misfit] = misfitsOf(definition, members);
  if (misfit !== undefined) throw new Unmigratable(`${misfit.path || "the document"} ${misfit.reason}`);
  return formed(stored, document, withFiles(definition, members, document), newestForm(definition), authored);
}

/**
 * A document's next version, in the form that it had before the migrations after one.
 * @throws Unmigratable where a way back throws, or a migration has none
 */
export function undone(
  definition: CollectionDefinition,
  stored: StoredDocument,
  to: number,
  authored: boolean,
): DocumentWrite {
  const document = parseDocument(stored.text);
  const later = (definition.migrations ?? []).filter(
    ({ number }) => Number(number) > to && Number(number) <= (stored.form ?? 0),
  );
  const members = later.reduceRight(
    (before, migration) => applied(migration, "back", before, stored.id),
    schemaMembers(definition, ownMembers(document)),
  );
  return formed(stored, document, withFiles(definition, members, document), to, authored);
}

/** What a document is in the newest form. */
export interface NewestForm {
  /** Its own members without its files: what the schema is asked of. */
  readonly members: JsonObject;
  /** All of it. */
  readonly document: JsonObject;
}

/**
 * A stored document in the newest form, as nobody has written it yet: neither validated, nor a version of its own.
 * @param parsed its text
 * @throws Unmigratable
 */
export function newestFormOf(
  definition: CollectionDefinition,
  stored: StoredDocument,
  parsed: ParsedDocument,
): NewestForm {
  if (!isOld(definition, stored))
    return { members: schemaMembers(definition, ownMembers(parsed)), document: parsed };
  const members = migratedMembers(definition, stored, parsed);
  const document = { id: stored.id, ...withFiles(definition, members, parsed), _meta: parsed._meta };
  return { members, document };
}

function migratedMembers(
  { migrations = [], ...definition }: CollectionDefinition,
  { id, form = 0 }: StoredDocument,
  document: ParsedDocument,
): JsonObject {
  return migrations
    .filter(({ number }) => Number(number) > form)
    .reduce(
      (before, migration) => applied(migration, "forward", before, id),
      schemaMembers(definition, ownMembers(document)),
    );
}

function applied(
  migration: MigrationDefinition,
  way: "forward" | "back",
  members: JsonObject,
  id: string,
): JsonObject {
  const step = migration[way];
  if (step === undefined) throw new Unmigratable(`migration ${migrationName(migration)} has no way back`);
  let made: unknown;
  try {
    // What is stored is JSON, whatever the step answers.
    made = JSON.parse(JSON.stringify(step(members, { id })));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Unmigratable(`migration ${migrationName(migration)} throws: ${reason}`);
  }
  if (!isJsonObject(made)) throw new Unmigratable(`migration ${migrationName(migration)} answers no object`);
  return ownMembers(made);
}

/** Members with the files that the stored document has: these are the server's, and nothing else changes them. */
export function withFiles(
  { files = [] }: CollectionDefinition,
  members: JsonObject,
  stored: JsonObject,
): JsonObject {
  const held = files.filter(({ name }) => Object.hasOwn(stored, name));
  if (held.length === 0) return members;
  const whole = { ...members };
  for (const { name } of held) define(whole, name, stored[name] ?? null);
  return whole;
}

function formed(
  { id, version: before }: StoredDocument,
  { _meta }: ParsedDocument,
  members: JsonObject,
  form: number,
  authored: boolean,
): DocumentWrite {
  const version = before + 1;
  const { chain: _, ...kept } = _meta;
  const by = { updated_by: `key:migration/${migrationNumber(form)}` };
  const meta = { ...kept, version, ...(authored && by) };
  return { id, version, text: documentText(id, members, JSON.stringify(meta)), form, ...timesIn(_meta) };
}
