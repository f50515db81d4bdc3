import { ownershipFields, passesArray } from "../../filter/fields.ts";
import { UniqueIndexViolated } from "../contract/errors.ts";
import type { CollectionShape, IndexShape } from "../contract/shape.ts";
import { arrayIndexStatements, indexedArrays, triggerEvents, triggerName } from "./arrays.ts";
import type { Connection } from "./connection.ts";
import { isUniqueViolation } from "./driver.ts";
import { documentKey } from "./expressions.ts";
import { provisionFeed } from "./feed/provision.ts";
import { hasTrash, indexColumns } from "./indexes.ts";
import {
  declaredName,
  indexName,
  orderIndexName,
  quoted,
  tableName,
  trashName,
  valuesPrefix,
} from "./names.ts";
import { textOf, valuesOf } from "./rows.ts";

const ownerKey = documentKey(ownershipFields["_meta.owner"]);

/** Number of the last migration that a document is in the form of. */
const formColumn = "form INTEGER NOT NULL DEFAULT 0";

/** Ids that a violated unique index is reported with. */
const REPORTED = 10;

/**
 * Makes what the collections need and drops indexes of ours that are declared no longer. To be run in a transaction.
 * Data is never dropped, nor are indexes that somebody else made.
 * @throws UniqueIndexViolated
 */
export function provision(connection: Connection, shapes: readonly CollectionShape[]): void {
  provisionFeed(connection, shapes);
  for (const shape of shapes) {
    connection.database.exec(documentTable(shape.name));
    addForm(connection, shape.name);
    provisionArrayIndexes(connection, shape);
    provisionIndexes(connection, shape);
  }
}

/**
 * Documents are kept as JSON text. The owner stands beside it as well, since rules ask for nothing as often: reading a
 * column costs a list a third of what looking into twenty documents does. The order indexes hold every column that a
 * condition on visibility reads, so that pages skipped and documents counted need not be looked at.
 */
function documentTable(collection: string): string {
  const table = quoted(tableName(collection));
  const orderIndex = (visibility: "live" | "deleted") => quoted(orderIndexName(collection, visibility));
  return `
    CREATE TABLE IF NOT EXISTS ${table} (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      version INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      deleted_at INTEGER,
      purge_at INTEGER,
      owner TEXT GENERATED ALWAYS AS (${ownerKey}) STORED,
      doc TEXT NOT NULL,
      ${formColumn}
    );
    CREATE INDEX IF NOT EXISTS ${orderIndex("live")} ON ${table} (created_at, id, purge_at, deleted_at) WHERE deleted_at IS NULL;
    CREATE INDEX IF NOT EXISTS ${orderIndex("deleted")} ON ${table} (created_at, id, purge_at, deleted_at) WHERE deleted_at IS NOT NULL;
    CREATE INDEX IF NOT EXISTS ${quoted(`svc_purge.${collection}`)} ON ${table} (purge_at) WHERE purge_at IS NOT NULL;
  `;
}

/** Whether the collection's table has the column. */
export function hasForm(connection: Connection, collection: string): boolean {
  const columns = connection.prepare("SELECT 1 FROM pragma_table_info(?1) WHERE name = 'form'");
  return columns.get(tableName(collection)) !== undefined;
}

/** Tables of earlier releases lack the column; SQLite adds it without writing a row. */
function addForm(connection: Connection, collection: string): void {
  if (hasForm(connection, collection)) return;
  connection.database.exec(`ALTER TABLE ${quoted(tableName(collection))} ADD COLUMN ${formColumn}`);
}

/** Declared indexes by their names, and the statements that make them; those over arrays alone are tables. */
function declaredIndexes(
  shape: CollectionShape,
): Map<string, { readonly index: IndexShape; readonly sql: string }> {
  const declared = new Map<string, { readonly index: IndexShape; readonly sql: string }>();
  for (const index of shape.indexes) {
    const sql = indexDefinition(shape.name, index);
    if (sql !== undefined) declared.set(index.name, { index, sql });
    const inTrash = hasTrash(index) ? indexDefinition(shape.name, index, "trash") : undefined;
    if (inTrash !== undefined) declared.set(trashName(index.name), { index, sql: inTrash });
  }
  return declared;
}

/** Declared indexes that a file does not have, or has otherwise; those of arrays are called as their tables. */
export function missingIndexes(connection: Connection, shape: CollectionShape): readonly string[] {
  const there = definitions(connection, "index", tableName(shape.name));
  const indexes = [...declaredIndexes(shape)]
    .filter(([name, { sql }]) => there.get(indexName(shape.name, name)) !== sql)
    .map(([name]) => name);
  const all = [definitions(connection, "table"), definitions(connection, "index")];
  const triggers = definitions(connection, "trigger", tableName(shape.name));
  const arrays = Array.from(indexedArrays(shape).values(), (field) =>
    arrayIndexStatements(shape.name, field),
  );
  const missing = arrays.filter(({ definitions: parts }) =>
    parts.some(({ name, sql }) => ![...all, triggers].some((existing) => existing.get(name) === sql)),
  );
  return [...indexes, ...missing.map(({ name }) => name)];
}

function provisionIndexes(connection: Connection, shape: CollectionShape): void {
  const declared = declaredIndexes(shape);
  for (const [name, sql] of definitions(connection, "index", tableName(shape.name))) {
    const own = declaredName(shape.name, name);
    if (own === undefined) continue;
    if (declared.get(own)?.sql === sql) declared.delete(own);
    else connection.database.exec(`DROP INDEX ${quoted(name)}`);
  }
  for (const { index, sql } of declared.values()) {
    try {
      connection.database.exec(sql);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new UniqueIndexViolated(shape.name, index.name, clashing(connection, shape.name, index));
    }
  }
}

/** The index over live documents, or deleted ones; undefined when all of its keys pass through arrays. */
function indexDefinition(
  collection: string,
  index: IndexShape,
  of: "live" | "trash" = "live",
): string | undefined {
  const { name, keys, unique } = index;
  if (unique && keys.some(({ field }) => passesArray(field)))
    throw new Error(`unique index ${name} of ${collection} passes through an array`);
  const columns = indexColumns(index).map(({ sql, descending }) => (descending ? `${sql} DESC` : sql));
  if (columns.length === 0) return undefined;
  // So that conditions on visibility need not look at the rows.
  if (!unique) columns.push("purge_at", "deleted_at");
  const [own, seen] = of === "live" ? [name, "IS NULL"] : [trashName(name), "IS NOT NULL"];
  const target = `${quoted(indexName(collection, own))} ON ${quoted(tableName(collection))}`;
  return `CREATE ${unique ? "UNIQUE " : ""}INDEX ${target} (${columns.join(", ")}) WHERE deleted_at ${seen}`;
}

function clashing(connection: Connection, collection: string, { keys }: IndexShape): readonly string[] {
  const table = quoted(tableName(collection));
  const columns = keys.map(({ field }) => documentKey(field));
  const list = columns.join(", ");
  const present = columns.map((column) => `${column} IS NOT NULL`).join(" AND ");
  const repeated = `SELECT ${list} FROM ${table} WHERE deleted_at IS NULL AND ${present} GROUP BY ${list} HAVING count(*) > 1`;
  const rows = connection
    .prepare(
      `SELECT id FROM ${table} WHERE deleted_at IS NULL AND (${list}) IN (${repeated}) ORDER BY ${list}, created_at, id LIMIT ?`,
    )
    .all(REPORTED);
  return rows.map((row) => textOf(valuesOf(row)[0]));
}

function provisionArrayIndexes(connection: Connection, shape: CollectionShape): void {
  const declared = new Map(
    Array.from(indexedArrays(shape).values(), (field) => {
      const statements = arrayIndexStatements(shape.name, field);
      return [statements.name, statements] as const;
    }),
  );
  const triggers = definitions(connection, "trigger", tableName(shape.name));
  for (const [name, sql] of definitions(connection, "table")) {
    if (!name.startsWith(valuesPrefix(shape.name))) continue;
    const existing = new Map([[name, sql], ...definitions(connection, "index", name), ...triggers]);
    if (declared.get(name)?.definitions.every((part) => existing.get(part.name) === part.sql)) {
      declared.delete(name);
      continue;
    }
    for (const event of triggerEvents)
      connection.database.exec(`DROP TRIGGER IF EXISTS ${quoted(triggerName(name, event))}`);
    connection.database.exec(`DROP TABLE ${quoted(name)}`);
  }
  for (const { definitions: parts, fill } of declared.values()) {
    for (const { sql } of parts) connection.database.exec(sql);
    connection.database.exec(fill);
  }
}

/** Name to the statement that made it. */
function definitions(connection: Connection, type: string, table?: string): ReadonlyMap<string, string> {
  const rows = connection
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = ?1 AND tbl_name = coalesce(?2, tbl_name) AND sql IS NOT NULL",
    )
    .all(type, table ?? null);
  return new Map(
    rows.map((row) => {
      const [name, sql] = valuesOf(row);
      return [textOf(name), textOf(sql)];
    }),
  );
}
