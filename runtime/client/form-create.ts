/** Documents that are created together with their files. */
import type { AnyErrorCode } from "./codes.ts";
import type { Connection } from "./connection.ts";
import { belonging, type CreateError } from "./documents.ts";
import type { ApiPromise } from "./errors.ts";
import type { CreateArguments } from "./options.ts";
import type { Shape } from "./queries.ts";
import type { BodyError } from "./route-errors.ts";
import { sending } from "./sending.ts";

/**
 * The files of a new document, by the names of their fields: of a page, of `openAsBlob`, or
 * `new File([bytes], name, { type })`. What counts as their type is what the bytes are.
 */
export type NewFiles<Field extends string> = { readonly [Name in Field]?: Blob | readonly Blob[] };

/** The codes that a create with files answers. */
export type FormError<S extends Shape = Shape> =
  | CreateError<S>
  | BodyError
  | "write_conflict"
  | "too_many_files"
  | "quota_exceeded"
  | "unsupported_file_type"
  | "upload_mode_mismatch"
  | "invalid_image"
  | "storage_unavailable";

/** @param path of the collection */
export function createByForm<T, Code extends AnyErrorCode>(
  connection: Connection,
  path: string,
  document: object,
  files: NewFiles<string>,
  [options]: CreateArguments<Shape>,
): ApiPromise<T, Code> {
  // With the boundary that it chooses, `fetch` says the type of a form by itself.
  const connected = sending(connection, formOf(document, files));
  return connected.once({ method: "POST", path: `${path}/_form`, query: belonging(options), options });
}

/** The document comes first, so that the server refuses it before the bytes. */
function formOf(document: object, files: NewFiles<string>): FormData {
  const form = new FormData();
  // A text: with a name it would be a file.
  form.append("document", JSON.stringify(document));
  for (const [field, given = []] of Object.entries(files))
    for (const file of given instanceof Blob ? [given] : given) form.append(field, file);
  return form;
}
