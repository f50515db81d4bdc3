import { ApiError, tooManyRequests } from "../errors.ts";
import { errorAnswer } from "../http/failures.ts";
import type { Answer } from "../realm/exchange.ts";
import { type CallDefinition, functionName, type WebhookDefinition } from "../realm/functions.ts";
import { unavailable } from "./errors.ts";
import { FunctionBusy, type Result } from "./invocation.ts";

type Requested = WebhookDefinition | CallDefinition;

/** Milliseconds after which there may be room. */
const soon = 1_000;

/**
 * What a request that did not return is answered.
 * @throws ApiError `function_failed` | `invalid_output` | `function_timeout` | `unavailable`
 */
export function refusedAnswer(
  definition: Requested,
  result: Exclude<Result, { kind: "returned" }>,
  requestId: string,
): Answer {
  switch (result.kind) {
    case "refused":
      return errorAnswer(result, requestId);
    case "forwarded":
      return {
        status: result.status,
        body: result.body,
        ...(result.status === 401 && { headers: { "www-authenticate": "Bearer" } }),
      };
    case "failed":
      throw failure(definition, result.code, result.reason);
    case "retry":
      throw failure(definition, "function_failed", "it asked to be tried again, which requests are not");
    case "ended":
      throw failure(definition, "function_failed", `${result.code}: ${result.message}`);
    case "timeout":
      throw new ApiError("function_timeout", "The function did not finish in its time.");
    case "cancelled":
      throw unavailable("The server stops.");
  }
}

const messages = {
  function_failed: "The function failed.",
  invalid_output: "The function returned what it must not.",
} as const;

/** Why, is for the log. */
export function failure(definition: Requested, code: keyof typeof messages, reason: string): ApiError {
  return new ApiError(code, messages[code], { cause: new Error(`${functionName(definition)}: ${reason}`) });
}

/** The error of a request that finds no room: senders of webhooks try again after a 503 (spec: Functions). */
export function noRoom({ mode }: Requested, milliseconds = soon, cause?: unknown): ApiError {
  const message = "Too many runs of functions are under way, or were lately.";
  if (mode === "call") return tooManyRequests(message, milliseconds, cause);
  const seconds = Math.max(1, Math.ceil(milliseconds / 1_000));
  return new ApiError("unavailable", message, { headers: { "retry-after": String(seconds) } });
}

/** What is thrown in place of what a run was rejected with. */
export function seenRejection(definition: Requested, error: unknown): unknown {
  return error instanceof FunctionBusy ? noRoom(definition) : error;
}
