import { availableParallelism } from "node:os";
import { kept } from "../../kept.ts";
import type { FunctionFiles } from "../invocation.ts";
import type { ThreadBounds } from "../messages.ts";
import type { PooledFunction } from "./pooled-function.ts";
import { FunctionThread, type ThreadListener } from "./thread.ts";

export interface ThreadsOptions {
  readonly files: FunctionFiles;
  /** Threads at a time. */
  readonly workers: number;
  readonly bounds: ThreadBounds;
  /** Milliseconds after which a thread ends that nobody needs. */
  readonly idle: number;
}

/** Bytes of the heap of functions that declare none: of the first spare. */
const usualMemory = 128 * 1024 ** 2;
/** Milliseconds after which a spare is made in place of one that was taken: who took it goes first. */
const restocking = 250;

/** Threads that can run at a time, about: more would only hold up each other. */
export const atOnce = Math.max(2, availableParallelism());

/**
 * The threads that there are. Each is one function's for life: what its runs leave in the globals of their thread is never
 * seen by another's. One spare is kept warm for a function that has none.
 */
export class Threads implements Iterable<FunctionThread> {
  readonly #options: ThreadsOptions;
  readonly #listener: ThreadListener;
  readonly #all = new Set<FunctionThread>();
  /** Those that wait for work, by function; the one that ran last at the end. */
  readonly #idle = new Map<PooledFunction, FunctionThread[]>();
  #spare: FunctionThread | undefined;
  #spareMemory = usualMemory;
  #restocking: NodeJS.Timeout | undefined;
  #sweeping: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ThreadsOptions, listener: ThreadListener) {
    this.#options = options;
    this.#listener = listener;
    this.#stock();
  }

  [Symbol.iterator](): Iterator<FunctionThread> {
    return this.#all.values();
  }

  get size(): number {
    return this.#all.size;
  }

  /** One of the function's own that is idle. */
  idle(owner: PooledFunction): FunctionThread | undefined {
    return this.#idle.get(owner)?.pop();
  }

  /** One that is nobody's yet, where there is room for it; an idle one of another function goes in its favour. */
  fresh(memory: number): FunctionThread | undefined {
    const spare = this.#spare;
    this.#spareMemory = memory;
    this.#restock();
    if (spare?.memory === memory) {
      this.#spare = undefined;
      return spare;
    }
    if (this.#starting >= atOnce) return undefined;
    if (this.#isFull) this.#drop(this.#longestIdle() ?? spare);
    return this.#isFull ? undefined : this.#made(memory);
  }

  /** It waits for work. */
  rest(owner: PooledFunction, thread: FunctionThread): void {
    kept(this.#idle, owner, () => []).push(thread);
    this.#sweeping ??= setTimeout(this.#sweep, this.#options.idle).unref();
  }

  /** It is no more. */
  remove(thread: FunctionThread): void {
    this.#all.delete(thread);
    if (this.#spare === thread) this.#spare = undefined;
    for (const [owner, idle] of this.#idle) {
      const left = idle.filter((other) => other !== thread);
      if (left.length > 0) this.#idle.set(owner, left);
      else this.#idle.delete(owner);
    }
    this.#restock();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restocking);
    clearTimeout(this.#sweeping);
    const all = [...this.#all];
    for (const thread of all) thread.end();
    await Promise.all(all.map((thread) => thread.gone));
  }

  /** Those with runs that wait for them to start. */
  get #starting(): number {
    let starting = 0;
    for (const thread of this.#all) if (thread.isBusy && !thread.isUp) starting += 1;
    return starting;
  }

  get #isFull(): boolean {
    return this.#all.size >= this.#options.workers;
  }

  #made(memory: number): FunctionThread {
    const { files, bounds } = this.#options;
    const thread = new FunctionThread(files, memory, bounds, this.#listener);
    this.#all.add(thread);
    return thread;
  }

  #longestIdle(): FunctionThread | undefined {
    const idle = [...this.#idle.values()].flat();
    return idle.sort((a, b) => a.idleSince - b.idleSince)[0];
  }

  /** Ends one that is idle; its place is free before anybody hears of it. */
  #drop(thread: FunctionThread | undefined): void {
    if (thread === undefined) return;
    this.remove(thread);
    thread.end();
  }

  #restock(): void {
    if (!this.#isClosed) this.#restocking ??= setTimeout(() => this.#stock(), restocking).unref();
  }

  /** Makes the spare where there is none, and room for it. */
  #stock(): void {
    this.#restocking = undefined;
    if (!this.#isClosed && this.#spare === undefined && !this.#isFull) {
      this.#spare = this.#made(this.#spareMemory);
    }
  }

  readonly #sweep = () => {
    this.#sweeping = undefined;
    const before = performance.now() - this.#options.idle;
    for (const thread of [...this.#idle.values()].flat()) if (thread.idleSince <= before) this.#drop(thread);
    if (this.#idle.size > 0) this.#sweeping = setTimeout(this.#sweep, this.#options.idle / 2).unref();
  };
}
