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

/** Why a document is not what it has to be: nothing for one that is. */
export function flawsOf(
  stored: DocumentWrite,
  definition: CollectionDefinition | undefined,
): readonly string[] {
  const document = objectIn(stored.text);
  if (document === undefined) return ["it is no JSON object"];
  const beside = besideFlaws(stored, document);
  if (beside.length > 0 || definition === undefined) return beside;
  if (isOld(definition, stored)) return migrationFlaws(stored, definition);
  const members = schemaMembers(definition, ownMembers(parseDocument(stored.text)));
  return misfitsOf(definition, members).map(({ path, reason }) => `${path || "the document"} ${reason}`);
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
function migrationFlaws(stored: DocumentWrite, definition: CollectionDefinition): readonly string[] {
  try {
    migrated(definition, stored, false);
    return [];
  } catch (error) {
    if (error instanceof Unmigratable) return [`it cannot be migrated: ${error.message}`];
    throw error;
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
