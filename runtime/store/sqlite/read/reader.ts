import { functionsSource } from "../functions.ts";
import { fillIn, type Query, type Texts } from "../query.ts";

/** What a reader thread is asked, and milliseconds after which it gives up. `"close"` ends the thread. */
export interface Order {
  readonly statements: readonly Query[];
  /** As in a `Sequence`. */
  readonly limit: number;
  readonly texts: Texts | undefined;
  readonly milliseconds: number;
}

export type Answer =
  | { readonly rows: readonly unknown[] }
  /** `late`: the deadline passed. */
  | { readonly error: string; readonly late: boolean };

/** Prepared statements that a reader keeps; the oldest goes first. */
export const READER_STATEMENTS = 100;

/**
 * The code of a reader thread, as text: a worker thread needs a file of its own or text, and neither the bundle, which
 * is one file, nor TypeScript sources under test runners have a file that every supported Node could run. What
 * is sorted may be large, so that it goes to a temporary file where it does not fit into the cache.
 */
export const readerSource = `
"use strict";
const { parentPort, workerData } = require("node:worker_threads");
const { file, library, kept } = workerData;

const { emitWarning } = process;
process.emitWarning = () => {};
const { DatabaseSync } = require(library);
process.emitWarning = emitWarning;

const database = new DatabaseSync(file, { readOnly: true });
database.exec("PRAGMA busy_timeout = 1000; PRAGMA cache_size = -8192; PRAGMA mmap_size = 268435456");
(${functionsSource})(database);

let deadline = 0;
let late = false;
const stop = new Error("the deadline has passed");
database.function("tick", () => {
  if (Date.now() >= deadline) {
    late = true;
    throw stop;
  }
  return 1;
});

const statements = new Map();
function prepare(sql) {
  let statement = statements.get(sql);
  if (statement === undefined) {
    statement = database.prepare(sql);
    statement.setReturnArrays(true);
    if (statements.size === kept) statements.delete(statements.keys().next().value);
    statements.set(sql, statement);
  }
  return statement;
}

const fillIn = (() => {
  // Some bundlers wrap functions in calls of this, to keep their names.
  const __name = (named) => named;
  return ${fillIn};
})();

function rowsOf({ statements, limit, texts }) {
  const rows = [];
  for (const { sql, parameters } of statements) {
    if (rows.length > 0) parameters[1] = limit - rows.length;
    for (const row of prepare(sql).all(...parameters)) rows.push(row);
    if (rows.length >= limit) break;
  }
  if (texts === undefined) return rows;
  return fillIn(rows, texts.characters, (id) => prepare(texts.sql).get(id)?.[0]);
}

parentPort.on("message", (order) => {
  if (order === "close") {
    statements.clear();
    database.close();
    parentPort.close();
    return;
  }
  deadline = Date.now() + order.milliseconds;
  late = false;
  try {
    // One snapshot for all.
    database.exec("BEGIN");
    try {
      parentPort.postMessage({ rows: rowsOf(order) });
    } finally {
      if (database.isTransaction) database.exec("COMMIT");
    }
  } catch (error) {
    parentPort.postMessage({ error: String(error && error.message), late });
  }
});
`;
