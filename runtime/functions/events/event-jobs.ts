import type { NewJob } from "../../jobs/queue.ts";
import type { JsonObject } from "../../json.ts";
import { type Chain, type DocumentEvent, type EventDefinition, functionName } from "../../realm/functions.ts";
import type { ScheduleInput, TriggerInput } from "../invocation.ts";
import { targetOf } from "./calls.ts";

/** Kind of the jobs of what a function runs for. */
export function eventKindOf(definition: EventDefinition): string {
  return `function.event:${functionName(definition)}`;
}

/** The state of an event's job. */
export type EventState = TriggerState | ScheduleState;

export interface TriggerState {
  readonly kind: "trigger";
  readonly event: DocumentEvent;
  /** `<database>/<collection>`. */
  readonly collection: string;
  readonly document: JsonObject;
  /** Of a delete: false where it is not known how the document was. */
  readonly isKnown?: false;
  /** Of updates; absent: it is not known. Of a delete it is the document. */
  readonly previous?: JsonObject;
  readonly at: string;
  readonly chain: Chain;
}

export interface ScheduleState {
  readonly kind: "schedule";
  /** When it was due. */
  readonly at: string;
}

/** What the handler is called with. */
export function inputOf(state: EventState, attempt: number): TriggerInput | ScheduleInput {
  const { at } = state;
  if (state.kind === "schedule") return { kind: "schedule", at, attempt };
  const { event, collection, previous } = state;
  const document = JSON.stringify(state.document);
  const before = previous === undefined ? undefined : JSON.stringify(previous);
  return {
    kind: "trigger",
    event,
    collection,
    document,
    ...(event === "delete" && state.isKnown !== false && { previous: document }),
    ...(before !== undefined && { previous: before }),
    at,
    attempt,
  };
}

/** @param by who queues it, as the audit trail names them */
export function eventJob(
  definition: EventDefinition,
  state: EventState,
  by = "service",
): Pick<NewJob, "kind" | "target" | "state" | "by"> {
  return { kind: eventKindOf(definition), target: targetOf(definition), state, by };
}
