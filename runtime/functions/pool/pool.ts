import { join } from "node:path";
import { unavailable } from "../../errors.ts";
import { kept } from "../../kept.ts";
import type { FunctionDefinition } from "../../realm/functions.ts";
import { FunctionBusy, type Outcome, type Run, type Runner, type RunnerFigures } from "../invocation.ts";
import type { FunctionSetup } from "../messages.ts";
import { Asked, cancelled } from "./asked.ts";
import { Endings } from "./endings.ts";
import { Load } from "./load.ts";
import { PooledFunction } from "./pooled-function.ts";
import type { FunctionThread } from "./thread.ts";
import { atOnce, Threads, type ThreadsOptions } from "./threads.ts";
import { RunQueue } from "./waiting.ts";
import { Watch } from "./watch.ts";

export interface PoolOptions extends Omit<ThreadsOptions, "idle"> {
  /** Milliseconds that a run waits for a thread; default 2,000. */
  readonly patience?: number;
  /** Milliseconds after which a thread ends that nobody needs; default a minute. */
  readonly idle?: number;
  /** Default: that of this process. */
  readonly load?: Pick<Load, "isFull">;
}

/** Runs that wait at a time. */
const longestQueue = 1_000;

/** Milliseconds that a run waits before its function is given more threads than can run at once. */
const hurry = 10;

/** Runs that a thread knows of ahead of their turn, where more wait: it goes on without being woken. */
const ahead = 1;

/**
 * Gives runs to threads, each of which runs one at a time. Runs of a function whose last ones were short stand in line for
 * a thread, so that several share a message, and where others wait anyway, one does; from behind one that takes longer
 * after all they are taken back.
 */
export class Pool implements Runner {
  readonly #options: PoolOptions;
  readonly #queue: RunQueue;
  readonly #threads: Threads;
  readonly #watch: Watch;
  readonly #endings = new Endings();
  /** By path of the function's module. */
  readonly #functions = new Map<string, PooledFunction>();
  readonly #known = new WeakMap<FunctionDefinition, PooledFunction>();
  #isClosed = false;

  /** Starts the spare. */
  constructor(options: PoolOptions) {
    const { patience = 2_000, idle = 60_000, load = new Load() } = options;
    this.#options = options;
    this.#queue = new RunQueue({ runs: longestQueue, patience }, noThread);
    this.#threads = new Threads({ ...options, idle }, this);
    this.#watch = new Watch(this.#threads, load, () => this.#beginNext());
  }

  get figures(): RunnerFigures {
    const busy = [...this.#threads].filter((thread) => thread.isBusy);
    const inLine = busy.reduce((sum, thread) => sum + thread.waiting, 0);
    return { workers: this.#threads.size, busy: busy.length, queued: this.#queue.length + inLine };
  }

  run(run: Run): Promise<Outcome> {
    const owner = kept(this.#known, run.definition, () => this.#functionOf(run.definition));
    if (owner.taken >= run.definition.concurrency) return Promise.reject(new FunctionBusy());
    if (run.signal.aborted || this.#isClosed)
      return Promise.resolve({ result: cancelled, duration: 0, logs: [] });
    owner.taken += 1;
    return new Promise((resolve, reject) => {
      const over = () => {
        owner.taken -= 1;
        forget();
      };
      const asked = new Asked(owner, run, { resolve, reject }, over);
      const forget = this.#endings.listen(run.signal, () => this.#cancel(asked));
      if (!this.#begin(asked)) this.#queue.add(asked);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const asked of this.#queue) this.#cancel(asked);
    await this.#threads.close();
    this.#watch.close();
  }

  /** A thread has started. */
  up(): void {
    this.#beginNext();
  }

  /** A thread can take more. */
  free(thread: FunctionThread): void {
    const { owner } = thread;
    if (owner === undefined) return;
    for (let next = this.#queue.next(owner); next?.owner === owner; next = this.#queue.next(owner)) {
      if (thread.isBusy && !thread.hasRoom(Math.max(owner.inLine, ahead))) return;
      this.#queue.delete(next);
      thread.take(next);
    }
    if (thread.isBusy) return;
    this.#threads.rest(owner, thread);
    this.#beginNext();
  }

  /** Runs that have not begun are to begin elsewhere. */
  returned(all: readonly Asked[]): void {
    const waiting = all.filter((asked) => {
      asked.place = undefined;
      if (this.#isClosed) asked.settle(cancelled);
      return !this.#isClosed && !this.#begin(asked);
    });
    this.#queue.addFirst(waiting);
  }

  /** A thread is no more. */
  ended(thread: FunctionThread): void {
    this.#threads.remove(thread);
    if (!this.#isClosed) this.#beginNext();
  }

  #cancel(asked: Asked): void {
    if (asked.place !== undefined) {
      asked.place.cancel(asked);
    } else {
      this.#queue.delete(asked);
      asked.settle(cancelled);
    }
  }

  #beginNext(): void {
    for (let next = this.#queue.next(); next !== undefined; next = this.#queue.next()) {
      if (!this.#begin(next)) return;
      this.#queue.delete(next);
    }
  }

  /** False: there is no thread for it, nor room for one. */
  #begin(asked: Asked): boolean {
    const { owner } = asked;
    const thread = this.#inLine(owner) ?? this.#threads.idle(owner) ?? this.#fresh(asked);
    if (thread === undefined) return false;
    thread.take(asked);
    this.#watch.begin();
    return true;
  }

  /** One of the function's own that is about to be through with what it has; not where others wait for a thread. */
  #inLine(owner: PooledFunction): FunctionThread | undefined {
    const most = this.#queue.length > 0 ? 0 : owner.inLine;
    if (most === 0) return undefined;
    for (const thread of this.#threads)
      if (thread.owner === owner && thread.isBusy && thread.hasRoom(most)) return thread;
    return undefined;
  }

  #fresh({ owner, since, run: { definition } }: Asked): FunctionThread | undefined {
    if (!this.#mayGrow(owner, since)) return undefined;
    const thread = this.#threads.fresh(definition.memory);
    thread?.load(owner, this.#setupOf(definition), definition.network);
    return thread;
  }

  /**
   * Each thread costs what compiling a handler costs, and wakes the server by itself: beyond the first ones a function gets
   * one more where its runs wait, and, where the server itself is what they wait for, not before that takes long.
   */
  #mayGrow(owner: PooledFunction, since: number): boolean {
    const own = [...this.#threads].filter((thread) => thread.owner === owner);
    if (own.length < atOnce) return true;
    if (this.#watch.isFull) return own.every((thread) => thread.isSlow || !thread.isUp);
    return performance.now() - since >= hurry;
  }

  #functionOf(definition: FunctionDefinition): PooledFunction {
    return kept(this.#functions, pathOf(definition), () => new PooledFunction());
  }

  #setupOf(definition: FunctionDefinition): FunctionSetup {
    const { network, mail } = definition;
    const path = join(this.#options.files.folder, "functions", pathOf(definition));
    return { path, fetches: network.length > 0, mail };
  }
}

function noThread(): Error {
  return unavailable("No function can be run at the moment.");
}

/** Of its module, among those of all realms. */
function pathOf({ realm, database, name }: FunctionDefinition): string {
  return `${realm}/${database}/${name}.cjs`;
}
