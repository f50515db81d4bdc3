import { isWithin } from "../../runtime/filter/fields.ts";
import { fileMembers } from "../../runtime/filter/file-fields.ts";
import { didYouMean } from "../../runtime/suggest.ts";
import type { Span } from "../diagnostics/diagnostic.ts";
import { filesAsFields, storedFields } from "./file-fields.ts";
import type { Collection, DeclaredField, Realm } from "./model.ts";
import { serverFields } from "./server-fields.ts";

/** What checks ask of a field, declared or server-owned. */
export interface KnownField extends Pick<DeclaredField, "path" | "kinds" | "arrays" | "scalar" | "values"> {
  readonly span?: Span;
}

export function declaredField(collection: Collection, path: string): DeclaredField | undefined {
  return collection.fields.find((field) => field.path === path);
}

/** Whether mistakes leave open what documents have at a path that no field of the collection has. */
export function isOpen({ open = [] }: Collection, path: string): boolean {
  return open.some((each) => each === "" || isWithin(path, each));
}

/** Whether documents have a path to which a rule can be given: a file, or what the schema declares outside of arrays. */
export function isHideable(collection: Collection, path: string): boolean {
  if (collection.files?.some(({ name }) => name === path)) return true;
  return declaredField(collection, path)?.arrays.every((array) => array === path) === true;
}

/** The file field that a path names, or something inside of. */
export function fileAt({ files = [] }: Collection, path: string): string | undefined {
  return files.find(({ name }) => isWithin(path, name))?.name;
}

/** Whether a path is one of what the server alone writes. */
export function isServerOwned(path: string): boolean {
  return /^(?:id|_id|_expanded|_meta)(?:\.|$)/.test(path);
}

export function knownField(realm: Realm, collection: Collection, path: string): KnownField | undefined {
  const server = serverFields(realm, collection);
  const own = Object.hasOwn(server, path) ? server[path] : undefined;
  return own === undefined
    ? (declaredField(collection, path) ?? filesAsFields(collection).find((file) => file.path === path))
    : { path, kinds: own.kinds, arrays: [], scalar: true };
}

/** What to do about a path that names no field; `server` are the server-owned fields that could be named. */
export function undeclaredHint(collection: Collection, path: string, server: readonly string[]): string {
  const file = fileAt(collection, path);
  if (file !== undefined)
    return `of the file '${file}' there are ${Object.keys(fileMembers)
      .map((member) => `${file}.${member}`)
      .join(", ")}`;
  const meant = didYouMean(path, [...storedFields(collection).map((field) => field.path), ...server]);
  if (meant !== undefined) return meant;
  if (path === "_meta" || path.startsWith("_meta."))
    return `of the server's fields there are ${server.join(", ")}`;
  const reference = collection.references.find(({ name }) => path.startsWith(`${name}.`));
  return reference === undefined
    ? "declare it in schema.json"
    : `'${reference.name}' is a reference; name a field of this collection`;
}

/** Where an object stands in place of a value: a field inside it. */
export function insideHint(fields: readonly DeclaredField[], path: string): string | undefined {
  const inside = fields.find((field) => field.path.startsWith(`${path}.`));
  return inside === undefined ? undefined : `name a field inside it, such as '${inside.path}'`;
}

/** What a field holds, in words. */
export function describeField({ kinds, arrays, path, scalar }: KnownField): string {
  const values = kinds.join(" or ");
  const [array] = arrays;
  if (array === undefined) return values;
  if (array !== path) return `in the array '${array}'`;
  return scalar ? `${values}, or an array of it` : `an array of ${values}`;
}
