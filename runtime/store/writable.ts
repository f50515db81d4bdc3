import type { DocumentWrite, StoredDocument } from "./contract/document.ts";
import { DocumentTooLarge } from "./contract/errors.ts";
import type { CollectionShape } from "./contract/shape.ts";

/** Bytes of UTF-8 that a document's text may have on every engine; one may hold less of what takes more room in it. */
export const LARGEST_DOCUMENT = 16 * 1024 * 1024;

/** The number that is kept beside a document that is written. */
export function formWritten(shape: Pick<CollectionShape, "form">, { form }: DocumentWrite): number {
  return form ?? shape.form ?? 0;
}

/** The document with the number that is kept beside it, as reads say it. */
export function withForm<T extends StoredDocument>(
  shape: Pick<CollectionShape, "form">,
  document: T,
  form: number,
): T {
  return form === 0 && shape.form === undefined ? document : { ...document, form };
}

/**
 * What no engine writes.
 * @throws DocumentTooLarge
 */
export function requireWritable(
  { name, permanent }: CollectionShape,
  { text, deletedAt, purgeAt }: DocumentWrite,
): void {
  // Reads of live documents do not ask again.
  if (permanent === true && purgeAt !== undefined && deletedAt === undefined)
    throw new Error(`live documents of ${name} have no purgeAt`);
  // No character takes more than three bytes.
  if (3 * text.length > LARGEST_DOCUMENT && Buffer.byteLength(text) > LARGEST_DOCUMENT)
    throw new DocumentTooLarge();
}
