import { ApiError, type Detail, retryAfter, unavailable } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Answer } from "../realm/exchange.ts";
import {
  DocumentTooLarge,
  IndexBuilding,
  QueryTimeout,
  StoreBusy,
  StoreRefused,
  StoreUnavailable,
  TransactionConflict,
} from "../store/contract/errors.ts";

/** What clients see of an error: itself, what a store says in their terms, else `internal_error`. */
export function apiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof QueryTimeout) {
    return new ApiError("unavailable", "The query took too long.", { cause: error });
  }
  if (error instanceof StoreBusy) {
    return unavailable(`Too many ${kindOf[error.by]} are under way.`, undefined, error);
  }
  if (error instanceof StoreUnavailable || error instanceof StoreRefused) {
    return unavailable("The store cannot be reached.", undefined, error);
  }
  if (error instanceof TransactionConflict) {
    // Whoever goes on gives way sooner: a process has died that held what is to be written, until the store lets go of it.
    return unavailable("Other writes hold what is to be written.", conflictPasses, error);
  }
  if (error instanceof DocumentTooLarge) {
    return new ApiError("payload_too_large", tooLarge[error.what]);
  }
  if (error instanceof IndexBuilding) {
    return new ApiError("index_building", "The text index is being built.", {
      headers: retryAfter(error.retryAfter * 1_000),
    });
  }
  return new ApiError("internal_error", "Something went wrong on our side.", { cause: error });
}

/** Milliseconds. */
const conflictPasses = 15_000;

const tooLarge = {
  document: "The document is larger than the store can hold.",
  transaction: "These are more changes than the store can make at once.",
} as const;

const kindOf = { queries: "expensive queries", writes: "writes" } as const;

/** An error as it is told: one of the API's, or one that a function chose. */
export interface ToldError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly (Detail | JsonObject)[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The one rendering of an error (spec: Error envelope). */
export function errorAnswer(error: ToldError, requestId: string): Answer {
  const headers = error.status === 401 ? { "www-authenticate": "Bearer", ...error.headers } : error.headers;
  return { status: error.status, ...(headers && { headers }), body: errorText(error, requestId) };
}

export function errorText(error: Envelope, requestId: string): string {
  return JSON.stringify(envelopeOf(error, requestId));
}

type Envelope = Pick<ToldError, "code" | "message" | "details">;

/** What stands in the body of an answer that is an error. */
export function envelopeOf({ code, message, details }: Envelope, requestId: string) {
  return { error: { code, message, ...(details.length > 0 && { details }), request_id: requestId } };
}
