import type { KeptCollection } from "../contract/beside.ts";
import type { Connection } from "./connection.ts";
import { collectionOfTable, quoted, tableName } from "./names.ts";
import { textOf, valuesOf, wholeNumberOf } from "./rows.ts";

/** The collections that a file has tables of, by name. */
export function keptCollections(connection: Connection, now: number): readonly KeptCollection[] {
  const tables = connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all();
  return tables.flatMap((row) => {
    const name = collectionOfTable(textOf(valuesOf(row)[0]));
    return name === undefined ? [] : [{ name, documents: countKept(connection, name, now) }];
  });
}

/** Documents of a collection that has a table, without those past their end. Each of both counts reads an index alone. */
export function countKept(connection: Connection, collection: string, now: number): number {
  const table = quoted(tableName(collection));
  const sql = `SELECT (SELECT count(*) FROM ${table}) - (SELECT count(*) FROM ${table} WHERE purge_at <= ?1)`;
  return wholeNumberOf(valuesOf(connection.prepare(sql).get(now))[0]);
}
