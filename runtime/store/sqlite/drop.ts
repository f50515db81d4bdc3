import type { Connection } from "./connection.ts";
import { countKept } from "./kept-collections.ts";
import { quoted, tableName, valuesPrefix } from "./names.ts";
import { textOf, valuesOf } from "./rows.ts";
import { dropText } from "./text/build.ts";

/**
 * Removes a collection with its indexes, its values and texts, and the changes that the feed keeps of it, where it has so many
 * documents; answers whether. To be run in a transaction.
 */
export function dropCollection(
  connection: Connection,
  collection: string,
  documents: number,
  now: number,
): boolean {
  const { database } = connection;
  const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = tables.map((row) => textOf(valuesOf(row)[0]));
  if (!names.includes(tableName(collection)) || countKept(connection, collection, now) !== documents)
    return false;
  dropText(connection, collection);
  // Its indexes and triggers go with it.
  database.exec(`DROP TABLE ${quoted(tableName(collection))}`);
  for (const name of names)
    if (name.startsWith(valuesPrefix(collection))) database.exec(`DROP TABLE ${quoted(name)}`);
  for (const [table, column] of [
    ["svc_feed", "collection"],
    ["svc_feed_collections", "name"],
  ]) {
    if (table !== undefined && names.includes(table))
      connection.prepare(`DELETE FROM ${table} WHERE ${column} = ?1`).run(collection);
  }
  return true;
}
