import type { CallDefinition, EventDefinition } from "../../realm/functions.ts";
import type { BackgroundRun, RunInBackground } from "../events/background.ts";
import type { Outcome, Result, Returned } from "../invocation.ts";

const usual = {
  realm: "shop",
  database: "support",
  timeout: 10_000,
  memory: 128 * 2 ** 20,
  concurrency: 8,
  scopes: { read: ["support"], write: ["support"] },
  secrets: [],
  network: [],
  mail: false,
  attempts: 5,
} as const;

/** A function that is called. */
export function callDefinition(name: string, more: Partial<CallDefinition> = {}): CallDefinition {
  return { ...usual, name, mode: "call", idempotency: "optional", ...more };
}

/** A function that runs for what happens. */
export function eventDefinition(name: string, more: Partial<EventDefinition> = {}): EventDefinition {
  return { ...usual, name, mode: "event", triggers: [], ...more };
}

/** What a handler in a test does: answers what a run of it comes to, or rejects as one that there is no room for. */
export type Handle = (run: BackgroundRun) => Result | Promise<Result>;

export function returned(output?: unknown): Result {
  const value: Returned =
    output === undefined ? { kind: "nothing" } : { kind: "call", output: JSON.stringify(output) };
  return { kind: "returned", value };
}

/** Has handlers run without threads, and keeps what they were asked to. */
export class Handlers {
  readonly runs: BackgroundRun[] = [];
  readonly #handle: Handle;

  constructor(handle: Handle = () => returned()) {
    this.#handle = handle;
  }

  readonly run: RunInBackground = async (run): Promise<Outcome> => {
    this.runs.push(run);
    return { result: await this.#handle(run), duration: 1, logs: [] };
  };
}

/** Handlers that wait until they are let go, or told to end. */
export function waitingHandlers() {
  const go: ((result: Result) => void)[] = [];
  const handlers = new Handlers(
    ({ signal }) =>
      new Promise((resolve) => {
        go.push(resolve);
        signal.addEventListener("abort", () => resolve({ kind: "cancelled" }));
      }),
  );
  return { handlers, end: (at: number, result = returned()) => go[at]?.(result) };
}
