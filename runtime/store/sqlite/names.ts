import type { Field } from "../../filter/fields.ts";

/**
 * How things are called inside the database file. Names come from configuration, so they are always quoted.
 * Everything of ours starts with `svc_` except the collections' tables, whose `c.` no name of ours shares.
 */

/** An identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A string constant. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export const tableName = (collection: string) => `c.${collection}`;

/** The collection that a table is of; undefined for other tables. */
export function collectionOfTable(table: string): string | undefined {
  const prefix = tableName("");
  return table.startsWith(prefix) ? table.slice(prefix.length) : undefined;
}

export const orderIndexName = (collection: string, visibility: "live" | "deleted") =>
  `svc_${visibility}.${collection}`;

const indexPrefix = (collection: string) => `svc_index.${collection}.`;

/** A declared index. */
export const indexName = (collection: string, index: string) => indexPrefix(collection) + index;

/** What the part of it over deleted documents is called beside it. */
export const trashName = (index: string) => `${index}~trash`;

/** The declared index's own name; undefined for an index that is not one of ours. */
export function declaredName(collection: string, name: string): string | undefined {
  const prefix = indexPrefix(collection);
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}

/** The collection that an index of ours is over; undefined for others. */
export function collectionOfIndex(name: string): string | undefined {
  const [, collection] = /^svc_(?:index|live|deleted|purge)\.([^.]+\.[^.]+)/.exec(name) ?? [];
  return collection;
}

export const valuesPrefix = (collection: string) => `svc_values.${collection}.`;

/** The table of the values that a field through an array reaches. */
export const valuesName = (collection: string, field: Field) => valuesPrefix(collection) + field.path;

/** A path into a document: member names as JSON strings, so that no character in them has a meaning. */
export function jsonPath(segments: readonly string[]): string {
  return literal(["$", ...segments.map((segment) => JSON.stringify(segment))].join("."));
}
