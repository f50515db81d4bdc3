import { StoreBusy } from "../contract.ts";
import { isBusy } from "./driver.ts";
import type { Reads } from "./reads.ts";

/** What to do while another process writes; milliseconds. */
export interface Patience {
  /** Between attempts. */
  readonly retryAfter: number;
  /** Until the writes that wait fail. */
  readonly giveUpAfter: number;
}

/**
 * Writes after which a group takes no more jobs: in some 15 ms it has saved the disk all the waiting that counts, and
 * reads and answers want their turn.
 */
export const GROUP_WRITES = 1000;

const defaultPatience: Patience = { retryAfter: 5, giveUpAfter: 5_000 };

/** A write waiting for its group. */
interface Job {
  /** Answers a promise only where the work has to be awaited. Never throws, never rejects. */
  readonly run: () => Promise<void> | undefined;
  /** The group is durable: tells the caller what the work came to. */
  finish: () => void;
  /** The group is lost. */
  readonly fail: (error: unknown) => void;
}

/**
 * Group commit: the writes of one turn of the event loop share one transaction, and one wait for the disk. Each of them
 * fails by itself; none is answered before the group is durable.
 */
export class Writer {
  readonly #reads: Reads;
  readonly #committed: () => void;
  readonly #patience: Patience;
  #queue: Job[] = [];
  /** Of the group under way. */
  #writes = 0;
  /** A group runs, or is about to. */
  #busy = false;
  #lockedSince: number | undefined;
  #closing = false;
  readonly #idle: (() => void)[] = [];

  /** `committed` is called after each commit, before the writes in it are answered. */
  constructor(reads: Reads, committed: () => void, patience: Patience = defaultPatience) {
    this.#reads = reads;
    this.#committed = committed;
    this.#patience = patience;
  }

  /** Runs a write that leaves nothing behind when it fails, such as a single statement. */
  write<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const job: Job = {
        run: () => {
          try {
            const value = work();
            job.finish = () => resolve(value);
          } catch (error) {
            job.finish = () => reject(error);
          }
          return undefined;
        },
        finish: unfinished,
        fail: reject,
      };
      this.#add(job);
    });
  }

  /** Runs work whose writes take effect together or, when it throws, not at all. */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const { writing } = this.#reads;
      const job: Job = {
        run: async () => {
          try {
            writing.prepare("SAVEPOINT work").run();
            const value = await work();
            writing.prepare("RELEASE work").run();
            job.finish = () => resolve(value);
          } catch (error) {
            job.finish = () => reject(error);
            if (writing.database.isTransaction) writing.database.exec("ROLLBACK TO work; RELEASE work");
          }
        },
        finish: unfinished,
        fail: reject,
      };
      this.#add(job);
    });
  }

  /** Counts a write of the group under way. */
  wrote(): void {
    this.#writes += 1;
  }

  /** Refuses further writes and waits for those under way. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#busy) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #add(job: Job): void {
    if (this.#closing) {
      job.fail(new Error("the store is closed"));
      return;
    }
    this.#queue.push(job);
    if (this.#busy) return;
    this.#busy = true;
    setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    if (!this.#begin()) return;
    const group = this.#queue;
    this.#queue = [];
    this.#writes = 0;
    this.#run(group, 0);
  };

  #begin(): boolean {
    try {
      this.#reads.beginGroup();
      this.#lockedSince = undefined;
      return true;
    } catch (error) {
      const now = performance.now();
      this.#lockedSince ??= now;
      if (isBusy(error) && now - this.#lockedSince < this.#patience.giveUpAfter) {
        setTimeout(this.#flush, this.#patience.retryAfter);
        return false;
      }
      this.#lockedSince = undefined;
      const group = this.#queue;
      this.#queue = [];
      this.#lose(group, isBusy(error) ? new StoreBusy() : error);
      return false;
    }
  }

  /** Runs the group from `at` on, without a pause as long as nothing is to be awaited. */
  #run(group: Job[], at: number): void {
    const { database } = this.#reads.writing;
    for (let next = at; next < group.length; next++) {
      if (this.#writes >= GROUP_WRITES) {
        this.#queue = [...group.splice(next), ...this.#queue];
        break;
      }
      // On some failures (disk full, out of memory) SQLite undoes the whole transaction; nothing may run outside of it.
      if (!database.isTransaction) break;
      const pending = group[next]?.run();
      if (pending !== undefined) {
        pending.then(() => this.#run(group, next + 1));
        return;
      }
    }
    this.#commit(group);
  }

  #commit(group: readonly Job[]): void {
    const { writing } = this.#reads;
    try {
      if (!writing.database.isTransaction)
        throw new Error("the store undid a group of writes, probably for want of space");
      writing.prepare("COMMIT").run();
    } catch (error) {
      if (writing.database.isTransaction) writing.database.exec("ROLLBACK");
      this.#lose(group, error);
      return;
    }
    this.#reads.endGroup();
    this.#committed();
    for (const job of group) job.finish();
    this.#next();
  }

  #lose(group: readonly Job[], error: unknown): void {
    this.#reads.endGroup();
    for (const job of group) job.fail(error);
    this.#next();
  }

  #next(): void {
    if (this.#queue.length > 0) {
      setImmediate(this.#flush);
      return;
    }
    this.#busy = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

const unfinished = (): void => {
  throw new Error("the write has not run");
};
