/** Whether a file is what it has to be: its pages, its indexes, and what stands beside its documents. */
import type { Clock } from "../../clock.ts";
import type { StoreReader } from "../contract/beside.ts";
import type { CollectionShape } from "../contract/shape.ts";
import { arrayIndexStatements, indexedArrays } from "./arrays.ts";
import { readerOn } from "./beside.ts";
import { Connection } from "./connection.ts";
import { requireKnownFormat } from "./file.ts";
import { collectionOfIndex, literal, quoted, tableName } from "./names.ts";
import { missingIndexes } from "./provision.ts";
import { textOf, valuesOf, wholeNumberOf } from "./rows.ts";
import { textTableName } from "./text/text.ts";

/** Something that is not as it has to be. */
export interface Flaw {
  readonly collection?: string | undefined;
  /** Of a document. */
  readonly id?: string | undefined;
  readonly reason: string;
}

export interface FileCheck {
  /** Of one moment, whoever writes meanwhile. */
  readonly reader: StoreReader;
  /** What the engine finds of pages, tables and indexes: at most {@link MOST}. It takes as long as reading the file does. */
  engine(): readonly Flaw[];
  /** Declared indexes of a collection that are not there. */
  missingIndexes(shape: CollectionShape): readonly string[];
  /** Documents whose entries under arrays, or in the text index, are not theirs, some at a time. */
  entries(shape: CollectionShape): Generator<readonly Flaw[]>;
  close(): void;
}

/** Findings of the engine's check. */
const MOST = 1_000;
/** Rows that are looked at together. */
const WINDOW = 2_000;
/** Milliseconds that a read waits for a lock. */
const PATIENCE = 5_000;

/**
 * Opens a realm's file to be checked.
 * @throws Error for a file in a newer format, or one that is no database
 */
export function openFileCheck(path: string, clock: Clock): FileCheck {
  const connection = new Connection(path, { readOnly: true, busyTimeout: PATIENCE });
  try {
    requireKnownFormat(connection.database, path);
    connection.database.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    reader: readerOn(connection, clock),
    engine: () => engineFlaws(connection),
    missingIndexes: (shape) => missingIndexes(connection, shape),
    entries: (shape) => entryFlaws(connection, shape),
    close() {
      // By closing alone it may last until statements are collected.
      if (connection.database.isTransaction) connection.database.exec("ROLLBACK");
      connection.close();
    },
  };
}

function engineFlaws(connection: Connection): readonly Flaw[] {
  const told = connection.prepare(`PRAGMA integrity_check(${MOST})`).all();
  const lines = told.map((row) => textOf(valuesOf(row)[0])).filter((line) => line !== "ok");
  return lines.map((reason) => {
    const [, row, index = ""] = /^row (\d+) missing from index (.*)$/.exec(reason) ?? [];
    const collection = collectionOfIndex(index) ?? collectionIn(reason);
    const id =
      row === undefined || collection === undefined ? undefined : idOf(connection, collection, Number(row));
    return { collection, id, reason };
  });
}

function collectionIn(reason: string): string | undefined {
  const [, index = ""] = / (?:in|of) index (svc_\S+)$/.exec(reason) ?? [];
  return collectionOfIndex(index);
}

/** The engine counts the rows that it passes. */
function idOf(connection: Connection, collection: string, row: number): string | undefined {
  try {
    const sql = `SELECT id FROM ${quoted(tableName(collection))} NOT INDEXED ORDER BY seq LIMIT 1 OFFSET ?1`;
    const found: unknown = connection.prepare(sql).get(row - 1);
    return found === undefined ? undefined : textOf(valuesOf(found)[0]);
  } catch {
    // What is damaged may not be read.
    return undefined;
  }
}

function* entryFlaws(connection: Connection, shape: CollectionShape): Generator<readonly Flaw[]> {
  const tables = tablesIn(connection);
  if (!tables.has(tableName(shape.name))) return;
  const table = quoted(tableName(shape.name));
  const arrays = Array.from(indexedArrays(shape).values(), (field) => ({
    ...arrayIndexStatements(shape.name, field),
    path: field.path,
  })).filter(({ name }) => tables.has(name));
  const unfound = tables.has(textTableName(shape.name)) ? unfoundSql(shape.name) : undefined;
  const last = connection.prepare(`SELECT coalesce(max(seq), 0) FROM ${table}`).get();
  for (let from = 0; from <= wholeNumberOf(valuesOf(last)[0]); from += WINDOW) {
    const idsOf = (sql: string) =>
      connection
        .prepare(sql)
        .all(from, from + WINDOW - 1)
        .map((row) => textOf(valuesOf(row)[0]));
    const flaw = (reason: string) => (id: string) => ({ collection: shape.name, id, reason });
    yield [
      ...arrays.flatMap(({ astray, path }) =>
        idsOf(astray).map(flaw(`the index over ${path} has other values`)),
      ),
      ...(unfound === undefined ? [] : idsOf(unfound).map(flaw("the text index does not have it"))),
    ];
  }
}

/** Documents that are to be in the text index by now, and are not. FTS5 keeps the length of each that it has. */
function unfoundSql(collection: string): string {
  return `SELECT id FROM ${quoted(tableName(collection))} AS documents
    WHERE seq BETWEEN ?1 AND ?2
      AND EXISTS (SELECT 1 FROM svc_text WHERE collection = ${literal(collection)} AND (seq <= filled OR seq > goal))
      AND NOT EXISTS (SELECT 1 FROM ${quoted(`${textTableName(collection)}_docsize`)} AS had WHERE had.id = documents.seq)`;
}

function tablesIn(connection: Connection): ReadonlySet<string> {
  const rows = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return new Set(rows.map((row) => textOf(valuesOf(row)[0])));
}
