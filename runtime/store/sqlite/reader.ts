import { functionsSource } from "./functions.ts";
import type { Query } from "./query.ts";

/** What a reader thread is asked, and when to give up (epoch milliseconds). `"close"` ends the thread. */
export interface Order {
  readonly statements: readonly Query[];
  /** As in a `Sequence`. */
  readonly limit: number;
  readonly characters: number | undefined;
  readonly deadline: number;
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

function rowsOf(order) {
  const rows = [];
  let characters = 0;
  for (const { sql, parameters } of order.statements) {
    if (rows.length > 0) parameters[1] = order.limit - rows.length;
    const statement = prepare(sql);
    if (order.characters === undefined) {
      for (const row of statement.all(...parameters)) rows.push(row);
    } else {
      for (const row of statement.iterate(...parameters)) {
        rows.push(row);
        characters += row[2].length;
        if (characters > order.characters) return rows;
      }
    }
    if (rows.length >= order.limit) break;
  }
  return rows;
}

parentPort.on("message", (order) => {
  if (order === "close") {
    statements.clear();
    database.close();
    parentPort.close();
    return;
  }
  deadline = order.deadline;
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
