import type { EventLoopUtilization } from "node:perf_hooks";
import type { Worker } from "node:worker_threads";
import { printSize } from "../../units.ts";
import type { AskedFetch } from "../fetch/guarded.ts";
import type { FunctionFiles, HostRequest, Result } from "../invocation.ts";
import type { FromThread, FunctionSetup, PackedResult, ThreadBounds } from "../messages.ts";
import { packInput } from "../packing.ts";
import { type Asked, cancelled } from "./asked.ts";
import { failed, messageOf, mistold } from "./failures.ts";
import { Fetching } from "./fetching.ts";
import { Line } from "./line.ts";
import type { PooledFunction } from "./pooled-function.ts";
import { documentsTold, fetchTold, idTold, requestTold } from "./told/requests.ts";
import { lineTold, resultTold } from "./told/results.ts";
import { amount } from "./told/values.ts";
import { newWorker, Posts } from "./worker.ts";

/** Milliseconds that a thread may take to start. */
const startingTime = 30_000;
/** Milliseconds that a handler has to end by itself once its signal is aborted. */
const grace = 1_000;
/** Milliseconds of a run after which those in line behind it are to begin elsewhere. */
const slow = 5;
/** The same where it waits for the server, and that has its hands full: elsewhere it would take as long. */
const slowByServer = 25;

export interface ThreadListener {
  /** It has started: another may. */
  up(): void;
  /** It can take more. */
  free(thread: FunctionThread): void;
  /** Runs that it was given, and has not begun. */
  returned(runs: readonly Asked[]): void;
  /** It is no more. */
  ended(thread: FunctionThread): void;
}

/** A thread: at first a spare, then of one function, for which it runs one after another. */
export class FunctionThread {
  /** Bytes of its heap. */
  readonly memory: number;
  readonly #worker: Worker;
  readonly #posts: Posts;
  readonly #listener: ThreadListener;
  readonly #bounds: ThreadBounds;
  /** What it runs; undefined: it is a spare. */
  owner: PooledFunction | undefined;
  /** When it ran last; of `performance.now()`. */
  idleSince = performance.now();
  readonly #line = new Line();
  /** The number of the run that was first when somebody looked, and since when, as far as one knows. */
  #front: { readonly number: number; readonly since: number } | undefined;
  /** Nobody is to stand behind it. */
  #isSlow = false;
  /** Requests that are being answered. */
  #answering = 0;
  #secrets: Readonly<Record<string, string>> | undefined;
  #isUp = false;
  #isEnded = false;
  #isMistrusted = false;
  #utilization: EventLoopUtilization;
  #gone: Promise<unknown> = Promise.resolve();
  #fetching: Fetching | undefined;

  constructor(files: FunctionFiles, memory: number, bounds: ThreadBounds, listener: ThreadListener) {
    this.memory = memory;
    this.#listener = listener;
    this.#bounds = bounds;
    this.#worker = newWorker(files, memory, { bounds, starts: this.#line.starts.buffer });
    this.#posts = new Posts(this.#worker);
    this.#worker.on("message", (messages: readonly FromThread[]) => this.#told(messages));
    this.#worker.on("error", (error) => this.#crashed(`the thread failed: ${messageOf(error)}`));
    this.#worker.on("exit", () => this.#exited());
    this.#utilization = this.#worker.performance.eventLoopUtilization();
  }

  get id(): number {
    return this.#worker.threadId;
  }

  /** It has started. */
  get isUp(): boolean {
    return this.#isUp;
  }

  get isBusy(): boolean {
    return this.#line.length > 0;
  }

  /** Runs that stand in line and have not begun. */
  get waiting(): number {
    return Math.min(this.#line.waiting, this.#line.length - 1);
  }

  /** Milliseconds of the run that is under way, nearly; undefined where none is. */
  get running(): number | undefined {
    return this.#front && this.#isUp ? performance.now() - this.#front.since : undefined;
  }

  /** Resolves when nothing of it is there any more, once it is ended. */
  get gone(): Promise<unknown> {
    return this.#gone;
  }

  /** Whether it did anything but wait, for the most part, since this was asked last. */
  hasWorked(): boolean {
    const { eventLoopUtilization } = this.#worker.performance;
    const now = eventLoopUtilization();
    const { utilization } = eventLoopUtilization(now, this.#utilization);
    this.#utilization = now;
    return utilization > 0.5;
  }

  /** Makes it the function's, for good. */
  load(owner: PooledFunction, setup: FunctionSetup, network: readonly string[]): void {
    this.owner = owner;
    this.#fetching = new Fetching({ network, most: this.memory / 4 });
    this.#posts.add(["load", setup]);
  }

  /** Whether another run may stand in its line, in which at most so many wait then. */
  hasRoom(waiting: number): boolean {
    return this.#isUp && !this.#isEnded && !this.#isSlow && !this.#line.isFull && this.waiting < waiting;
  }

  /** Runs it after those in line. */
  take(asked: Asked): void {
    asked.place = this;
    const { input, requestId, caller, secrets } = asked.run;
    if (secrets !== this.#secrets) {
      this.#secrets = secrets;
      this.#posts.add(["secrets", secrets]);
    }
    this.#posts.add(["run", this.#line.add(asked), requestId, packInput(input), caller]);
  }

  /** Ends one that stands in its line, if by itself, in time. */
  cancel(asked: Asked): void {
    if (this.#line.withdraw(asked)) {
      asked.settle(cancelled);
      if (!this.isBusy) this.#free();
      return;
    }
    const { front } = this.#line;
    if (front?.asked !== asked) return;
    this.#posts.add(["abort", front.number]);
    setTimeout(() => this.#endIf(front.number, cancelled), grace).unref();
  }

  /** What it runs takes long, as far as one has seen. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** To be called every few milliseconds, as long as it is busy. @param isFull the server has its hands full */
  look(now: number, isFull: boolean): void {
    const { front } = this.#line;
    if (front === undefined || front.number !== this.#front?.number) {
      this.#front = front && { number: front.number, since: now };
      this.#isSlow = false;
      return;
    }
    const time = now - this.#front.since;
    if (!this.#isUp) {
      if (time >= startingTime) this.#crashed("the thread did not start");
      return;
    }
    if (time < (isFull && this.#waitsForServer ? slowByServer : slow)) return;
    this.#isSlow = true;
    if (this.#line.length > 1) this.#listener.returned(this.#line.withdrawAll(front));
    // What it has told meanwhile comes first.
    if (time >= front.asked.run.definition.timeout)
      setImmediate(() => this.#endIf(front.number, { kind: "timeout" }));
  }

  /** Ends it, and what it runs. */
  end(result: Result = cancelled): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#posts.end();
    this.#gone = this.#worker.terminate();
    this.#fetching?.close();
    const back = this.#line.withdrawAll();
    const { front } = this.#line;
    // What came of those before it is on its way.
    if (front !== undefined) this.#settle(front.number, result);
    this.#listener.ended(this);
    this.#listener.returned(back);
  }

  /** Ends what takes more memory than it may. */
  exhausted(): void {
    this.end(failed(`it took more memory than its ${printSize(this.memory)}`));
  }

  #endIf(run: number, result: Result): void {
    if (this.#line.front?.number === run) this.end(result);
  }

  #crashed(reason: string): void {
    // It may be that none ever starts.
    if (!this.#isUp) for (const asked of this.#line.withdrawAll()) asked.settle(failed(reason));
    this.end(failed(reason));
  }

  #exited(): void {
    const reason = "the thread was ended by what ran in it";
    this.#crashed(reason);
    for (const asked of this.#line.clear()) asked.settle(failed(reason));
  }

  /** Of a function whose runs mostly wait: what is short has not asked anybody. */
  get #waitsForServer(): boolean {
    return this.#answering > 0 && this.owner?.inLine === 0;
  }

  /** Milliseconds that a run has taken, as far as one has seen. */
  #timeOf(run: number): number {
    return run === this.#front?.number ? (this.running ?? 0) : 0;
  }

  /** Once a thread has told what it cannot, nothing is believed any more: not what became of that run either. */
  #told(messages: readonly FromThread[]): void {
    if (this.#isMistrusted) return;
    try {
      for (const message of messages) this.#receive(message);
    } catch {
      this.#isMistrusted = true;
      const { telling } = this.#line;
      if (telling !== undefined) this.#settle(telling.number, failed(mistold));
      this.#crashed(mistold);
    }
  }

  #receive(message: FromThread): void {
    switch (message[0]) {
      case "up":
        this.#isUp = true;
        this.#front = undefined;
        this.#listener.up();
        return;
      case "documents":
        return void this.#answer(message[1], idTold(message[2]), documentsTold(message));
      case "request":
        return void this.#answer(message[1], idTold(message[2]), requestTold(message[3]));
      case "fetch":
        return void this.#fetch(message[1], idTold(message[2]), fetchTold(message[3]));
      case "unfetch":
        this.#fetching?.stop(message[1], idTold(message[2]));
        return;
      case "log":
        this.#line.find(message[1])?.log(lineTold(message[2]));
        return;
      case "done":
        this.#done(message[1], message[2], amount(message[3]), message[4]);
        return;
      default:
        throw new TypeError("a thread tells nothing of this kind");
    }
  }

  async #answer(run: number, id: number, request: HostRequest): Promise<void> {
    const asked = this.#line.find(run);
    if (asked === undefined || this.#isEnded) return;
    this.#answering += 1;
    const reply = await asked.answer(request);
    this.#answering -= 1;
    const { status, headers, body } = reply;
    if (this.#line.find(run) === asked) this.#posts.add(["reply", run, id, status, headers?.["etag"], body]);
  }

  async #fetch(run: number, id: number, asked: AskedFetch): Promise<void> {
    if (this.#isEnded || this.#line.find(run) === undefined) return;
    const reply = await this.#fetching?.answer(run, id, asked);
    if (reply !== undefined && this.#line.find(run) !== undefined)
      this.#posts.add(["fetched", run, id, reply]);
  }

  #done(run: number, packed: PackedResult, duration: number, clean: boolean): void {
    this.#settle(run, resultTold(packed, this.#bounds.outputBytes), duration);
    if (this.#isEnded) return;
    this.#fetching?.stop(run);
    this.#front = undefined;
    this.#isSlow = false;
    this.owner?.took(duration);
    if (clean) this.#free();
    else this.end();
  }

  #free(): void {
    this.idleSince = performance.now();
    this.#listener.free(this);
  }

  #settle(run: number, result: Result, duration = this.#timeOf(run)): void {
    const asked = this.#line.find(run);
    this.#line.delete(run);
    asked?.settle(result, duration);
  }
}
