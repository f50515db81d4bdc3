/** Whether stored documents are what their collection says. */
import { timestamp } from "../../clock.ts";
import { ownMembers } from "../../documents/draft.ts";
import { parseDocument } from "../../documents/encode.ts";
import { schemaMembers } from "../../documents/files/members.ts";
import { isJsonObject, type JsonObject, objectIn } from "../../json.ts";
import { isOld, migrated, Unmigratable } from "../../migrations/forms.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import { misfitsOf } from "../../validation/details.ts";

/** Why a document is not what it has to be. */
export interface Flaws {
  /** `refused` by a migration, `unfit` for the schema in its newest form, or `damaged`. */
  readonly kind: "damaged" | "refused" | "unfit";
  readonly reasons: readonly string[];
}

/** Undefined for a document that is what it has to be. */
export function flawsOf(
  stored: DocumentWrite,
  definition: CollectionDefinition | undefined,
): Flaws | undefined {
  const document = objectIn(stored.text);
  if (document === undefined) return { kind: "damaged", reasons: ["it is no JSON object"] };
  const beside = besideFlaws(stored, document);
  if (beside.length > 0) return { kind: "damaged", reasons: beside };
  if (definition === undefined) return undefined;
  if (isOld(definition, stored)) return migrationFlaws(stored, definition);
  const members = schemaMembers(definition, ownMembers(parseDocument(stored.text)));
  const reasons = misfitsOf(definition, members).map(
    ({ path, reason }) => `${path || "the document"} ${reason}`,
  );
  return reasons.length === 0 ? undefined : { kind: "unfit", reasons };
}

/** What stands in the text and beside it is the same. */
function besideFlaws(stored: DocumentWrite, { id, _meta }: JsonObject): readonly string[] {
  if (id !== stored.id) return [`its text has the id ${JSON.stringify(id)}`];
  if (!isJsonObject(_meta)) return [];
  const wanted = {
    version: stored.version === 0 ? undefined : stored.version,
    created_at: timestamp(stored.createdAt),
    deleted_at: stored.deletedAt === undefined ? undefined : timestamp(stored.deletedAt),
    purge_at: stored.purgeAt === undefined ? undefined : timestamp(stored.purgeAt),
  };
  return Object.entries(wanted)
    .filter(([name, value]) => !isSame(_meta[name], value))
    .map(
      ([name, value]) =>
        `_meta.${name} is ${JSON.stringify(_meta[name])}, and ${JSON.stringify(value)} beside it`,
    );
}

function isSame(one: unknown, other: string | number | undefined): boolean {
  if (one === other) return true;
  // As other tools write times.
  return typeof one === "string" && typeof other === "string" && Date.parse(one) === Date.parse(other);
}

/** An old document is fine as long as it can become one of today. */
function migrationFlaws(stored: DocumentWrite, definition: CollectionDefinition): Flaws | undefined {
  try {
    migrated(definition, stored, false);
    return undefined;
  } catch (error) {
    if (!(error instanceof Unmigratable)) throw error;
    return { kind: "refused", reasons: [`it cannot be migrated: ${error.message}`] };
  }
}

/** Hashes of the files that a document has. */
export function filesOf({ files = [] }: CollectionDefinition, { text }: DocumentWrite): readonly string[] {
  const document = objectIn(text) ?? {};
  return files.flatMap(({ name }) => {
    const held = document[name];
    return (Array.isArray(held) ? held : [held]).flatMap((file) =>
      isJsonObject(file) && typeof file["sha256"] === "string" ? [file["sha256"]] : [],
    );
  });
}
