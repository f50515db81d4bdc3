import type { JobKind, JobPool } from "../../jobs/kind.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import type { CallDefinition, EventDefinition } from "../../realm/functions.ts";
import { attempt, backoffOf } from "./attempts.ts";
import type { RunInBackground } from "./background.ts";
import { type CallState, callKindOf } from "./calls.ts";
import { type EventState, eventKindOf, inputOf } from "./event-jobs.ts";
import { schedules } from "./schedules.ts";

/**
 * The jobs of a realm's functions: a kind for each, so that one that is slow, or has much to do, holds up no other.
 * @param limit runs of jobs that the instance does at once in the realm
 */
export function functionJobs(
  definition: Pick<RealmDefinition, "functions" | "functionLimits">,
  run: RunInBackground,
  limit: number,
): readonly JobKind[] {
  const { functions = [], functionLimits } = definition;
  const pool: JobPool = { limit: Math.min(limit, functionLimits?.concurrency ?? limit) };
  const runs = functions.flatMap((each) => {
    if (each.mode === "webhook") return [];
    return each.mode === "call" ? calls(each, run, pool) : events(each, run, pool);
  });
  return [...runs, ...schedules(definition)];
}

function calls(definition: CallDefinition, run: RunInBackground, pool: JobPool): JobKind {
  return {
    ...limitsOf(definition, pool),
    name: callKindOf(definition),
    step(_, { id, attempts, state }, { signal }) {
      const { input, ...rest }: CallState = JSON.parse(state);
      const call = { kind: "call", input } as const;
      return attempt({ definition, input: call, job: id, attempt: attempts + 1, ...rest, signal }, run);
    },
  };
}

function events(definition: EventDefinition, run: RunInBackground, pool: JobPool): JobKind {
  return {
    ...limitsOf(definition, pool),
    name: eventKindOf(definition),
    // Its invocation is what there is to see of it.
    forgets: ({ status, created_by }) => status === "succeeded" && created_by === "service",
    step(_, { id, attempts, state }, { signal }) {
      const event: EventState = JSON.parse(state);
      const chain = event.kind === "trigger" ? { chain: event.chain } : {};
      const input = inputOf(event, attempts + 1);
      return attempt(
        { definition, input, job: id, attempt: attempts + 1, requestId: id, ...chain, signal },
        run,
      );
    },
  };
}

function limitsOf({ concurrency, attempts }: CallDefinition | EventDefinition, pool: JobPool) {
  return { limit: concurrency, pool, backoff: backoffOf(attempts) };
}
