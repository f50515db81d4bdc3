import { Worker } from "node:worker_threads";
import { QueryTimeout, StoreBusy } from "../contract.ts";
import { SAMPLING } from "./connection.ts";
import { sqliteLibrary } from "./driver.ts";
import { type Answer, type Order, readerSource } from "./reader.ts";
import type { Query } from "./table.ts";

/** Queries that may wait, for each reader. */
const WAITING = 16;

interface Task {
  readonly query: Query;
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Reader {
  readonly worker: Worker;
  task: Task | undefined;
}

/** Threads for queries that visit many rows, started when first needed. */
export class Pool {
  readonly #file: string;
  readonly #size: number;
  readonly #queryTime: number;
  readonly #readers = new Set<Reader>();
  readonly #waiting: Task[] = [];
  #closed = false;

  /** `queryTime` in milliseconds, waiting included. */
  constructor(file: string, size: number, queryTime: number) {
    this.#file = file;
    this.#size = size;
    this.#queryTime = queryTime;
  }

  /**
   * The query's rows.
   * @throws QueryTimeout | StoreBusy
   */
  all(query: Query): Promise<readonly unknown[]> {
    if (this.#closed) return Promise.reject(new Error("the store is closed"));
    const reader = this.#idleReader();
    if (reader === undefined && this.#waiting.length >= this.#size * WAITING)
      return Promise.reject(new StoreBusy());
    return new Promise((resolve, reject) => {
      const task: Task = { query, deadline: Date.now() + this.#queryTime, resolve, reject };
      if (reader === undefined) this.#waiting.push(task);
      else this.#start(reader, task);
    });
  }

  /** Ends the threads once their current queries have; those waiting fail. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#waiting.splice(0)) task.reject(new Error("the store is closed"));
    await Promise.all(Array.from(this.#readers, ({ worker }) => ended(worker)));
  }

  #idleReader(): Reader | undefined {
    for (const reader of this.#readers) if (reader.task === undefined) return reader;
    return this.#readers.size < this.#size ? this.#open() : undefined;
  }

  #open(): Reader {
    const workerData = { file: this.#file, library: sqliteLibrary, sampling: SAMPLING };
    const worker = new Worker(readerSource, { eval: true, execArgv: [], workerData });
    const reader: Reader = { worker, task: undefined };
    worker.on("message", (answer: Answer) => this.#answered(reader, answer));
    worker.on("error", (error) => this.#lost(reader, error));
    worker.on("exit", () => this.#lost(reader, new Error("a reader thread ended")));
    worker.unref();
    this.#readers.add(reader);
    return reader;
  }

  #start(reader: Reader, task: Task): void {
    reader.task = task;
    // Only a query under way keeps the process alive.
    reader.worker.ref();
    const order: Order = { sql: task.query.sql, parameters: task.query.parameters, deadline: task.deadline };
    reader.worker.postMessage(order);
  }

  #answered(reader: Reader, answer: Answer): void {
    const { task } = reader;
    reader.task = undefined;
    reader.worker.unref();
    if ("rows" in answer) task?.resolve(answer.rows);
    else task?.reject(answer.late ? new QueryTimeout() : new Error(answer.error));
    this.#next(reader);
  }

  #next(reader: Reader): void {
    for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) {
      if (task.deadline > Date.now()) {
        this.#start(reader, task);
        return;
      }
      task.reject(new StoreBusy());
    }
  }

  #lost(reader: Reader, error: unknown): void {
    this.#readers.delete(reader);
    reader.task?.reject(error);
    reader.task = undefined;
    if (this.#closed || this.#waiting.length === 0) return;
    const next = this.#idleReader();
    if (next !== undefined) this.#next(next);
  }
}

function ended(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.ref();
    worker.once("exit", () => resolve());
    worker.postMessage("close");
  });
}
