import { TransactionTimeout } from "../../contract/errors.ts";
import type { Connection } from "../connection.ts";

/** A write waiting for its group. */
export interface Job {
  /** What it holds while it waits. */
  readonly bytes: number;
  /** Answers a promise only where the work has to be awaited. Never throws, never rejects. */
  run(): Promise<void> | undefined;
  /** Where the work that is awaited takes too long: undoes it, and ends the wait. */
  giveUp?(): void;
  /** The group is durable: tells the caller what the work came to. */
  finish(): void;
  /** The group is lost, or the job does not run at all. */
  fail(error: unknown): void;
}

/** How a caller is told. */
interface Caller<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

const unfinished = (): void => {
  throw new Error("the write has not run");
};

/** Work that leaves nothing behind when it fails, such as a single statement. */
export class StatementJob<T> implements Job {
  readonly bytes: number;
  finish = unfinished;
  readonly #work: () => T;
  readonly #caller: Caller<T>;

  constructor(work: () => T, bytes: number, caller: Caller<T>) {
    this.bytes = bytes;
    this.#work = work;
    this.#caller = caller;
  }

  run(): undefined {
    const { resolve, reject } = this.#caller;
    try {
      const value = this.#work();
      this.finish = () => resolve(value);
    } catch (error) {
      this.finish = () => reject(error);
    }
  }

  fail(error: unknown): void {
    this.#caller.reject(error);
  }
}

/** A transaction as its work knows it. */
export interface Scope {
  /** @throws Error once the transaction has ended */
  check(): void;
}

/** Work whose writes take effect together or, when it throws or takes too long, not at all. */
export class TransactionJob<T> implements Job, Scope {
  readonly bytes: number;
  finish = unfinished;
  readonly #writing: Connection;
  readonly #work: (scope: Scope) => Promise<T>;
  readonly #caller: Caller<T>;
  #hasEnded = false;
  #end = (): void => undefined;

  constructor(writing: Connection, work: (scope: Scope) => Promise<T>, bytes: number, caller: Caller<T>) {
    this.bytes = bytes;
    this.#writing = writing;
    this.#work = work;
    this.#caller = caller;
  }

  run(): Promise<void> | undefined {
    try {
      this.#writing.prepare("SAVEPOINT work").run();
      this.#writing.commitStart = undefined;
    } catch (error) {
      this.finish = () => this.#caller.reject(error);
      return undefined;
    }
    return new Promise((end) => {
      this.#end = end;
      this.#work(this).then(
        (value) => this.#succeed(value),
        (error: unknown) => this.#undo(error),
      );
    });
  }

  giveUp(): void {
    this.#undo(new TransactionTimeout());
  }

  fail(error: unknown): void {
    this.#caller.reject(error);
  }

  check(): void {
    if (this.#hasEnded) throw new Error("the transaction has ended");
    if (!this.#writing.database.isTransaction) throw new Error("the store has undone the transaction");
  }

  #succeed(value: T): void {
    if (this.#hasEnded) return;
    try {
      this.#writing.prepare("RELEASE work").run();
    } catch (error) {
      this.#undo(error);
      return;
    }
    this.#hasEnded = true;
    this.finish = () => this.#caller.resolve(value);
    this.#end();
  }

  #undo(error: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.finish = () => this.#caller.reject(error);
    const { database } = this.#writing;
    // SQLite itself ends a transaction on some failures.
    if (database.isTransaction) database.exec("ROLLBACK TO work; RELEASE work");
    this.#end();
  }
}
