/** Calls of functions, at once or by jobs. */
import { pathWith } from "./calls.ts";
import type { Connected } from "./connected.ts";
import { type Connection, newKey, type OnceOptions, pause } from "./connection.ts";
import type { ApiPromise, OwnErrorCode } from "./errors.ts";
import type { RealmTypes } from "./realm.ts";
import type { RequestOptions } from "./request.ts";
import type { Always, BodyError } from "./route-errors.ts";

/** What a function takes and returns. */
export interface CallShape {
  input: object;
  output: unknown;
  /** Whether it takes an idempotency key. */
  idempotency: "required" | "optional" | "none";
}

type KeyError<S extends CallShape> = S["idempotency"] extends "none"
  ? never
  :
      | "request_in_progress"
      | "idempotency_key_reused"
      | (S["idempotency"] extends "required" ? "idempotency_key_required" : never);

/** Of a call that is put in the queue. */
export type QueueError<S extends CallShape> = Always | BodyError | "too_many_requests" | KeyError<S>;

/** Of a call; the function's own codes are any others. */
export type CallError<S extends CallShape> =
  | QueueError<S>
  | "function_failed"
  | "function_timeout"
  | "invalid_output"
  | "secret_missing"
  | OwnErrorCode;

export type JobError = Always | "not_found";

export type CallOptions<S extends CallShape> = S["idempotency"] extends "none" ? RequestOptions : OnceOptions;

type CallArguments<S extends CallShape> =
  Record<never, never> extends S["input"]
    ? [input?: S["input"], options?: CallOptions<S>]
    : [input: S["input"], options?: CallOptions<S>];

/** A function: called, it answers its output. */
export interface Callable<S extends CallShape> {
  (...given: CallArguments<S>): ApiPromise<S["output"], CallError<S>>;
  /** The same by a job, which goes on when nobody waits. */
  queue(...given: CallArguments<S>): ApiPromise<QueuedCall<S["output"]>, QueueError<S>>;
  /** One that was queued before, by its id. */
  job(id: string): QueuedCall<S["output"]>;
}

/** Every function by database and name. */
export type CallsOf<All extends Record<string, Record<string, CallShape>>> = {
  readonly [Database in keyof All]: {
    readonly [Name in keyof All[Database]]: Callable<All[Database][Name]>;
  };
};

/** How a job stands. */
export interface FunctionJob<Output> {
  id: string;
  kind: string;
  status: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  /** `function:<database>/<function>` */
  target: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /** What the function returned, once it has succeeded. */
  result: Output | null;
  /** Why it failed. */
  error: string | null;
}

/** What `wait` is rejected with where the job failed, or was cancelled. */
export class JobFailed extends Error {
  readonly job: FunctionJob<unknown>;

  constructor(job: FunctionJob<unknown>) {
    super(job.error ?? `job ${job.id}: ${job.status}`);
    this.name = "JobFailed";
    this.job = job;
  }
}

export interface WaitOptions extends RequestOptions {
  /** Milliseconds before look number `look`, from 1; default 250, doubled each time up to 5,000. */
  interval?: ((look: number) => number) | undefined;
}

/** A call that a job makes. */
export class QueuedCall<Output> {
  readonly id: string;
  readonly #connection: Connection;
  readonly #path: string;
  readonly #onBehalfOf: string | undefined;

  /** @param database that the function is in @param onBehalfOf for whom it was queued */
  constructor(connection: Connection, database: string, id: string, onBehalfOf?: string) {
    this.id = id;
    this.#connection = connection;
    this.#path = pathWith`${database}/_jobs/${id}`;
    this.#onBehalfOf = onBehalfOf;
  }

  status(options?: RequestOptions): ApiPromise<FunctionJob<Output>, JobError> {
    return this.#connection.call({ ...this.#call("GET", options), repeatable: true });
  }

  /**
   * The function's output, when there is one.
   * @throws JobFailed
   */
  async wait({ interval = usually, ...options }: WaitOptions = {}): Promise<Output> {
    for (let look = 1; ; look++) {
      await pause(interval(look), options.signal);
      const job = await this.status(options);
      if (job.status === "succeeded") return job.result as Output;
      if (job.status === "failed" || job.status === "cancelled") throw new JobFailed(job);
    }
  }

  /** It is not run any more, and a run that is under way ends. Of one that has ended: `conflict`. */
  cancel(options?: RequestOptions): ApiPromise<void, JobError | "conflict"> {
    return this.#connection.call(this.#call("DELETE", options));
  }

  #call<M extends "GET" | "DELETE">(method: M, options: RequestOptions | undefined) {
    return { method, path: this.#path, options: { onBehalfOf: this.#onBehalfOf, ...options } };
  }
}

function usually(look: number): number {
  return Math.min(5_000, 250 * 2 ** (look - 1));
}

/** One function of a database. */
export function callable<S extends CallShape>(
  { connection }: Connected<RealmTypes>,
  database: string,
  name: string,
  idempotency: S["idempotency"] = "optional",
): Callable<S> {
  function send<T>(
    query: { async: true } | undefined,
    input: object = {},
    options?: OnceOptions,
  ): Promise<T> {
    const call = {
      ...{ method: "POST" as const, path: `${database}/_func/${name}`, query, body: input },
      isAnyJson: true,
    };
    if (idempotency === "none") return connection.call<T, never>({ ...call, options });
    const key = options?.idempotencyKey ?? (idempotency === "required" ? newKey() : undefined);
    return connection.once<T, never>({ ...call, options: { ...options, idempotencyKey: key } });
  }
  return Object.assign(
    (...[input, options]: CallArguments<S>) => send<S["output"]>(undefined, input, options),
    {
      async queue(...[input, options]: CallArguments<S>) {
        const { job } = await send<{ job: string }>({ async: true }, input, options);
        return new QueuedCall<S["output"]>(connection, database, job, options?.onBehalfOf);
      },
      job: (id: string) => new QueuedCall<S["output"]>(connection, database, id),
    },
  );
}
