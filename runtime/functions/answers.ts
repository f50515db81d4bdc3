import { ApiError, tooManyRequests, unavailable } from "../errors.ts";
import { errorAnswer } from "../http/failures.ts";
import type { Answer } from "../realm/exchange.ts";
import { type FunctionDefinition, functionName } from "../realm/functions.ts";
import { printDuration } from "../units.ts";
import { FunctionBusy, type Result, type Returned } from "./invocation.ts";
import type { AskedRun, RealmFunctions } from "./realm.ts";

/** @throws ApiError `too_many_requests`, of webhooks `unavailable`, where there were as many lately as may be */
export function requireRoom({ limits }: RealmFunctions, definition: FunctionDefinition): void {
  const wait = limits.take();
  if (wait > 0) throw noRoom(definition, wait);
}

/**
 * Has one run that a request waits for.
 * @throws (rejects with) ApiError as {@link RealmFunctions.run} | `function_failed` | `invalid_output` | `function_timeout` |
 *   as {@link requireRoom} where as many run as may
 */
export async function answerOf(
  functions: RealmFunctions,
  run: AskedRun & { readonly definition: FunctionDefinition },
  returned: (value: Returned) => Answer,
): Promise<Answer> {
  const { definition, requestId } = run;
  const { result } = await functions.run(run).catch((error: unknown) => {
    throw error instanceof FunctionBusy ? noRoom(definition) : error;
  });
  return result.kind === "returned" ? returned(result.value) : refusedAnswer(definition, result, requestId);
}

function refusedAnswer(
  definition: FunctionDefinition,
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
      throw failure(
        definition,
        "function_timeout",
        `it took longer than ${printDuration(definition.timeout)}`,
      );
    case "cancelled":
      throw unavailable("The server stops.");
  }
}

const messages = {
  function_failed: "The function failed.",
  invalid_output: "The function returned what it must not.",
  function_timeout: "The function did not finish in its time.",
} as const;

/** @param reason for the server's log alone */
export function failure(
  definition: FunctionDefinition,
  code: keyof typeof messages,
  reason: string,
): ApiError {
  return new ApiError(code, messages[code], { cause: new HandlerFailure(definition, reason) });
}

/** Why a run failed, for logs: its stack is that of the handler, and stands in no message. */
export class HandlerFailure extends Error {
  /** The message with the places in the handler below. */
  readonly told: string;

  /** @param reason whose further lines are frames */
  constructor(definition: FunctionDefinition, reason: string) {
    const [first = "", ...frames] = reason.split("\n");
    super(`${functionName(definition)}: ${first}`);
    this.name = "HandlerFailure";
    this.told = [this.message, ...frames].join("\n");
    this.stack = `${this.name}: ${this.told}`;
    // Logs write out what can be enumerated.
    Object.defineProperty(this, "told", { enumerable: false });
  }
}

/** The error of a request that finds no room: senders of webhooks try again after a 503 (spec: Functions). */
function noRoom({ mode }: FunctionDefinition, milliseconds = 1_000): ApiError {
  const refused = mode === "webhook" ? unavailable : tooManyRequests;
  return refused("Too many runs of functions are under way, or were lately.", milliseconds);
}
