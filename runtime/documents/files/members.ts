import type { Detail } from "../../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { define, mergePatch } from "../../merge-patch.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { FileField, FileLedger } from "../../realm/files.ts";
import { equal } from "../../validation/equal.ts";
import type { Draft } from "../draft.ts";

/** The file fields of a collection: members of its documents that the server owns. */
export interface FileMembers {
  readonly ledger: FileLedger;
  /** A draft with its members for files apart: the very object where it has none. */
  ignoring(draft: Draft): Draft;
  /**
   * What a draft says of files that is not so: a body changes none.
   * @param seen the document before, as far as its sender sees it; undefined: there is none
   */
  misplaced(draft: Draft, change: "replace" | "patch", seen: JsonObject | undefined): readonly Detail[];
  /** The fields that need a file and have none among the members for files that come with a new document. */
  missing(filed: JsonObject): readonly Detail[];
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
export function fileParts(
  files: readonly Pick<FileField, "name" | "required">[],
): Omit<FileMembers, "ledger"> {
  const names = files.map(({ name }) => name);
  const apart = (members: JsonObject) => withoutMembers(members, names);
  return {
    ignoring(draft) {
      const members = apart(draft.members);
      const problems = draft.problems.filter((problem) => !isAbout(problem, names));
      if (members === draft.members && problems.length === draft.problems.length) return draft;
      const sent = Object.entries(draft.members).filter(([name]) => names.includes(name));
      return { ...draft, members, problems, files: Object.fromEntries(sent) };
    },
    misplaced({ files: sent = {} }, change, seen) {
      return Object.keys(sent)
        .filter((name) => !isSame(sent, change, seen, name))
        .map((path) => ({ path, reason: seen === undefined ? noneYet(path) : unchanged(path) }));
    },
    missing: (filed) =>
      files
        .filter(({ name, required }) => required === true && !Object.hasOwn(filed, name))
        .map(({ name }) => ({ path: name, reason: needed(name) })),
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

const noneYet = (field: string) =>
  `is a file field, which no body has: create the document, then send the file to POST …/_files/${field}`;
const needed = (field: string) =>
  `is required: create the document by POST …/_form, in a form with a part ${field} that is the file`;
const unchanged = (field: string) =>
  `is a file field, which no body changes: DELETE …/_files/${field}/{file} removes a file, POST …/_files/${field} adds one`;

/** Whether a body leaves a file field as its sender has read it; null is no file, too. */
function isSame(sent: JsonObject, change: "replace" | "patch", seen: JsonObject = {}, name: string): boolean {
  const before = Object.hasOwn(seen, name) ? seen[name] : undefined;
  const value = sent[name];
  const held: JsonObject = before === undefined ? {} : { [name]: before };
  const after = change === "patch" && value !== undefined ? mergePatch(held, { [name]: value })[name] : value;
  const isNone = after === undefined || after === null || (Array.isArray(after) && after.length === 0);
  if (before === undefined || isNone) return before === undefined && isNone;
  return equal(asRead(after), asRead(before));
}

/** Without what reads add, and what changes without a new version of the document. */
function asRead(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(asRead);
  if (!isJsonObject(value)) return value;
  const { url, versions, ...file } = value;
  return file;
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
