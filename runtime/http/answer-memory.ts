import type { ServerResponse } from "node:http";
import { unavailable } from "../errors.ts";

/** Bytes up to which an answer is never refused: what hinders others is not it. */
export const SMALL = 65_536;

/** The memory of answers under way, from when they are read until their clients have taken them. */
export class AnswerMemory {
  /** Bytes (`SVC_ANSWER_MEMORY`). */
  readonly limit: number;
  #held = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get isFull(): boolean {
    return this.#held > this.limit;
  }

  /**
   * Whether an answer may take so many bytes in place of so many. One alone may take more than there is.
   * @throws ApiError `unavailable` where there is no room for a large one
   */
  judge(before: number, bytes: number): void {
    const others = this.#held - before;
    const isMore = bytes > before && bytes > SMALL;
    if (isMore && others > 0 && others + bytes > this.limit)
      throw unavailable("Too much of other answers is under way.");
  }

  /** An answer takes so many bytes in place of so many. */
  change(before: number, bytes: number): void {
    this.#held += bytes - before;
  }
}

/** What is written of an answer, and who hears that its client has taken it, or never will. */
interface Waiting {
  readonly response: ServerResponse;
  readonly taken: () => void;
  /** Bytes that its connection has taken, and how often these were found to be as many. */
  progress: number;
  unchanged: number;
}

/** Looks at a connection in the time that it has: these are counted, so that a busy process takes nobody's time away. */
const LOOKS = 30;

/** Answers that their clients have not taken yet. Connections that take nothing of them are ended. */
export class UntakenAnswers {
  readonly #patience: number;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  /** @param patience milliseconds in which a connection must take something */
  constructor(patience: number) {
    this.#patience = patience;
  }

  add(response: ServerResponse, taken: () => void): void {
    const waiting = { response, taken, progress: progressOf(response), unchanged: 0 };
    this.#waiting.add(waiting);
    response.once("close", () => this.#end(waiting));
    this.#timer ??= setInterval(() => this.#look(), this.#patience / LOOKS).unref();
  }

  #look(): void {
    for (const waiting of this.#waiting) {
      const { response } = waiting;
      const progress = progressOf(response);
      // A connection with nothing to take waits for us: for the answer to an earlier request, or the source of a stream.
      const waits = response.req.socket.writableLength > 0 && progress === waiting.progress;
      waiting.unchanged = waits ? waiting.unchanged + 1 : 0;
      waiting.progress = progress;
      if (waiting.unchanged === LOOKS) response.req.socket.destroy();
      // Of an answer that waits for an earlier one nobody says that its connection is gone.
      if (response.req.socket.destroyed) this.#end(waiting);
    }
  }

  #end(waiting: Waiting): void {
    if (!this.#waiting.delete(waiting)) return;
    waiting.taken();
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Bytes that the system has taken of what the connection was given. */
function progressOf({ req: { socket } }: ServerResponse): number {
  const handle = "_handle" in socket ? socket._handle : undefined;
  if (typeof handle !== "object" || handle === null) return 0;
  return figure(handle, "bytesWritten") - figure(handle, "writeQueueSize");
}

function figure(handle: object, name: string): number {
  const value: unknown = Reflect.get(handle, name);
  return typeof value === "number" ? value : 0;
}
