/** What queries may say of the files of documents (files.md, Fine points). */
import { type Field, type FieldKind, field } from "./fields.ts";

/** Members of file objects that filters and orders may name. */
export const fileMembers = {
  created_at: "date-time",
  height: "integer",
  name: "string",
  size: "integer",
  type: "string",
  width: "integer",
} as const satisfies Readonly<Record<string, FieldKind>>;

export type FileMember = keyof typeof fileMembers;

/**
 * The fields of a file field: the file object, of which only can be asked whether there is one, and its members.
 * @param holds `many` where documents have an array of file objects
 */
export function fileFields<Name extends string>(
  name: Name,
  holds?: "many",
): { readonly [Path in Name | `${Name}.${FileMember}`]: Field };
export function fileFields(name: string, holds?: "many"): Readonly<Record<string, Field>> {
  const arrays = holds === undefined ? [] : [name];
  const members = Object.entries(fileMembers).map(
    ([member, kind]) => [`${name}.${member}`, field(`${name}.${member}`, kind, arrays)] as const,
  );
  return { [name]: field(name, "object", arrays), ...Object.fromEntries(members) };
}
