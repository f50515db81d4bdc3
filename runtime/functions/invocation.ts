/**
 * What stands between those who have a function run (routes, jobs), the threads that run it, and who answers what its
 * handler asks for meanwhile.
 */
import type { JsonObject } from "../json.ts";
import type { FunctionDefinition } from "../realm/functions.ts";

/** Where the modules are that threads load. */
export interface FunctionFiles {
  /** Of `function-worker.mjs`, and of `functions/<realm>/<database>/<function>.cjs`. */
  readonly folder: string;
}

/** What a handler is called with. */
export type FunctionInput = WebhookInput | CallInput | TriggerInput | ScheduleInput;

export interface WebhookInput {
  readonly kind: "webhook";
  readonly method: string;
  readonly path: string;
  /** Raw, without `?`. */
  readonly search: string;
  /** Lower-case names; repeated values are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** As they came. */
  readonly body: Uint8Array;
}

export interface CallInput {
  readonly kind: "call";
  /** JSON text that fits its schema. */
  readonly input: string;
}

export interface TriggerInput {
  readonly kind: "trigger";
  readonly event: "create" | "update" | "delete";
  /** `<database>/<collection>`. */
  readonly collection: string;
  /** JSON text: as written, or as it was before a delete. */
  readonly document: string;
  /** JSON text; absent: there was none, or it is not known. */
  readonly previous?: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
  /** From 1. */
  readonly attempt: number;
}

export interface ScheduleInput {
  readonly kind: "schedule";
  /** When it was due. */
  readonly at: string;
  readonly attempt: number;
}

/** One run that somebody asks for. */
export interface Run {
  readonly definition: FunctionDefinition;
  readonly input: FunctionInput;
  readonly requestId: string;
  /** Who called, as the handler sees them; undefined: `ctx.caller` is null. */
  readonly caller?: CallerView | undefined;
  /** The values of all secrets that the definition declares. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly host: FunctionHost;
  /** Ends the run: its job was cancelled, or the instance stops. */
  readonly signal: AbortSignal;
}

export interface CallerView {
  readonly kind: "user" | "key" | "anonymous";
  readonly id: string | null;
  /** Of a key. */
  readonly name: string | null;
  readonly roles: readonly string[];
  /** Ids of organizations. */
  readonly orgs: readonly string[];
}

/** What came of a run. */
export interface Outcome {
  readonly result: Result;
  /** Milliseconds in the thread. */
  readonly duration: number;
  /** At most 64 KiB of them. */
  readonly logs: readonly LogLine[];
}

export type Result =
  | { readonly kind: "returned"; readonly value: Returned }
  /** Thrown by `ctx.error`: 400 to 499. */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly details: readonly JsonObject[];
    }
  /** Thrown by `ctx.retry`; milliseconds, absent: as its attempts wait. */
  | { readonly kind: "retry"; readonly after?: number }
  /** Thrown by `ctx.fail`. */
  | { readonly kind: "ended"; readonly code: string; readonly message: string }
  /**
   * It threw anything else, crashed, ran out of memory or returned what cannot be; `reason` is for logs and administrators,
   * `details` are those of a refusal that it did not catch.
   */
  | {
      readonly kind: "failed";
      readonly code: "function_failed" | "invalid_output";
      readonly reason: string;
      readonly details?: readonly JsonObject[];
    }
  /** A refusal (4xx) that `ctx.caller.db` gave and the handler did not catch: answered as it is. */
  | {
      readonly kind: "forwarded";
      readonly status: number;
      readonly body: string;
      /** What was asked of which collection: `create` of `support/tickets`. */
      readonly operation?: string;
      readonly collection?: string;
    }
  | { readonly kind: "timeout" }
  | { readonly kind: "cancelled" };

/** Of a webhook, or the JSON text of what a call returned; an event returns nothing. */
export type Returned =
  | {
      readonly kind: "webhook";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | Uint8Array;
    }
  | { readonly kind: "call"; readonly output: string }
  | { readonly kind: "nothing" };

export interface LogLine {
  readonly at: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: JsonObject;
}

/** Answers what a handler asks of the server, and hears its log lines as they come. */
export interface FunctionHost {
  /** Rejects for nothing that a handler can do: refusals are replies. */
  answer(request: HostRequest): Promise<HostReply>;
  log(line: LogLine): void;
}

/** What a handler's `ctx` asks for. */
export type HostRequest =
  /** A request to the document routes of the realm, by the function itself or under its caller's rules. */
  | {
      readonly kind: "documents";
      readonly as: "function" | "caller";
      readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
      /** Below `/v1/{realm}/`, segments percent-encoded: `support/tickets/<id>`. */
      readonly path: string;
      /** Raw, without `?`. */
      readonly search: string;
      readonly headers: Readonly<Record<string, string>>;
      /** JSON text. */
      readonly body?: string | undefined;
    }
  | { readonly kind: "organization"; readonly id: string }
  | { readonly kind: "claims"; readonly id: string /** JSON text. */; readonly claims: string }
  | {
      readonly kind: "enqueue";
      /** `<database>/<function>`. */
      readonly function: string;
      /** JSON text. */
      readonly input: string;
      /** Milliseconds. */
      readonly delay?: number;
      readonly key?: string;
    }
  | {
      readonly kind: "mail";
      /** An address, or whose address the server knows. */
      readonly to: string | { readonly user: string };
      readonly subject: string;
      readonly text: string;
      readonly html?: string;
    };

/** As HTTP answers: JSON text, an error's envelope where the status is 400 or more. */
export interface HostReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** Runs handlers in threads, within the limits of the definition and of the instance. */
export interface Runner {
  /**
   * Runs one, when there is room for it: at most two seconds later.
   * @throws (rejects with) ApiError `unavailable` where there is none in that time, or too many wait already;
   *   {@link FunctionBusy} where the function has as many runs as its `concurrency` allows
   */
  run(run: Run): Promise<Outcome>;
  readonly figures: RunnerFigures;
  /** Ends all threads; runs under way are cancelled. */
  close(): Promise<void>;
}

/** For metrics. */
export interface RunnerFigures {
  readonly workers: number;
  readonly busy: number;
  readonly queued: number;
}

/** As many runs of the function are under way as may be: 429, and 503 of a webhook. */
export class FunctionBusy extends Error {
  constructor() {
    super("too many runs of the function are under way");
    this.name = "FunctionBusy";
  }
}
