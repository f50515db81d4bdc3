import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { FunctionFiles } from "../invocation.ts";
import type { ThreadData, ToThread } from "../messages.ts";
import { entryName } from "./files.ts";

/**
 * V8 ends the whole process, not the thread alone, where a heap at its limit needs a large piece at once: the backing of a
 * growing array or map. So the limit that V8 knows is so many bytes further, and {@link HeapWatch} holds the function's own.
 */
const headroom = 2 * 1024 ** 3;
/** Bytes for what is young. */
const young = 16 * 1024 ** 2;

/** A thread of Node that has nothing of the server's own, and nowhere to print. @param memory bytes of its heap */
export function newWorker(files: FunctionFiles, memory: number, workerData: ThreadData): Worker {
  const worker = new Worker(pathToFileURL(join(files.folder, entryName)), {
    name: "function",
    workerData,
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
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

/** What a thread is told: all of a turn of the event loop in one message. */
export class Posts {
  readonly #worker: Worker;
  #outgoing: ToThread[] = [];
  #isOver = false;

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  add(message: ToThread): void {
    if (this.#outgoing.push(message) === 1) setImmediate(this.#flush);
  }

  /** Nobody hears of what has not left. */
  end(): void {
    this.#isOver = true;
  }

  readonly #flush = () => {
    const messages = this.#outgoing;
    this.#outgoing = [];
    if (!this.#isOver) this.#worker.postMessage(messages);
  };
}
