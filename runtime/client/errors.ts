import type { AnyErrorCode } from "./codes.ts";

/** What is wrong, and where: a field, a parameter, or an operation of a batch. */
export interface ErrorDetail {
  path: string;
  reason: string;
}

/** The server's answer to a request that it did not carry out. */
export class ApiError<Code extends string = AnyErrorCode> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  /** For the operator, who finds the request in the server's log by it. */
  readonly request_id: string;
  /** Seconds to wait before trying again, where the server says so. */
  readonly retry_after: number | undefined;

  constructor(status: number, error: ErrorBody<Code>, retryAfter: number | undefined) {
    super(error.message);
    this.name = "ApiError";
    this.code = error.code;
    this.status = status;
    this.details = error.details ?? [];
    this.request_id = error.request_id;
    this.retry_after = retryAfter;
  }
}

interface ErrorBody<Code> {
  code: Code;
  message: string;
  details?: ErrorDetail[];
  request_id: string;
}

/** No answer, or one that is not this server's: a broken connection, a timeout, a proxy's page. */
export class ConnectionError extends Error {
  /** Of an answer that is not this server's. */
  readonly status: number | undefined;

  constructor(message: string, options: { cause?: unknown; status?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = "ConnectionError";
    this.status = options.status;
  }
}

/** One error for each of the codes, told apart by `code`. */
export type ApiErrorOf<Code extends string> = Code extends string ? ApiError<Code> : never;

declare const own: unique symbol;

/** A code that a function of the realm refuses by: any that is none of the server's. */
export type OwnErrorCode = string & { readonly [own]?: never };

declare const codes: unique symbol;

/** A promise that knows which of the server's errors it may be rejected with; see {@link outcome}. */
export interface ApiPromise<T, Code extends string> extends Promise<T> {
  readonly [codes]?: Code;
}

/** The codes that an operation answers: `CodeOf<typeof client.shop.orders.create>`. */
export type CodeOf<Operation extends (...parameters: never) => unknown> = Operation extends (
  ...parameters: never
) => { readonly [codes]?: infer Code }
  ? Extract<Code, string>
  : never;

export type Outcome<T, Code extends string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ApiErrorOf<Code> };

/**
 * What became of a request, for a `switch` over `error.code` that the compiler checks. Anything but an answer of the
 * server ({@link ConnectionError}, an aborted signal) is thrown.
 */
export async function outcome<T, Code extends string>(
  request: ApiPromise<T, Code>,
): Promise<Outcome<T, Code>> {
  try {
    return { ok: true, value: await request };
  } catch (error) {
    if (isErrorOf<Code>(error)) return { ok: false, error };
    throw error;
  }
}

function isErrorOf<Code extends string>(error: unknown): error is ApiErrorOf<Code> {
  return error instanceof ApiError;
}

/** Whether this is the server's answer, with one of the codes where any are given. */
export function isApiError<Code extends AnyErrorCode = AnyErrorCode>(
  error: unknown,
  ...wanted: readonly Code[]
): error is ApiErrorOf<Code> {
  return error instanceof ApiError && (wanted.length === 0 || wanted.includes(error.code));
}
