import type { DocumentWrite, StoredDocument } from "../contract/document.ts";

/** Rows come from the library untyped; these say what a column holds and stop at once where it does not. */

export function valuesOf(row: unknown): readonly unknown[] {
  if (!Array.isArray(row)) throw new TypeError("a row is an array");
  return row;
}

export function textOf(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("the column holds a text");
  return value;
}

export function wholeNumberOf(value: unknown): number {
  if (typeof value !== "number") throw new TypeError("the column holds an integer");
  return value;
}

export function documentOf(id: unknown, version: unknown, text: unknown): StoredDocument {
  return { id: textOf(id), version: wholeNumberOf(version), text: textOf(text) };
}

/** Of rows of id, version and text, and perhaps a score. */
export function documentsOf(rows: readonly unknown[]): StoredDocument[] {
  return rows.map((row) => {
    const [id, version, text, score] = valuesOf(row);
    const document = documentOf(id, version, text);
    return typeof score === "number" ? { ...document, score } : document;
  });
}

/** Of a row of id, version, the times of creation, deletion and purge, and text. */
export function writeOf(row: unknown): DocumentWrite {
  const [id, version, createdAt, deletedAt, purgeAt, text] = valuesOf(row);
  const times = { deletedAt: wholeNumberOrNone(deletedAt), purgeAt: wholeNumberOrNone(purgeAt) };
  return { ...documentOf(id, version, text), createdAt: wholeNumberOf(createdAt), ...times };
}

function wholeNumberOrNone(value: unknown): number | undefined {
  return value === null ? undefined : wholeNumberOf(value);
}

/** Of the one row of a count. */
export function countOf(rows: readonly unknown[]): number {
  return wholeNumberOf(valuesOf(rows[0])[0]);
}
