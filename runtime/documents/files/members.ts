import type { Detail } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import { define } from "../../merge-patch.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { FileField, FileLedger } from "../../realm/files.ts";
import type { Draft } from "../draft.ts";

/** The file fields of a collection: members of its documents that the server owns. */
export interface FileMembers {
  readonly ledger: FileLedger;
  /** A draft without them: the very object where it has none. */
  ignoring(draft: Draft): Draft;
  /** The members that the schema is asked of: the very object where there are no files. */
  apart(members: JsonObject): JsonObject;
  /** Members with the files that a stored document has: the very object where it has none. */
  together(members: JsonObject, stored: JsonObject): JsonObject;
}

/** Undefined where documents have no files. */
export function fileMembers(
  { files: ofRealm }: Pick<RealmInstance, "files">,
  { files = [] }: Pick<CollectionDefinition, "files">,
): FileMembers | undefined {
  if (files.length === 0) return undefined;
  if (ofRealm === undefined) throw new Error("documents have files, and the realm has no storage");
  return { ledger: ofRealm.ledger, ...fileParts(files) };
}

/** How drafts and stored members are taken apart from files. */
export function fileParts(files: readonly Pick<FileField, "name">[]): Omit<FileMembers, "ledger"> {
  const names = files.map(({ name }) => name);
  const apart = (members: JsonObject) => withoutMembers(members, names);
  return {
    ignoring(draft) {
      const members = apart(draft.members);
      const problems = draft.problems.filter((problem) => !isAbout(problem, names));
      return members === draft.members && problems.length === draft.problems.length
        ? draft
        : { ...draft, members, problems };
    },
    apart,
    together(members, stored) {
      const held = names.filter((name) => Object.hasOwn(stored, name));
      if (held.length === 0) return members;
      const whole = { ...members };
      for (const name of held) define(whole, name, stored[name] ?? null);
      return whole;
    },
  };
}

/** What the schema is asked of a stored document: its members without its files. */
export function schemaMembers({ files = [] }: CollectionDefinition, members: JsonObject): JsonObject {
  return withoutMembers(
    members,
    files.map(({ name }) => name),
  );
}

function withoutMembers(members: JsonObject, names: readonly string[]): JsonObject {
  if (!names.some((name) => Object.hasOwn(members, name))) return members;
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

function isAbout({ path }: Detail, names: readonly string[]): boolean {
  return names.includes(path.split(".", 1)[0] ?? "");
}
