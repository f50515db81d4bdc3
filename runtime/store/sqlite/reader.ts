import type { Value } from "./driver.ts";

/** What a reader thread is asked: a statement, and when to give up (epoch milliseconds). `"close"` ends the thread. */
export interface Order {
  readonly sql: string;
  readonly parameters: readonly Value[];
  readonly deadline: number;
}

export type Answer =
  | { readonly rows: readonly unknown[] }
  /** `late`: the deadline passed. */
  | { readonly error: string; readonly late: boolean };

/**
 * The code of a reader thread, as text: a worker thread needs a file of its own or text, and neither the bundle, which
 * is one file, nor TypeScript sources under test runners have a file that every supported Node could run.
 */
export const readerSource = `
"use strict";
const { parentPort, workerData } = require("node:worker_threads");
const { file, library, sampling } = workerData;

const { emitWarning } = process;
process.emitWarning = () => {};
const { DatabaseSync } = require(library);
process.emitWarning = emitWarning;

const database = new DatabaseSync(file, { readOnly: true });
database.exec("PRAGMA busy_timeout = 1000; PRAGMA cache_size = -8192; PRAGMA mmap_size = 268435456; PRAGMA temp_store = MEMORY");

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

parentPort.on("message", (order) => {
  if (order === "close") {
    database.close();
    parentPort.close();
    return;
  }
  deadline = order.deadline;
  late = false;
  try {
    const statement = database.prepare(order.sql);
    statement.setReturnArrays(true);
    parentPort.postMessage({ rows: statement.all(...order.parameters) });
  } catch (error) {
    parentPort.postMessage({ error: String(error && error.message), late });
  }
});
`;
