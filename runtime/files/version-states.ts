/** What documents say of the versions of their images, which is written without a new version of the document. */
import { ownMembers } from "../documents/draft.ts";
import { documentText, parseDocument } from "../documents/encode.ts";
import { stateOf } from "../documents/files/states.ts";
import { timesIn } from "../documents/meta.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import { define } from "../merge-patch.ts";
import type { FileObject, VersionState } from "../realm/files.ts";
import type { Transaction } from "../store/contract/transaction.ts";

/** By the names of versions. */
export type States = ReadonlyMap<string, VersionState>;

/** A file in a document. */
export interface FilePlace {
  /** As the store has it. */
  readonly collection: string;
  readonly document: string;
  readonly field: string;
  readonly file: Pick<FileObject, "id" | "sha256">;
}

/**
 * Tells the states of versions of a file, where a document, in the trash or not, still has it: of those that the document
 * says something of. What it has nothing of is newer than the file, and made for whoever asks.
 *
 * Where the store is shared, it may be lost to a write of the document that was decided on what was there before; never the
 * other way round, since the version of the document is compared.
 */
export async function tellStates(
  transaction: Transaction,
  { collection, document, field, file }: FilePlace,
  states: States,
): Promise<void> {
  await transaction.collection(collection).modify(document, "all", (found) => {
    if (found === undefined) return { kind: "keep" };
    const { id, version, text } = found;
    const parsed = parseDocument(text);
    const held = Object.hasOwn(parsed, field) ? parsed[field] : undefined;
    const told = held === undefined ? undefined : telling(held, file, states);
    if (told === undefined) return { kind: "keep" };
    const { _meta: meta } = parsed;
    const members = { ...ownMembers(parsed) };
    define(members, field, told);
    const rewritten = documentText(id, members, JSON.stringify(meta));
    return { kind: "replace", document: { id, version, text: rewritten, ...timesIn(meta) } };
  });
}

/** The member of the document with these states; undefined where it says them already, or has no such file. */
function telling(held: JsonValue, file: FilePlace["file"], states: States): JsonValue | undefined {
  const each = Array.isArray(held) ? held : [held];
  const at = each.findIndex((one) => isFile(one, file));
  const found = each[at];
  if (!isJsonObject(found) || !isJsonObject(found["versions"])) return undefined;
  const others = [...states].filter(([name, state]) => ![undefined, state].includes(stateOf(found, name)));
  if (others.length === 0) return undefined;
  const versions = { ...found["versions"] };
  for (const [name, state] of others) define(versions, name, state);
  const told = { ...found, versions };
  return Array.isArray(held) ? held.with(at, told) : told;
}

function isFile(value: JsonValue, { id, sha256 }: FilePlace["file"]): boolean {
  return isJsonObject(value) && value["id"] === id && value["sha256"] === sha256;
}
