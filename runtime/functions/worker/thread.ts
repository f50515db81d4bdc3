import process from "node:process";
import type { MessagePort } from "node:worker_threads";
import type { Result } from "../invocation.ts";
import type { FunctionSetup, ThreadBounds, ToThread } from "../messages.ts";
import { captureConsole, hideGlobals } from "./globals.ts";
import { failed, type Handler, Invocation } from "./invocation.ts";
import { Leftovers } from "./leftovers.ts";
import { Outbox } from "./outbox.ts";

const { setImmediate: atEndOfTurn } = globalThis;

/** What goes on in a thread: one function, and one run of it at a time. */
export class WorkerThread {
  readonly #bounds: ThreadBounds;
  readonly #outbox: Outbox;
  readonly #leftovers: Leftovers;
  #loaded: { readonly setup: FunctionSetup; readonly handler: Promise<Handler> } | undefined;
  #current: Invocation | undefined;
  /** Set where something was thrown that nobody caught: what else it broke is not known. */
  #broken: { readonly by: unknown } | undefined;

  constructor(port: MessagePort, bounds: ThreadBounds) {
    this.#bounds = bounds;
    this.#outbox = new Outbox(port, atEndOfTurn);
    this.#leftovers = new Leftovers(globalThis);
    hideGlobals(globalThis);
    captureConsole(globalThis, () => this.#current?.log);
    port.on("message", (messages: readonly ToThread[]) => {
      for (const message of messages) this.#receive(message);
    });
    this.#outbox.sendNow({ kind: "up" });
  }

  /** What was thrown past everybody, or a promise that was rejected without anybody to hear of it. */
  uncaught(thrown: unknown): void {
    // Between two runs it is neither's.
    if (this.#current === undefined) process.exit(1);
    this.#broken ??= { by: thrown };
    this.#current.fail(thrown);
  }

  #receive(message: ToThread): void {
    switch (message.kind) {
      case "load":
        this.#loaded = { setup: message.setup, handler: load(message.setup.url) };
        // Whoever runs it hears of its failure.
        this.#loaded.handler.catch(() => {});
        return;
      case "run":
        return void this.#run(message);
      case "reply":
        if (this.#current?.id === message.run) this.#current.requests.receive(message.request, message.reply);
        return;
      case "abort":
        if (this.#current?.id === message.run) this.#current.abort();
    }
  }

  async #run(message: ToThread & { readonly kind: "run" }): Promise<void> {
    const { setup, handler } = this.#loaded ?? {};
    if (setup === undefined || handler === undefined) return;
    const current = new Invocation(
      message,
      (sent) => this.#outbox.send(sent),
      // What its promises still have to do comes first: also what they reject without anybody to hear of it.
      (result) => atEndOfTurn(() => this.#finish(current, result)),
    );
    this.#current = current;
    this.#outbox.begin();
    await handler.catch((error: unknown) => {
      this.#broken = { by: error };
    });
    this.#leftovers.begin();
    await current.run(handler, setup, this.#bounds);
  }

  #finish(current: Invocation, result: Result): void {
    const left = this.#leftovers.left();
    const all = [
      ...(current.requests.pending > 0 ? ["requests"] : []),
      ...(left === undefined ? [] : [left]),
    ];
    if (all.length > 0)
      current.log.write("warn", `the run left ${all.join(" and ")} behind, which end with it`);
    current.end();
    this.#current = undefined;
    this.#outbox.sendNow({
      kind: "done",
      run: current.id,
      result: this.#broken === undefined ? result : failed(this.#broken.by),
      // Nobody waits for the answers of its requests any more.
      clean: left === undefined && this.#broken === undefined,
    });
  }
}

/** @throws what the module throws, TypeError where it exports no handler */
async function load(url: string): Promise<Handler> {
  const { default: handler }: { default?: unknown } = await import(url);
  if (isHandler(handler)) return handler;
  throw new TypeError("the default export of the module is not a function");
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}
