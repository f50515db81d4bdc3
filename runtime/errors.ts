import { type ErrorCode, errorStatus } from "./error-codes.ts";

export { type ErrorCode, errorStatus };

/** One entry of `error.details`. */
export interface Detail {
  readonly path: string;
  readonly reason: string;
}

export interface ApiErrorOptions {
  readonly details?: readonly Detail[];
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** The only error that clients see the content of; everything else answers `internal_error`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: readonly Detail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    const status = errorStatus[code];
    const { stackTraceLimit } = Error;
    // Refusals are expected, and nobody sees where they were made: a stack trace would cost more than all the rest of one.
    if (status < 500) Error.stackTraceLimit = 0;
    super(message, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
  }
}

/** Of a body that is well-formed, but not what the route takes. */
export function invalidBody(details: readonly Detail[]): ApiError {
  return new ApiError("validation_error", "The request body is not valid.", { details });
}

/** The error of an address that nothing answers at. */
export function nothingHere(): ApiError {
  return new ApiError("not_found", "There is nothing at this address.");
}

/** @param milliseconds until another attempt may succeed */
export function tooManyRequests(message: string, milliseconds: number): ApiError {
  return new ApiError("too_many_requests", message, { headers: retryAfter(milliseconds) });
}

/** Of what cannot be done now. @param milliseconds until it may be */
export function unavailable(message: string, milliseconds = 1_000, cause?: unknown): ApiError {
  return new ApiError("unavailable", message, { headers: retryAfter(milliseconds), cause });
}

/** When to come again, in whole seconds, one at least: of answers that pass. */
export function retryAfter(milliseconds: number): Readonly<Record<string, string>> {
  return { "retry-after": String(Math.max(1, Math.ceil(milliseconds / 1_000))) };
}
