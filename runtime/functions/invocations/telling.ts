import { timestamp } from "../../clock.ts";
import type { Caller } from "../../realm/caller.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { type FunctionDefinition, functionName } from "../../realm/functions.ts";
import type { FunctionInput, Outcome, Result } from "../invocation.ts";
import { forwardedDetails, forwardedText } from "../refusal-text.ts";
import { hideSecrets, hideSecretsIn, type Secrets, withoutSecrets } from "../secrets.ts";
import type { InvocationError, InvocationRecord, InvocationStatus } from "./records.ts";

/** What was run, and for whom. */
export interface Told {
  readonly definition: FunctionDefinition;
  readonly input: FunctionInput;
  readonly requestId: string;
  readonly caller: Caller | undefined;
  /** From 1. */
  readonly attempt: number;
  /** Epoch milliseconds. */
  readonly started: number;
}

/** What is recorded of a run. */
export function recordOf(
  { newId }: Pick<RealmInstance, "newId">,
  { definition, input, requestId, caller, attempt, started }: Told,
  { result, duration, logs }: Outcome,
  secrets: Secrets,
): InvocationRecord {
  const error = errorOf(result);
  return {
    id: newId(),
    function: functionName(definition),
    kind: input.kind,
    status: statusOf(result),
    started_at: timestamp(started),
    duration_ms: Math.round(duration),
    attempt,
    caller: caller?.actor ?? null,
    request_id: requestId,
    error: error && told(error, secrets),
    logs: logs.map((line) => withoutSecrets(line, secrets)),
  };
}

function told({ code, message, details = [] }: InvocationError, secrets: Secrets): InvocationError {
  const shown = details.slice(0, mostDetails);
  return {
    code,
    message: shortened(hideSecrets(message, secrets)),
    ...(shown.length > 0 &&
      JSON.stringify(shown).length <= longest && {
        details: shown.map((detail) => hideSecretsIn(detail, secrets)),
      }),
  };
}

export function statusOf({ kind }: Result): InvocationStatus {
  if (kind === "returned") return "succeeded";
  return kind === "timeout" || kind === "cancelled" ? kind : "failed";
}

function errorOf(result: Result): InvocationError | null {
  switch (result.kind) {
    case "returned":
      return null;
    case "refused":
      return { code: result.code, message: result.message, details: result.details };
    case "ended":
      return { code: result.code, message: result.message };
    case "failed":
      return { code: result.code, message: result.reason, details: result.details ?? [] };
    case "retry":
      return { code: "retry", message: "It asked to be tried again." };
    case "forwarded":
      return {
        code: "forwarded",
        message: forwardedText(result),
        details: forwardedDetails(result),
      };
    case "timeout":
      return { code: "function_timeout", message: "It did not finish in its time." };
    case "cancelled":
      return { code: "cancelled", message: "It was ended from outside." };
  }
}

/** Characters of a message, and of details, which are left out where they are more. */
const longest = 4_096;
const mostDetails = 20;

export function shortened(message: string, most = longest): string {
  return message.length > most ? `${message.slice(0, most - 1)}…` : message;
}
