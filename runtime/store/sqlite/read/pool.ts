import { Worker } from "node:worker_threads";
import { QueryTimeout, StoreBusy } from "../../contract/errors.ts";
import { forReader } from "../connection.ts";
import { sqliteLibrary } from "../driver.ts";
import type { Sequence } from "../query.ts";
import { type Answer, type Order, READER_STATEMENTS, readerSource } from "./reader.ts";

/** Queries that may wait, for each reader. */
const WAITING = 16;

/** Threads that there may be for each of those at work: stuck ones, and those in their place. */
const STUCK = 2;

/** Milliseconds after the deadline in which a statement should have stopped itself. */
const GRACE = 50;

/** Milliseconds that the first thread may need to begin. */
const BEGINNING = 1_000;

interface Task {
  readonly query: Sequence;
  readonly milliseconds: number;
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
  /** Ends its wait for a reader, then its wait for an answer. */
  timer: NodeJS.Timeout;
}

interface Reader {
  readonly worker: Worker;
  /** Under way, even when its caller waits no longer. */
  task: Task | undefined;
  /** Its task is past its time and has not stopped: SQLite sorts, or searches for long between two rows. */
  stuck: boolean;
}

/**
 * Threads for queries that visit many rows, started when first needed. One that does not stop in time is replaced until it
 * does: nothing can stop it, but others need not wait for it.
 */
export class Pool {
  readonly #file: string;
  readonly #size: number;
  readonly #readers = new Set<Reader>();
  readonly #waiting = new Set<Task>();
  #hasBegun = false;
  #closed = false;

  /** @param size threads at work; as many again may be stuck */
  constructor(file: string, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /**
   * The query's rows, within so many milliseconds from when a reader takes it: what others keep readers busy with is no
   * part of its time. It waits for one as long at most.
   * @throws QueryTimeout | StoreBusy
   */
  all(query: Sequence, milliseconds: number): Promise<readonly unknown[]> {
    if (this.#closed) return Promise.reject(new Error("the store is closed"));
    const reader = this.#idleReader();
    const isFull = this.#waiting.size >= this.#size * WAITING || this.#isStuck();
    if (reader === undefined && isFull) return Promise.reject(new StoreBusy());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#waitedTooLong(task), milliseconds).unref();
      const task: Task = { query, milliseconds, resolve, reject, timer };
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
    let atWork = 0;
    let idle: Reader | undefined;
    for (const reader of this.#readers) {
      if (reader.task === undefined) idle = reader;
      else if (!reader.stuck) atWork += 1;
    }
    if (atWork >= this.#size) return undefined;
    return idle ?? (this.#readers.size < STUCK * this.#size ? this.#open() : undefined);
  }

  /** As many readers as there may be are stuck, and nobody knows when one will be free. */
  #isStuck(): boolean {
    if (this.#readers.size < STUCK * this.#size) return false;
    for (const { stuck } of this.#readers) if (!stuck) return false;
    return true;
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
    const { query, milliseconds } = task;
    clearTimeout(task.timer);
    const patience = milliseconds + GRACE + (this.#hasBegun ? 0 : BEGINNING);
    task.timer = setTimeout(() => this.#ranTooLong(reader, task), patience).unref();
    // Only a query under way keeps the process alive.
    reader.worker.ref();
    const { first, others, limit, texts } = query;
    const statements = [first, ...others.map((other) => other())].map(({ sql, parameters }) => ({
      sql: forReader(sql),
      parameters,
    }));
    const order: Order = { statements, limit, texts, milliseconds };
    reader.worker.postMessage(order);
  }

  #waitedTooLong(task: Task): void {
    this.#waiting.delete(task);
    task.reject(new StoreBusy());
  }

  /** Nobody waits for the task any longer; another thread takes this one's place. */
  #ranTooLong(reader: Reader, task: Task): void {
    reader.stuck = true;
    task.reject(new QueryTimeout());
    if (this.#isStuck()) this.#refuseWaiting(new StoreBusy());
    else this.#serveNext();
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
    this.#serveNext();
  }

  #serveNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    const reader = this.#idleReader();
    if (reader === undefined) return;
    this.#waiting.delete(next);
    this.#start(reader, next);
  }

  #lost(reader: Reader, error: unknown): void {
    this.#readers.delete(reader);
    clearTimeout(reader.task?.timer);
    reader.task?.reject(error);
    reader.task = undefined;
    if (!this.#closed) this.#serveNext();
  }
}

function ended(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.ref();
    worker.once("exit", () => resolve());
    worker.postMessage("close");
  });
}
