import type { CallDefinition, Chain, EventDefinition } from "../../realm/functions.ts";
import type { CallInput, Outcome, ScheduleInput, TriggerInput } from "../invocation.ts";

/** A run that no request waits for: an attempt of a job. */
export interface BackgroundRun {
  readonly definition: CallDefinition | EventDefinition;
  readonly input: CallInput | TriggerInput | ScheduleInput;
  /** The job's id. */
  readonly job: string;
  /** From 1. */
  readonly attempt: number;
  /** Of the request that queued it; of events the job's id. */
  readonly requestId: string;
  /** Absent: `ctx.caller` is null. */
  readonly caller?: QueuedCaller;
  /** What the writes of it carry as `_meta.chain`. */
  readonly chain?: Chain;
  /** Aborted when nothing that it does will count: the job was cancelled, another instance has it, or this one stops. */
  readonly signal: AbortSignal;
}

/** Who had a call queued: looked up anew for each attempt. */
export type QueuedCaller =
  | {
      readonly kind: "user";
      readonly id: string;
      /** Id of the key that acted for them, whose scopes hold. */
      readonly key?: string;
    }
  | {
      readonly kind: "key";
      readonly id: string;
    }
  | { readonly kind: "anonymous" };

/**
 * Has a function run for a job, with its secrets and host, and keeps the record of the invocation.
 * @throws (rejects with) FunctionBusy, or ApiError `unavailable`, where there is no room for it now; what else it is
 *   counts as a failed attempt
 */
export type RunInBackground = (run: BackgroundRun) => Promise<Outcome>;
