import { join } from "node:path";
import type { EventLoopUtilization } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { printSize } from "../../units.ts";
import type { FunctionFiles, FunctionHost, HostReply, LogLine, Outcome, Result, Run } from "../invocation.ts";
import type { FromThread, FunctionSetup, ThreadBounds, ToThread } from "../messages.ts";
import { entryName } from "./files.ts";
import { listen } from "./waiting.ts";

/**
 * V8 ends the whole process, not the thread alone, where a heap at its limit needs a large piece at once: the backing of a
 * growing array or map. So the limit that V8 knows is so many bytes further, and {@link HeapWatch} holds the function's own.
 */
const headroom = 2 * 1024 ** 3;
/** Bytes for what is young. */
const young = 16 * 1024 ** 2;
/** Milliseconds that a thread may take to start. */
const startingTime = 30_000;
/** Milliseconds that a handler has to end by itself once its signal is aborted. */
const grace = 1_000;

export interface ThreadListener {
  /** It can run the next. */
  free(thread: FunctionThread): void;
  /** It is no more. */
  ended(thread: FunctionThread): void;
}

interface Current {
  readonly id: number;
  readonly run: Run;
  readonly logs: LogLine[];
  readonly settle: (outcome: Outcome) => void;
  readonly abort: () => void;
  began: number;
  timer: NodeJS.Timeout | undefined;
}

/** A thread: at first a spare, then of one function, for which it runs one after another. */
export class FunctionThread {
  /** Bytes of its heap. */
  readonly memory: number;
  readonly #worker: Worker;
  readonly #listener: ThreadListener;
  /** What it runs; undefined: it is a spare. */
  owner: string | undefined;
  /** When it ran last; of `performance.now()`. */
  idleSince = performance.now();
  #current: Current | undefined;
  #isUp = false;
  #isEnded = false;
  #runs = 0;
  #utilization: EventLoopUtilization;
  #gone: Promise<unknown> = Promise.resolve();
  #waiting: ToThread[] = [];

  constructor(files: FunctionFiles, memory: number, bounds: ThreadBounds, listener: ThreadListener) {
    this.memory = memory;
    this.#listener = listener;
    this.#worker = new Worker(pathToFileURL(join(files.folder, entryName)), {
      name: "function",
      workerData: bounds,
      // Nothing of the server's own.
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: Math.ceil((memory + headroom) / 1024 ** 2),
        maxYoungGenerationSizeMb: young / 1024 ** 2,
      },
    });
    this.#worker.on("message", (messages: readonly FromThread[]) => {
      for (const message of messages) this.#receive(message);
    });
    this.#worker.on("error", (error) => this.#crashed(`the thread failed: ${messageOf(error)}`));
    this.#worker.on("exit", () => this.#crashed("the thread was ended by what ran in it"));
    this.#utilization = this.#worker.performance.eventLoopUtilization();
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
  }

  get id(): number {
    return this.#worker.threadId;
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** Milliseconds since its run began; undefined where none is under way. */
  get running(): number | undefined {
    return this.#current && this.#isUp ? performance.now() - this.#current.began : undefined;
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
  load(owner: string, setup: FunctionSetup): void {
    this.owner = owner;
    this.#post({ kind: "load", setup });
  }

  /** Runs what its function is asked for, while nothing else is under way in it. */
  run(run: Run): Promise<Outcome> {
    return new Promise((settle) => {
      const id = ++this.#runs;
      const abort = () => this.#abort();
      this.#current = { id, run, logs: [], settle, abort, began: performance.now(), timer: undefined };
      listen(run.signal, abort);
      const { input, requestId, caller, secrets } = run;
      this.#post({ kind: "run", run: id, input, requestId, caller, secrets });
      if (this.#isUp) this.#limit(this.#current);
      else this.#current.timer = setTimeout(() => this.#crashed("the thread did not start"), startingTime);
    });
  }

  /** Ends it, and what it runs. */
  end(result: Result = { kind: "cancelled" }): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#gone = this.#worker.terminate();
    this.#settle(result);
    this.#listener.ended(this);
  }

  /** Ends what takes more memory than it may. */
  exhausted(): void {
    this.end(failed(`it took more memory than its ${printSize(this.memory)}`));
  }

  #receive(message: FromThread): void {
    if (message.kind === "up") {
      this.#up();
      return;
    }
    const current = this.#current;
    if (current === undefined || current.id !== message.run) return;
    switch (message.kind) {
      case "request":
        void this.#answer(current, message);
        break;
      case "log":
        current.logs.push(message.line);
        current.run.host.log(message.line);
        break;
      case "done":
        this.#done(message.result, message.clean);
    }
  }

  #up(): void {
    this.#isUp = true;
    if (this.#current === undefined) return;
    this.#current.began = performance.now();
    this.#limit(this.#current);
  }

  #limit(current: Current): void {
    clearTimeout(current.timer);
    current.timer = setTimeout(() => this.end({ kind: "timeout" }), current.run.definition.timeout);
  }

  async #answer(current: Current, { run, id, request }: FromThread & { kind: "request" }): Promise<void> {
    const reply = await answerOf(current.run.host, request);
    if (this.#current === current) this.#postLater({ kind: "reply", run, request: id, reply });
  }

  #done(result: Result, clean: boolean): void {
    if (clean) {
      this.#settle(result);
      this.#listener.free(this);
    } else {
      this.end(result);
    }
  }

  #abort(): void {
    if (this.#current === undefined) return;
    this.#post({ kind: "abort", run: this.#current.id });
    clearTimeout(this.#current.timer);
    this.#current.timer = setTimeout(() => this.end(), grace);
  }

  #crashed(reason: string): void {
    this.end(failed(reason));
  }

  #settle(result: Result): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    this.idleSince = performance.now();
    clearTimeout(current.timer);
    const { run, logs, began } = current;
    run.signal.removeEventListener("abort", current.abort);
    const duration = this.#isUp ? this.idleSince - began : 0;
    // What ends because it is told to is cancelled, however it takes that.
    const isCancelled = run.signal.aborted && result.kind !== "returned";
    current.settle({ result: isCancelled ? { kind: "cancelled" } : result, duration, logs });
  }

  #post(message: ToThread): void {
    this.#waiting.push(message);
    this.#flush();
  }

  /** With others of this turn of the event loop. */
  #postLater(message: ToThread): void {
    if (this.#waiting.push(message) === 1) setImmediate(this.#flush);
  }

  readonly #flush = () => {
    if (this.#waiting.length === 0 || this.#isEnded) return;
    const messages = this.#waiting;
    this.#waiting = [];
    this.#worker.postMessage(messages);
  };
}

function failed(reason: string): Result {
  return { kind: "failed", code: "function_failed", reason };
}

async function answerOf(
  host: FunctionHost,
  request: Parameters<FunctionHost["answer"]>[0],
): Promise<HostReply> {
  try {
    return await host.answer(request);
  } catch {
    const error = { code: "internal_error", message: "An internal error occurred.", details: [] };
    return { status: 500, body: JSON.stringify({ error }) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
