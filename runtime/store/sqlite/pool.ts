import { Worker } from "node:worker_threads";
import { QueryTimeout, StoreBusy } from "../contract.ts";
import { forReader } from "./connection.ts";
import { sqliteLibrary } from "./driver.ts";
import type { Sequence } from "./query.ts";
import { type Answer, type Order, READER_STATEMENTS, readerSource } from "./reader.ts";

/** Queries that may wait, for each reader. */
const WAITING = 16;

/** Milliseconds after the deadline in which a statement should have stopped itself. */
const GRACE = 50;

/** Milliseconds that the first thread may need to begin. */
const BEGINNING = 1_000;

interface Task {
  readonly query: Sequence;
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

interface Reader {
  readonly worker: Worker;
  /** Under way, even when its caller waits no longer. */
  task: Task | undefined;
  /** Its task is past its time and has not stopped: SQLite sorts, or searches for long between two rows. */
  stuck: boolean;
}

/** Threads for queries that visit many rows, started when first needed. */
export class Pool {
  readonly #file: string;
  readonly #size: number;
  readonly #readers = new Set<Reader>();
  readonly #waiting = new Set<Task>();
  #hasBegun = false;
  #closed = false;

  constructor(file: string, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /**
   * The query's rows, within so many milliseconds, waiting included.
   * @throws QueryTimeout | StoreBusy
   */
  all(query: Sequence, milliseconds: number): Promise<readonly unknown[]> {
    if (this.#closed) return Promise.reject(new Error("the store is closed"));
    const reader = this.#idleReader();
    const isFull = this.#waiting.size >= this.#size * WAITING || this.#isStuck();
    if (reader === undefined && isFull) return Promise.reject(new StoreBusy());
    return new Promise((resolve, reject) => {
      const deadline = Date.now() + milliseconds;
      const patience = milliseconds + GRACE + (this.#hasBegun ? 0 : BEGINNING);
      const timer = setTimeout(() => this.#expired(task), patience).unref();
      const task: Task = { query, deadline, resolve, reject, timer };
      if (reader === undefined) this.#waiting.add(task);
      else this.#start(reader, task);
    });
  }

  /** Ends the threads once their current queries have; those waiting fail. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#refuseWaiting(new Error("the store is closed"));
    await Promise.all(Array.from(this.#readers, ({ worker }) => ended(worker)));
  }

  #idleReader(): Reader | undefined {
    for (const reader of this.#readers) if (reader.task === undefined) return reader;
    return this.#readers.size < this.#size ? this.#open() : undefined;
  }

  #open(): Reader {
    const workerData = { file: this.#file, library: sqliteLibrary, kept: READER_STATEMENTS };
    const worker = new Worker(readerSource, { eval: true, execArgv: [], workerData });
    const reader: Reader = { worker, task: undefined, stuck: false };
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
    const { first, others, limit, characters } = task.query;
    const statements = [first, ...others.map((other) => other())].map(({ sql, parameters }) => ({
      sql: forReader(sql),
      parameters,
    }));
    const order: Order = { statements, limit, characters, deadline: task.deadline };
    reader.worker.postMessage(order);
  }

  /** Nobody waits for a task any longer. The thread goes on with it, since nothing can stop it there. */
  #expired(task: Task): void {
    if (this.#waiting.delete(task)) {
      task.reject(new StoreBusy());
      return;
    }
    task.reject(new QueryTimeout());
    for (const reader of this.#readers) reader.stuck ||= reader.task === task;
    if (this.#isStuck()) this.#refuseWaiting(new StoreBusy());
  }

  /** Nobody knows when a reader will be free. */
  #isStuck(): boolean {
    if (this.#readers.size < this.#size) return false;
    for (const { stuck } of this.#readers) if (!stuck) return false;
    return true;
  }

  #refuseWaiting(error: Error): void {
    for (const task of this.#waiting) {
      clearTimeout(task.timer);
      task.reject(error);
    }
    this.#waiting.clear();
  }

  #answered(reader: Reader, answer: Answer): void {
    const { task } = reader;
    this.#hasBegun = true;
    reader.task = undefined;
    reader.stuck = false;
    reader.worker.unref();
    clearTimeout(task?.timer);
    if ("rows" in answer) task?.resolve(answer.rows);
    else task?.reject(answer.late ? new QueryTimeout() : new Error(answer.error));
    this.#next(reader);
  }

  #next(reader: Reader): void {
    for (const task of this.#waiting) {
      this.#waiting.delete(task);
      if (task.deadline > Date.now()) {
        this.#start(reader, task);
        return;
      }
      clearTimeout(task.timer);
      task.reject(new StoreBusy());
    }
  }

  #lost(reader: Reader, error: unknown): void {
    this.#readers.delete(reader);
    clearTimeout(reader.task?.timer);
    reader.task?.reject(error);
    reader.task = undefined;
    if (this.#closed || this.#waiting.size === 0) return;
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
