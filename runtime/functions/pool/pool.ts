import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ApiError } from "../../errors.ts";
import type { FunctionDefinition } from "../../realm/functions.ts";
import { FunctionBusy, type Outcome, type Run, type Runner, type RunnerFigures } from "../invocation.ts";
import type { FunctionSetup } from "../messages.ts";
import { HeapWatch } from "./heap-watch.ts";
import type { FunctionThread } from "./thread.ts";
import { Threads, type ThreadsOptions } from "./threads.ts";
import { RunQueue, type Waiting } from "./waiting.ts";

export interface PoolOptions extends Omit<ThreadsOptions, "idle"> {
  /** Milliseconds that a run waits for a thread; default 2,000. */
  readonly patience?: number;
  /** Milliseconds after which a thread ends that nobody needs; default a minute. */
  readonly idle?: number;
}

/** Runs that wait at a time. */
const longestQueue = 1_000;

const cancelled: Outcome = { result: { kind: "cancelled" }, duration: 0, logs: [] };

/** Gives runs to threads, one at a time to each. */
export class Pool implements Runner {
  readonly #options: PoolOptions;
  readonly #queue: RunQueue;
  readonly #threads: Threads;
  readonly #watch: HeapWatch;
  /** Runs that were taken in, by function. */
  readonly #taken = new Map<string, number>();
  #isClosed = false;

  /** Starts the spare. */
  constructor(options: PoolOptions) {
    const { patience = 2_000, idle = 60_000 } = options;
    this.#options = options;
    this.#queue = new RunQueue({ runs: longestQueue, patience }, unavailable);
    this.#threads = new Threads({ ...options, idle }, this);
    this.#watch = new HeapWatch(this.#threads);
  }

  get figures(): RunnerFigures {
    const busy = [...this.#threads].filter((thread) => thread.isBusy).length;
    return { workers: this.#threads.size, busy, queued: this.#queue.length };
  }

  async run(run: Run): Promise<Outcome> {
    const owner = ownerOf(run.definition);
    const taken = this.#taken.get(owner) ?? 0;
    if (taken >= run.definition.concurrency) throw new FunctionBusy();
    if (run.signal.aborted || this.#isClosed) return cancelled;
    this.#taken.set(owner, taken + 1);
    try {
      return await (this.#begin(owner, run) ?? this.#queue.wait(owner, run));
    } finally {
      const left = (this.#taken.get(owner) ?? 1) - 1;
      if (left === 0) this.#taken.delete(owner);
      else this.#taken.set(owner, left);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiting of this.#queue) waiting.begin(Promise.resolve(cancelled));
    await this.#threads.close();
    this.#watch.close();
  }

  /** A thread can run the next. */
  free(thread: FunctionThread): void {
    const { owner = "" } = thread;
    const next = this.#queue.next(owner);
    if (next?.owner === owner) {
      next.begin(thread.run(next.run));
    } else {
      this.#threads.rest(owner, thread);
      this.#beginWaiting(next);
    }
  }

  /** A thread is no more. */
  ended(thread: FunctionThread): void {
    this.#threads.remove(thread);
    if (!this.#isClosed) this.#beginWaiting(this.#queue.next());
  }

  #beginWaiting(waiting: Waiting | undefined): void {
    const outcome = waiting && this.#begin(waiting.owner, waiting.run);
    if (outcome !== undefined) waiting?.begin(outcome);
  }

  /** Undefined: there is no thread for it, nor room for one. */
  #begin(owner: string, run: Run): Promise<Outcome> | undefined {
    const thread = this.#threads.idle(owner) ?? this.#fresh(owner, run.definition);
    if (thread !== undefined) this.#watch.begin();
    return thread?.run(run);
  }

  #fresh(owner: string, definition: FunctionDefinition): FunctionThread | undefined {
    const thread = this.#threads.fresh(definition.memory);
    thread?.load(owner, this.#setupOf(definition));
    return thread;
  }

  #setupOf(definition: FunctionDefinition): FunctionSetup {
    const { network, memory, mail } = definition;
    const path = join(this.#options.files.folder, "functions", `${ownerOf(definition)}.mjs`);
    return { url: pathToFileURL(path).href, network, answerBytes: memory / 4, mail };
  }
}

function unavailable(): ApiError {
  return new ApiError("unavailable", "No function can be run at the moment.");
}

/** The function, among those of all realms. */
function ownerOf({ realm, database, name }: FunctionDefinition): string {
  return `${realm}/${database}/${name}`;
}
