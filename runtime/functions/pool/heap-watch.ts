import { Session } from "node:inspector";
import type { FunctionThread } from "./thread.ts";

/** Milliseconds after which a run is looked at. */
const awhile = 10;

/**
 * Holds threads to the memory of their functions. V8's own limit of a thread would end the process with it (see worker.ts), and
 * a handler that loops looks at nothing itself; but V8 answers a debugger in the midst of any loop. So those whose runs
 * have been going on for a while are asked how large their heap is, and where it is too large, how large it is without what
 * is garbage. Runs that are over before somebody looks take no longer for it.
 */
export class HeapWatch {
  readonly #asked = new Map<number, (answer: unknown) => void>();
  /** Sessions of the debugger, by id of the thread. */
  readonly #sessions = new Map<number, string>();
  /** Threads whose answer has not come yet. */
  readonly #busy = new Set<FunctionThread>();
  #session: Session | undefined;
  #questions = 0;

  /** To be called every few milliseconds of a run. */
  look(thread: FunctionThread): void {
    const { running = 0 } = thread;
    if (running >= awhile && !this.#busy.has(thread) && thread.hasWorked()) void this.#check(thread);
  }

  close(): void {
    this.#session?.disconnect();
  }

  async #check(thread: FunctionThread): Promise<void> {
    this.#session ??= this.#opened();
    const session = this.#sessions.get(thread.id);
    if (session === undefined) return;
    this.#busy.add(thread);
    const used = await this.#used(session);
    if (used > thread.memory) {
      void this.#ask(session, "HeapProfiler.collectGarbage");
      if ((await this.#used(session)) > thread.memory) thread.exhausted();
    }
    this.#busy.delete(thread);
  }

  /** Bytes of the heap. */
  async #used(session: string): Promise<number> {
    const answer = await this.#ask(session, "Runtime.getHeapUsage");
    return isUsage(answer) ? answer.usedSize : 0;
  }

  #ask(sessionId: string, method: string): Promise<unknown> {
    return new Promise((resolve) => {
      const id = ++this.#questions;
      this.#asked.set(id, resolve);
      const message = JSON.stringify({ id, method });
      this.#session?.post("NodeWorker.sendMessageToWorker", { sessionId, message }, (error) => {
        // It has ended.
        if (error !== null) this.#answered(id, undefined);
      });
    });
  }

  #answered(id: number, answer: unknown): void {
    this.#asked.get(id)?.(answer);
    this.#asked.delete(id);
  }

  #opened(): Session {
    const session = new Session();
    session.connect();
    session.on("NodeWorker.attachedToWorker", ({ params: { sessionId, workerInfo } }) => {
      const [, thread] = /^\[worker (\d+)\]/.exec(workerInfo.title) ?? [];
      this.#sessions.set(Number(thread), sessionId);
    });
    session.on("NodeWorker.detachedFromWorker", ({ params: { sessionId } }) => {
      for (const [thread, known] of this.#sessions) if (known === sessionId) this.#sessions.delete(thread);
    });
    session.on("NodeWorker.receivedMessageFromWorker", ({ params: { message } }) => {
      const { id, result }: { id?: unknown; result?: unknown } = JSON.parse(message);
      if (typeof id === "number") this.#answered(id, result);
    });
    session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
    return session;
  }
}

function isUsage(answer: unknown): answer is { readonly usedSize: number } {
  return typeof answer === "object" && answer !== null && "usedSize" in answer;
}
