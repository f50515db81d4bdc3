import { setTimeout as pause } from "node:timers/promises";
import { type FunctionDefinition, functionName } from "../../realm/functions.ts";
import {
  FunctionBusy,
  type LogLine,
  type Outcome,
  type Result,
  type Returned,
  type Run,
  type Runner,
} from "../invocation.ts";
import { resultOf } from "../worker/returned.ts";

/** Of what a handler returns. */
export const outputBytes = 2 ** 20;

/** A handler that runs in this thread: what it answers is what comes of the run. */
export type Handle = (
  run: Run,
  log: (line: LogLine) => void,
) => Promise<Returned | Result> | Returned | Result;

/** A {@link Runner} without threads, for tests: limits of concurrency and time hold, those of memory do not. */
export class InProcessRunner implements Runner {
  readonly #handles: ReadonlyMap<string, Handle>;
  readonly #running = new Map<FunctionDefinition, number>();
  /** In their order. */
  readonly runs: Run[] = [];

  /** @param handles by `<database>/<function>` */
  constructor(handles: Readonly<Record<string, Handle>>) {
    this.#handles = new Map(Object.entries(handles));
  }

  get figures() {
    const busy = [...this.#running.values()].reduce((all, each) => all + each, 0);
    return { workers: busy, busy, queued: 0 };
  }

  async run(run: Run): Promise<Outcome> {
    const { definition } = run;
    const running = this.#running.get(definition) ?? 0;
    if (running >= definition.concurrency) throw new FunctionBusy();
    this.#running.set(definition, running + 1);
    this.runs.push(run);
    const logs: LogLine[] = [];
    try {
      const result = await this.#result(run, (line) => {
        logs.push(line);
        run.host.log(line);
      });
      return { result, duration: 1, logs };
    } finally {
      this.#running.set(definition, (this.#running.get(definition) ?? 1) - 1);
    }
  }

  async #result(run: Run, log: (line: LogLine) => void): Promise<Result> {
    const handle = this.#handles.get(functionName(run.definition));
    if (handle === undefined) throw new Error(`no handler of ${functionName(run.definition)}`);
    const over = new AbortController();
    const end = cancelled(run.signal, over.signal);
    const late = pause(run.definition.timeout, undefined, { signal: over.signal, ref: false }).then(
      (): Result => ({ kind: "timeout" }),
      (): Result => ({ kind: "cancelled" }),
    );
    try {
      return await Promise.race([this.#outcome(run, handle, log), late, end]);
    } finally {
      over.abort();
    }
  }

  async #outcome(run: Run, handle: Handle, log: (line: LogLine) => void): Promise<Result> {
    try {
      const given = await handle(run, log);
      const result = isReturned(given) ? ({ kind: "returned", value: given } as const) : given;
      return result.kind === "returned" ? leaving(run, result.value) : result;
    } catch (error) {
      return { kind: "failed", code: "function_failed", reason: String(error) };
    }
  }

  async close(): Promise<void> {}
}

/** @param over when nobody listens any more */
async function cancelled(signal: AbortSignal, over: AbortSignal): Promise<Result> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { signal: over });
  });
  return { kind: "cancelled" };
}

/** As it leaves a thread. */
function leaving({ input }: Run, value: Returned): Result {
  return resultOf(input.kind, value.kind === "call" ? JSON.parse(value.output) : value, outputBytes);
}

function isReturned(given: Returned | Result): given is Returned {
  return given.kind === "webhook" || given.kind === "call" || given.kind === "nothing";
}
