import type { HostReply, HostRequest, LogLine, Outcome, Result, Run } from "../invocation.ts";
import type { PooledFunction } from "./pooled-function.ts";

/** Who waits for what comes of a run. */
interface Asker {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

/** Characters of all lines of a run, a few more than a thread sends. */
const mostOfLog = 2 * 64 * 1024;

/** Where a run stands in line. */
interface Place {
  /** Ends it, if by itself, in time. */
  cancel(asked: Asked): void;
}

/** A run on its way: it waits in the queue, or stands in the line of a thread, until something comes of it. */
export class Asked {
  readonly owner: PooledFunction;
  readonly run: Run;
  /** When it came; of `performance.now()`. */
  readonly since = performance.now();
  /** The thread in whose line it stands; undefined: it waits in the queue. */
  place: Place | undefined;
  readonly #asker: Asker;
  readonly #over: () => void;
  #logs: LogLine[] | undefined;
  #room = mostOfLog;

  /** @param over called when something has come of it, before the asker is told */
  constructor(owner: PooledFunction, run: Run, asker: Asker, over: () => void) {
    this.owner = owner;
    this.run = run;
    this.#asker = asker;
    this.#over = over;
  }

  log(line: LogLine): void {
    // The thread bounds them; what comes beyond that is none of its own.
    this.#room -= line.message.length + JSON.stringify(line.fields).length;
    if (this.#room < 0) return;
    this.#logs ??= [];
    this.#logs.push(line);
    this.run.host.log(line);
  }

  /** What its handler asks for, answered whatever happens. */
  async answer(request: HostRequest): Promise<HostReply> {
    try {
      return await this.run.host.answer(request);
    } catch {
      const error = { code: "internal_error", message: "An internal error occurred.", details: [] };
      return { status: 500, body: JSON.stringify({ error }) };
    }
  }

  /** What ends because it is told to is cancelled, however it takes that. */
  settle(result: Result, duration = 0): void {
    this.#over();
    const isCancelled = this.run.signal.aborted && result.kind !== "returned";
    this.#asker.resolve({ result: isCancelled ? cancelled : result, duration, logs: this.#logs ?? [] });
  }

  /** It has not begun, and will not. */
  refuse(error: Error): void {
    this.#over();
    this.#asker.reject(error);
  }
}

export const cancelled: Result = { kind: "cancelled" };
