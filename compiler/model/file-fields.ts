/** Files of documents as fields: the server's own, beside those that the schema declares. */
import { fileFields } from "../../runtime/filter/file-fields.ts";
import type { Collection, DeclaredField } from "./model.ts";

/** What queries and rules may name of a collection's files, sorted by path. */
export function filesAsFields({ files = [] }: Pick<Collection, "files">): readonly DeclaredField[] {
  return files.flatMap(({ name, maxFiles, span }) => {
    const isMany = maxFiles > 1;
    return Object.values(fileFields(name, isMany ? "many" : undefined)).map(
      ({ path, kinds }): DeclaredField => ({
        path,
        kinds,
        arrays: isMany ? [name] : [],
        scalar: !isMany || path !== name,
        nullable: false,
        span,
      }),
    );
  });
}

/** Declared fields and files: all that stands in documents beside `id` and `_meta`, sorted by path. */
export function storedFields(collection: Pick<Collection, "fields" | "files">): readonly DeclaredField[] {
  const files = filesAsFields(collection);
  if (files.length === 0) return collection.fields;
  return [...collection.fields, ...files].sort((a, b) => (a.path < b.path ? -1 : 1));
}
