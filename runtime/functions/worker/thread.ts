import type { MessagePort } from "node:worker_threads";
import type { Require } from "../handler-module.ts";
import type { Result } from "../invocation.ts";
import type { FunctionSetup, RunMessage, ThreadBounds, ThreadData, ToThread } from "../messages.ts";
import { packResult } from "../packing.ts";
import { Starts } from "../starts.ts";
import { fillBuffers } from "./buffers.ts";
import { emptyProcess, endThread, hideDispatchers, lockPorts, refuseCodeOfText } from "./confine.ts";
import { captureConsole, hideGlobals } from "./globals.ts";
import { failed, type Handler, Invocation } from "./invocation.ts";
import { Leftovers } from "./leftovers.ts";
import { loadHandler } from "./load.ts";
import { handlerRequire } from "./modules.ts";
import { Outbox } from "./outbox.ts";
import { mapStacks } from "./stacks.ts";

const { setImmediate: atEndOfTurn } = globalThis;

/** What goes on in a thread: one function, and one run of it at a time. */
export class WorkerThread {
  readonly #bounds: ThreadBounds;
  readonly #outbox: Outbox;
  readonly #leftovers: Leftovers;
  readonly #require: Require;
  #loaded: { readonly setup: FunctionSetup; readonly handler: Promise<Handler> } | undefined;
  readonly #starts: Starts;
  #secrets: Readonly<Record<string, string>> = {};
  /** Runs, and their secrets, whose turn has not come yet. */
  readonly #line: { readonly message: RunMessage; readonly secrets: Readonly<Record<string, string>> }[] = [];
  #current: Invocation | undefined;
  /** Set where something was thrown that nobody caught: what else it broke is not known. */
  #broken: { readonly by: unknown } | undefined;

  constructor(port: MessagePort, { bounds, starts }: ThreadData) {
    this.#bounds = bounds;
    this.#starts = new Starts(starts);
    this.#outbox = new Outbox(port, atEndOfTurn);
    this.#leftovers = new Leftovers(globalThis);
    this.#require = handlerRequire();
    hideGlobals(globalThis);
    captureConsole(globalThis, () => this.#current?.log);
    hideDispatchers(globalThis);
    refuseCodeOfText(globalThis);
    fillBuffers();
    lockPorts(globalThis);
    emptyProcess();
    port.on("message", (messages: readonly ToThread[]) => {
      for (const message of messages) this.#receive(message);
    });
    this.#outbox.sendNow(["up"]);
  }

  /** What was thrown past everybody, or a promise that was rejected without anybody to hear of it. */
  uncaught(thrown: unknown): void {
    // Between two runs it is neither's.
    if (this.#current === undefined) endThread();
    this.#broken ??= { by: thrown };
    this.#current.fail(thrown);
  }

  #receive(message: ToThread): void {
    switch (message[0]) {
      case "load": {
        const [, setup] = message;
        mapStacks(setup.path);
        // What loads for ever does so in the time of the run that waits for it.
        const turn = new Promise<void>((next) => atEndOfTurn(next));
        const handler = turn.then(() => loadHandler(setup, this.#require));
        this.#loaded = { setup, handler };
        // Whoever runs it hears of its failure.
        this.#loaded.handler.catch(() => {});
        return;
      }
      case "secrets":
        this.#secrets = Object.freeze(message[1]);
        return;
      case "run":
        this.#line.push({ message, secrets: this.#secrets });
        this.#beginNext(false);
        return;
      case "reply": {
        const [, run, request, status, etag, body] = message;
        if (this.#current?.id !== run) return;
        const headers = etag === undefined ? {} : { headers: { etag } };
        const reply = { status, ...headers, ...(body !== undefined && { body }) };
        this.#current.requests.receive(request, reply);
        return;
      }
      case "fetched":
        if (this.#current?.id === message[1]) this.#current.fetches.receive(message[2], message[3]);
        return;
      case "abort":
        if (this.#current?.id === message[1]) this.#current.abort();
    }
  }

  /** The next in line that was not taken back, unless one is under way. @param follows whether one has just ended */
  #beginNext(follows: boolean): void {
    while (this.#current === undefined) {
      const next = this.#line.shift();
      if (next === undefined) return;
      if (this.#starts.begin(next.message[1])) void this.#run(next.message, next.secrets, follows);
    }
  }

  async #run(
    message: RunMessage,
    secrets: Readonly<Record<string, string>>,
    follows: boolean,
  ): Promise<void> {
    const { setup, handler } = this.#loaded ?? {};
    if (setup === undefined || handler === undefined) return;
    const current = new Invocation(
      message,
      secrets,
      (sent) => this.#outbox.send(sent),
      // What its promises still have to do comes first: also what they reject without anybody to hear of it.
      (result) => atEndOfTurn(() => this.#finish(current, result)),
    );
    this.#current = current;
    this.#outbox.begin();
    await handler.catch((error: unknown) => {
      this.#broken = { by: error };
    });
    this.#leftovers.begin(follows);
    await current.run(handler, setup, this.#bounds);
  }

  #finish(current: Invocation, settled: Result): void {
    const left = this.#leftovers.left();
    const all = [
      ...(current.requests.pending + current.fetches.pending > 0 ? ["requests"] : []),
      ...(left === undefined ? [] : [left]),
    ];
    if (all.length > 0)
      current.log.write("warn", `the run left ${all.join(" and ")} behind, which end with it`);
    current.end();
    const result = packResult(this.#broken === undefined ? settled : failed(this.#broken.by));
    // Nobody waits for the answers of its requests any more.
    const isClean = left === undefined && this.#broken === undefined;
    this.#outbox.sendNow(["done", current.id, result, current.duration, isClean]);
    this.#starts.end(current.id);
    // What it left behind would be there beside another.
    if (!isClean) return;
    this.#current = undefined;
    this.#beginNext(true);
  }
}
