import type { HostRequest, Result } from "../invocation.ts";
import type { FromThread, FunctionSetup, RunMessage, ThreadBounds } from "../messages.ts";
import { packHeaders } from "../packing.ts";
import { RunContext } from "./context.ts";
import { Fetches, fetchBy } from "./fetch.ts";
import { inputOf } from "./input.ts";
import { RunLog } from "./log.ts";
import { reasonOf } from "./reason.ts";
import { forwardedResult, StoreError } from "./replies.ts";
import { Requests } from "./requests.ts";
import { resultOf } from "./returned.ts";
import { deliberateResult } from "./thrown.ts";

export type Handler = (input: unknown, context: unknown) => unknown;
type Send = (message: FromThread) => void;

/** One run of a handler, from its input to what came of it. */
export class Invocation {
  readonly log: RunLog;
  readonly requests: Requests;
  readonly fetches: Fetches;
  readonly #message: RunMessage;
  readonly #secrets: Readonly<Record<string, string>>;
  readonly #settled: (result: Result) => void;
  readonly #began = performance.now();
  #abort: AbortController | undefined;
  #isAborted = false;
  #isSettled = false;

  /** @param settled called once, when the handler is done or `fail` is called */
  constructor(
    message: RunMessage,
    secrets: Readonly<Record<string, string>>,
    send: Send,
    settled: (result: Result) => void,
  ) {
    const [, run] = message;
    this.#message = message;
    this.#secrets = secrets;
    this.#settled = settled;
    this.log = new RunLog((line) => send(["log", run, line]));
    this.requests = new Requests((id, request) => send(requestMessage(run, id, request)));
    this.fetches = new Fetches((asked) =>
      send(asked[0] === "fetch" ? [asked[0], run, asked[1], asked[2]] : [asked[0], run, asked[1]]),
    );
  }

  get id(): number {
    return this.#message[1];
  }

  /** Milliseconds since it began. */
  get duration(): number {
    return performance.now() - this.#began;
  }

  async run(handler: Promise<Handler>, setup: FunctionSetup, bounds: ThreadBounds): Promise<void> {
    const [, , requestId, input, caller] = this.#message;
    const secrets = this.#secrets;
    try {
      const { log } = this.log;
      const signal = () => this.#signal();
      const { requests, fetches } = this;
      const fetch: typeof globalThis.fetch = (...asked) =>
        requests.whileOpen(fetchBy(fetches.ask, signal)(...asked));
      const parts = { setup, bounds, requests, fetch, log, signal, requestId, caller, secrets };
      const value = await (await handler)(inputOf(input), new RunContext(parts));
      this.#settle(resultOf(input[0], value, bounds.outputBytes));
    } catch (error) {
      this.#settle(deliberateResult(error) ?? forwardedResult(error) ?? failed(error));
    }
  }

  /** Something that nobody caught: of this run, as far as one can tell. */
  fail(thrown: unknown): void {
    this.#settle(failed(thrown));
  }

  abort(): void {
    this.#isAborted = true;
    this.#abort?.abort();
  }

  /** Nothing of it has an effect any more. */
  end(): void {
    this.log.end();
    this.requests.end();
    this.fetches.end();
  }

  #signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isAborted) this.#abort.abort();
    return this.#abort.signal;
  }

  #settle(result: Result): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#settled(result);
  }
}

function requestMessage(run: number, id: number, request: HostRequest): FromThread {
  if (request.kind !== "documents") return ["request", run, id, request];
  const { kind, as, method, path, search, headers, body } = request;
  return [kind, run, id, as, method, path, search, packHeaders(headers), body];
}

/** It threw something, or something of it did that nobody caught. */
export function failed(thrown: unknown): Result {
  const details = thrown instanceof StoreError ? thrown.details.map((each) => ({ ...each })) : [];
  const told = details.length > 0 && { details };
  return { kind: "failed", code: "function_failed", reason: reasonOf(thrown), ...told };
}
