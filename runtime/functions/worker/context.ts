import type { Log, Mail, Organizations } from "../handler.ts";
import type { CallerView } from "../invocation.ts";
import type { FunctionSetup, ThreadBounds } from "../messages.ts";
import { databases } from "./documents.ts";
import type { Requests } from "./requests.ts";
import { HostSender } from "./sender.ts";
import { type Jobs, jobs, mail, organizations } from "./services.ts";
import { again, failure, refusal } from "./thrown.ts";

/** What a context is made of. */
export interface ContextParts {
  readonly setup: FunctionSetup;
  readonly bounds: ThreadBounds;
  readonly requests: Requests;
  readonly log: Log;
  readonly signal: () => AbortSignal;
  readonly requestId: string;
  readonly caller: CallerView | undefined;
  readonly secrets: Readonly<Record<string, string>>;
  /** To declared hosts. */
  readonly fetch: typeof fetch;
  /** Default: the machine's. */
  readonly now?: () => Date;
}

/** `ctx`: what is dear to make is made when it is first asked for. */
export class RunContext {
  readonly #parts: ContextParts;
  readonly log: Log;
  readonly secrets: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly now: () => Date;
  readonly fetch: typeof fetch;
  #db: object | undefined;
  #caller: (CallerView & { readonly db: object }) | undefined;

  constructor(parts: ContextParts) {
    this.#parts = parts;
    this.log = parts.log;
    this.secrets = Object.isFrozen(parts.secrets) ? parts.secrets : Object.freeze({ ...parts.secrets });
    this.requestId = parts.requestId;
    this.now = parts.now ?? now;
    this.fetch = parts.fetch;
  }

  get db(): object {
    this.#db ??= databases(this.#sender("function"));
    return this.#db;
  }

  get caller(): (CallerView & { readonly db: object }) | null {
    const { caller } = this.#parts;
    if (caller === undefined) return null;
    this.#caller ??= { ...caller, db: databases(this.#sender("caller")) };
    return this.#caller;
  }

  get orgs(): Organizations {
    return organizations(this.#parts.requests);
  }

  get jobs(): Jobs {
    return jobs(this.#parts.requests);
  }

  /** Where the function declares it. */
  get mail(): Mail | undefined {
    return this.#parts.setup.mail ? mail(this.#parts.requests) : undefined;
  }

  get signal(): AbortSignal {
    return this.#parts.signal();
  }

  #sender(as: "function" | "caller"): HostSender {
    const { requests, bounds, requestId } = this.#parts;
    return new HostSender(requests, as, bounds.requestBytes, requestId);
  }

  readonly error = refusal;
  readonly retry = again;
  readonly fail = failure;
}

function now(): Date {
  return new Date();
}
