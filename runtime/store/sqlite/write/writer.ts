import { ForeignWrite, StoreBusy, StoreUnavailable } from "../../contract/errors.ts";
import { isBusy } from "../driver.ts";
import type { Reads } from "../reads.ts";
import { type Job, type Scope, StatementJob, TransactionJob } from "./jobs.ts";

/** What writes are bounded by; milliseconds where nothing else is said. */
export interface WriterLimits {
  /** Between attempts to write while another process does. */
  readonly retryAfter: number;
  /** Until the writes fail that wait for another process. */
  readonly giveUpAfter: number;
  /** After which a group takes no more jobs: it has saved the disk the waiting that counts, and others want their turn. */
  readonly groupTime: number;
  /** For a transaction that awaits something else than its own operations: nobody else can write meanwhile. */
  readonly transactionTime: number;
  /** In which a write should be done, or the store is not well. */
  readonly healthTime: number;
  /** Bytes that may wait, about a second's worth. One job alone may be larger. */
  readonly queuedBytes: number;
  /** The time of a monotonic clock. */
  readonly now: () => number;
}

const defaultLimits: WriterLimits = {
  retryAfter: 5,
  giveUpAfter: 5_000,
  groupTime: 10,
  transactionTime: 1_000,
  healthTime: 2_000,
  queuedBytes: 2 ** 25,
  now: () => performance.now(),
};

/**
 * Group commit: the writes of one turn of the event loop share one transaction, and one wait for the disk. Each of them
 * fails by itself; none is answered before the group is durable.
 *
 * The operations of a transaction end at once. So one that awaits nothing else is done before anything else runs in this
 * process, and whatever asks for a write meanwhile is its work, which would wait for its own end.
 */
export class Writer {
  readonly #reads: Reads;
  readonly #committed: () => void;
  readonly #limits: WriterLimits;
  #queue: Job[] = [];
  #queuedBytes = 0;
  /** A group runs, or is about to. */
  #busy = false;
  /** When the group under way began. */
  #began = 0;
  /** What the group under way waits for. */
  #awaited: Job | undefined;
  /** It has outlasted the turn of the event loop: ends it when it takes too long. */
  #patience: NodeJS.Timeout | undefined;
  #lockedSince: number | undefined;
  #closing = false;
  readonly #idle: (() => void)[] = [];
  #probe: Promise<void> | undefined;

  /** `committed` is called after each commit, before the writes in it are answered. */
  constructor(reads: Reads, committed: () => void, limits: Partial<WriterLimits> = {}) {
    this.#reads = reads;
    this.#committed = committed;
    this.#limits = { ...defaultLimits, ...limits };
  }

  /**
   * Runs a write that leaves nothing behind when it fails, such as a single statement.
   * @param bytes what it holds while it waits
   * @throws StoreBusy | ForeignWrite
   */
  write<T>(work: () => T, bytes = 0): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#add(new StatementJob(work, bytes, { resolve, reject }));
    });
  }

  /**
   * Runs work whose writes take effect together or, when it throws, not at all.
   * @param bytes what it holds while it waits
   * @throws StoreBusy | ForeignWrite | TransactionTimeout
   */
  transaction<T>(work: (scope: Scope) => Promise<T>, bytes = 0): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#add(new TransactionJob(this.#reads.writing, work, bytes, { resolve, reject }));
    });
  }

  /** @throws StoreUnavailable where a write would not be done in time */
  async check(): Promise<void> {
    const { healthTime } = this.#limits;
    this.#probe ??= this.write(() => undefined).finally(() => {
      this.#probe = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const why = new Error(`no write was done within ${healthTime} ms`);
      timer = setTimeout(() => reject(new StoreUnavailable(why)), healthTime);
    });
    await Promise.race([this.#probe, late]).finally(() => clearTimeout(timer));
  }

  /** Refuses further writes and waits for those under way. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#busy) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #add(job: Job): void {
    const refusal = this.#refusal(job);
    if (refusal !== undefined) {
      job.fail(refusal);
      return;
    }
    this.#queuedBytes += job.bytes;
    this.#queue.push(job);
    if (this.#busy) return;
    this.#busy = true;
    setImmediate(this.#flush);
  }

  #refusal({ bytes }: Job): Error | undefined {
    if (this.#closing) return new Error("the store is closed");
    if (this.#awaited !== undefined && this.#patience === undefined) return new ForeignWrite();
    const isFull = this.#queuedBytes > 0 && this.#queuedBytes + bytes > this.#limits.queuedBytes;
    return bytes > 0 && isFull ? new StoreBusy("writes") : undefined;
  }

  readonly #flush = (): void => {
    if (!this.#begin()) return;
    const group = this.#queue;
    this.#queue = [];
    this.#began = this.#limits.now();
    this.#start(group, 0);
  };

  #begin(): boolean {
    try {
      this.#reads.beginGroup();
      this.#lockedSince = undefined;
      return true;
    } catch (error) {
      const now = performance.now();
      this.#lockedSince ??= now;
      if (isBusy(error) && now - this.#lockedSince < this.#limits.giveUpAfter) {
        setTimeout(this.#flush, this.#limits.retryAfter);
        return false;
      }
      this.#lockedSince = undefined;
      const group = this.#queue;
      this.#queue = [];
      this.#lose(group, isBusy(error) ? new StoreBusy("writes") : error);
      return false;
    }
  }

  /** In a turn of the event loop in which nothing has run yet. */
  #start(group: Job[], at: number): void {
    // Ticks come after the last of the microtasks, before anything else.
    queueMicrotask(() => process.nextTick(this.#ranOn));
    this.#run(group, at);
  }

  /** Runs the group from `at` on, without a pause as long as nothing is to be awaited. */
  #run(group: Job[], at: number): void {
    const { database } = this.#reads.writing;
    for (let next = at; next < group.length; next++) {
      if (next > 0 && this.#limits.now() - this.#began >= this.#limits.groupTime) {
        this.#queue = [...group.splice(next), ...this.#queue];
        break;
      }
      // On some failures (disk full, out of memory) SQLite undoes the whole transaction; nothing may run outside of it.
      if (!database.isTransaction) break;
      const job = group[next];
      this.#awaited = job;
      const pending = job?.run();
      if (pending !== undefined) {
        pending.then(() => this.#goOn(group, next + 1));
        return;
      }
      this.#awaited = undefined;
    }
    this.#commit(group);
  }

  #goOn(group: Job[], at: number): void {
    this.#awaited = undefined;
    if (this.#patience === undefined) {
      this.#run(group, at);
      return;
    }
    clearTimeout(this.#patience);
    this.#patience = undefined;
    // Others may have work in this turn.
    setImmediate(() => this.#start(group, at));
  }

  /** At the end of a turn in which a group ran. What it still waits for, it should not. */
  readonly #ranOn = (): void => {
    const job = this.#awaited;
    if (job === undefined) return;
    this.#patience ??= setTimeout(() => job.giveUp?.(), this.#limits.transactionTime);
  };

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
    for (const job of group) {
      this.#queuedBytes -= job.bytes;
      job.finish();
    }
    this.#next();
  }

  #lose(group: readonly Job[], error: unknown): void {
    this.#reads.endGroup();
    for (const job of group) {
      this.#queuedBytes -= job.bytes;
      job.fail(error);
    }
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
