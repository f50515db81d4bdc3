import { randomInt } from "node:crypto";
import { ApiError } from "../../errors.ts";
import { AttemptFailed, JobFailure, NotNow, type Progress } from "../../jobs/kind.ts";
import { isJsonText } from "../../json.ts";
import { Outdated } from "../../retry.ts";
import { FunctionBusy, type Result } from "../invocation.ts";
import { shortened } from "../invocations/telling.ts";
import { forwardedText } from "../refusal-text.ts";
import type { BackgroundRun, RunInBackground } from "./background.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds before the second attempt, the third, and so on; before all further ones as before the last of these. */
const waits = [second, 10 * second, minute, 10 * minute, hour];

/** Milliseconds before each of so many attempts but the first, about. */
export function backoffOf(attempts: number): readonly number[] {
  return Array.from({ length: attempts - 1 }, (_, failed) => waitAfter(failed + 1));
}

function waitAfter(attempt: number): number {
  return waits[attempt - 1] ?? hour;
}

/** Milliseconds until a run is tried again for which there was no room. */
const busy = second;

/** The most that a handler may ask for. */
const longest = 30 * 24 * hour;

/** Characters of JSON that are kept of what a call returned, and of why it failed. */
const mostOutput = 4 * 2 ** 20;
const mostReason = 1_000;

/**
 * One attempt of a job: what becomes of the job by it.
 * @throws AttemptFailed | JobFailure | NotNow | Outdated
 */
export async function attempt(background: BackgroundRun, run: RunInBackground): Promise<Progress> {
  const { signal } = background;
  const { result } = await run(background).catch((error: unknown) => {
    // Whoever ended it knows what is to become of the job.
    throw signal.aborted ? new Outdated() : hindrance(error, background);
  });
  if (signal.aborted && result.kind !== "returned") throw new Outdated();
  return progressOf(result, background);
}

function hindrance(error: unknown, { attempt }: BackgroundRun): unknown {
  if (error instanceof FunctionBusy) return new NotNow(busy);
  if (!(error instanceof ApiError)) return error;
  return error.code === "unavailable" ? new NotNow(busy) : failed(attempt, `${error.code}: ${error.message}`);
}

function progressOf(result: Result, { definition, attempt }: BackgroundRun): Progress {
  switch (result.kind) {
    case "returned": {
      const { value } = result;
      if (value.kind !== "call") return {};
      if (value.output.length > mostOutput)
        throw failed(attempt, "function_failed: what it returned is too large to be kept.");
      if (!isJsonText(value.output)) throw failed(attempt, "invalid_output: what it returned is no JSON.");
      return { output: value.output };
    }
    case "retry":
      throw failed(attempt, "The function asked to be tried again.", result.after);
    case "ended":
      throw new JobFailure(shortened(`${result.code}: ${result.message}`, mostReason));
    case "refused":
      throw failed(attempt, `${result.code}: ${result.message}`);
    case "forwarded":
      throw failed(attempt, `function_failed: ${forwardedText(result)}`);
    case "failed":
      throw failed(attempt, `${result.code}: its invocations say why.`);
    case "timeout":
      throw failed(attempt, `function_timeout: it took longer than ${definition.timeout / second} s.`);
    case "cancelled":
      throw new Outdated();
  }
}

/** @param after what the handler asks for; default: longer after each attempt, at random a little, so that not all come back together */
function failed(attempt: number, reason: string, after?: number): AttemptFailed {
  const usual = waitAfter(attempt);
  const wait = after === undefined ? usual + randomInt(usual / 4) : Math.min(Math.max(after, 0), longest);
  return new AttemptFailed(shortened(reason, mostReason), wait);
}
