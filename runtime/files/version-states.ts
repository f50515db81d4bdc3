/**
 * What documents say of the versions of their images. It is written without a new version of the document, so it may be
 * lost where somebody writes the document at the same moment in a shared store: it is told again by whoever next sees the
 * bytes that are there.
 */

import { ownMembers } from "../documents/draft.ts";
import { documentText, parseDocument } from "../documents/encode.ts";
import { createdAt } from "../documents/meta.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { define } from "../merge-patch.ts";
import type { FileObject, VersionState } from "../realm/files.ts";
import type { Transaction } from "../store/contract/transaction.ts";

/** By the names of versions. */
export type States = Readonly<Record<string, VersionState>>;

/** A file in a document. */
export interface FilePlace {
  /** As the store has it. */
  readonly collection: string;
  readonly document: string;
  readonly field: string;
  readonly file: Pick<FileObject, "id" | "sha256">;
}

/** Tells the states of some versions of a file, where a live document still has it. */
export async function tellStates(
  transaction: Transaction,
  { collection, document, field, file }: FilePlace,
  states: States,
): Promise<void> {
  await transaction.collection(collection).modify(document, "live", (found) => {
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
    return { kind: "replace", document: { id, version, text: rewritten, createdAt: createdAt(meta) } };
  });
}

/** The member of the document with these states; undefined where it says them already, or has no such file. */
function telling(held: JsonValue, file: FilePlace["file"], states: States): JsonValue | undefined {
  const each = Array.isArray(held) ? held : [held];
  const at = each.findIndex((one) => isFile(one, file));
  const found = each[at];
  if (!isJsonObject(found)) return undefined;
  const { versions } = found;
  const before: JsonObject = isJsonObject(versions) ? versions : {};
  if (Object.entries(states).every(([name, state]) => before[name] === state)) return undefined;
  const told = { ...found, versions: { ...before, ...states } };
  return Array.isArray(held) ? held.with(at, told) : told;
}

function isFile(value: JsonValue, { id, sha256 }: FilePlace["file"]): boolean {
  return isJsonObject(value) && value["id"] === id && value["sha256"] === sha256;
}
