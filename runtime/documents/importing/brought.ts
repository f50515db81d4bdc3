/** Files that come with imported documents: what documents say of them, and how their bytes are brought. */
import type { Detail } from "../../errors.ts";
import { storedDate } from "../../filter/dates.ts";
import { isGeneratedId } from "../../ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { define } from "../../merge-patch.ts";
import type { FileField, FileObject, NamedFile } from "../../realm/files.ts";

/** A file that a document names. */
export interface BroughtFile extends NamedFile {
  readonly type: string;
}

/** Where the bytes come from, and go to. */
export interface FileBringer {
  /**
   * Has the bytes of a file stored, and kept from being swept until a document names them. They are hashed, as those of an
   * upload; their type is what the document says, and the field accepts it.
   * @returns why a document cannot have it; undefined where it can
   * @throws StorageUnavailable
   */
  bring(file: BroughtFile, field: FileField): Promise<string | undefined>;
}

/** The members of a document that are files; null takes away what is there. */
export interface FiledMembers {
  readonly members: JsonObject;
  readonly problems: readonly Detail[];
}

/** Reads the file fields among the members of a document that comes. */
export function filedMembers(fields: readonly FileField[], members: JsonObject): FiledMembers {
  const filed: JsonObject = {};
  const problems: Detail[] = [];
  for (const field of fields) {
    const value = Object.hasOwn(members, field.name) ? members[field.name] : undefined;
    if (value === undefined) continue;
    const isNone = value === null || (Array.isArray(value) && value.length === 0);
    define(filed, field.name, isNone ? null : value);
    if (!isNone) problems.push(...problemsOf(field, value));
  }
  return { members: filed, problems };
}

/** Of members whose problems were none, or that are stored. */
export function filesAmong(fields: readonly FileField[], members: JsonObject): readonly BroughtFile[] {
  return fields.flatMap((field) => {
    const value = Object.hasOwn(members, field.name) ? members[field.name] : undefined;
    return eachIn(value).flatMap((file) => {
      if (!isFile(file)) return [];
      const { id, sha256, size, type } = file;
      return [{ id, field: field.name, sha256, size, type }];
    });
  });
}

function problemsOf(field: FileField, value: JsonValue): readonly Detail[] {
  const isList = field.maxFiles > 1;
  if (isList !== Array.isArray(value))
    return [{ path: field.name, reason: isList ? "must be an array of files" : "must be one file" }];
  const all = eachIn(value);
  const wrong = all.flatMap((file, at) => {
    const path = isList ? `${field.name}.${at}` : field.name;
    const reason = problemOf(file, field);
    return reason === undefined ? [] : [{ path, reason }];
  });
  const ids = new Set(all.map((file) => (isJsonObject(file) ? file["id"] : undefined)));
  if (ids.size < all.length) wrong.push({ path: field.name, reason: "has an id of a file twice" });
  if (all.length > field.maxFiles)
    wrong.push({ path: field.name, reason: `has ${all.length} files, and ${field.maxFiles} are allowed` });
  return wrong;
}

function problemOf(file: JsonValue, { maxSize }: FileField): string | undefined {
  if (!isJsonObject(file)) return "is no file";
  const wrong = Object.keys(forms).find((name) => !isFormed(file, name));
  if (wrong !== undefined) return `${wrong} is not that of a file`;
  const other = Object.keys(file).find((name) => !Object.hasOwn(forms, name));
  if (other !== undefined) return `${other} is nothing that a file has`;
  return isFile(file) && file.size > maxSize
    ? `has ${file.size} bytes, and ${maxSize} are allowed`
    : undefined;
}

type Form = readonly [fits: (value: JsonValue) => boolean, isOptional?: true];

const isText = (most: number) => (value: JsonValue) =>
  typeof value === "string" && value !== "" && Buffer.byteLength(value) <= most;
const isCount = (value: JsonValue) => Number.isSafeInteger(value) && Number(value) >= 0;
const states: readonly JsonValue[] = ["ready", "pending", "failed"];

/** As `runtime/files/names.ts` makes them: nothing that leads out of a folder, no control characters. */
const name = /^(?!\.)[^/\\\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+$/u;

const forms: Readonly<Record<keyof Omit<FileObject, "url">, Form>> = {
  id: [(value) => typeof value === "string" && isGeneratedId(value)],
  name: [(value) => isText(255)(value) && name.test(String(value))],
  type: [(value) => typeof value === "string" && /^[\w.+!#$&^-]{1,127}\/[\w.+!#$&^-]{1,127}$/.test(value)],
  size: [isCount],
  sha256: [(value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value)],
  width: [isCount, true],
  height: [isCount, true],
  versions: [
    (value) =>
      isJsonObject(value) &&
      Object.values(value).every((state) => state !== undefined && states.includes(state)),
    true,
  ],
  created_at: [(value) => typeof value === "string" && storedDate(value, "date-time") === value],
  created_by: [isText(200), true],
};

function isFormed(file: JsonObject, member: string): boolean {
  const form = Object.entries(forms).find(([each]) => each === member)?.[1];
  const value = Object.hasOwn(file, member) ? file[member] : undefined;
  if (form === undefined) return false;
  const [fits, isOptional = false] = form;
  return value === undefined ? isOptional : fits(value);
}

function isFile(file: JsonValue): file is JsonObject & FileObject {
  return isJsonObject(file) && Object.keys(forms).every((member) => isFormed(file, member));
}

function eachIn(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/**
 * Members of a document with its files, in the order of the line that it came in.
 * @param members without files
 * @param filed without null
 */
export function woven(line: JsonObject, members: JsonObject, filed: JsonObject): JsonObject {
  const whole: JsonObject = {};
  const add = (from: JsonObject, names: readonly string[]) => {
    for (const each of names)
      if (Object.hasOwn(from, each) && !Object.hasOwn(whole, each)) define(whole, each, from[each] ?? null);
  };
  for (const each of Object.keys(line)) add(Object.hasOwn(filed, each) ? filed : members, [each]);
  add(members, Object.keys(members));
  add(filed, Object.keys(filed));
  return whole;
}
