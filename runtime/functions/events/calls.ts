import { findJobUnder, queueJob } from "../../jobs/queue.ts";
import { keyIndex } from "../../jobs/records.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { type CallDefinition, type Chain, functionName } from "../../realm/functions.ts";
import { longBackoff, optimistic } from "../../retry.ts";
import { UniqueViolation } from "../../store/contract/errors.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import type { QueuedCaller } from "./background.ts";

/** Kind of the jobs of a function's queued calls. */
export function callKindOf(definition: CallDefinition): string {
  return `function.call:${functionName(definition)}`;
}

/** What a job of a function is done to. */
export function targetOf(definition: Parameters<typeof functionName>[0]): string {
  return `function:${functionName(definition)}`;
}

/** Names of the functions of a database by what their jobs are done to. */
export function targetsIn(
  { functions = [] }: RealmDefinition,
  database: string,
): ReadonlyMap<string, string> {
  const own = functions.filter((definition) => definition.database === database);
  return new Map(own.map((definition) => [targetOf(definition), definition.name]));
}

/** A call to be made in the background. */
export interface QueuedCall {
  readonly definition: CallDefinition;
  /** JSON text that fits its schema. */
  readonly input: string;
  /** `user:<id>`, `key:<name>`, `key:<database>/<function>`, `anonymous`. */
  readonly by: string;
  /** Who may see the job and what comes of it (`identityOf`); absent: whoever has that name. */
  readonly owner?: string | undefined;
  /** Absent: `ctx.caller` is null. */
  readonly caller?: QueuedCaller | undefined;
  readonly requestId: string;
  /** Of the run that queues it, if that came of a trigger. */
  readonly chain?: Chain | undefined;
  /** Milliseconds; default: none. */
  readonly delay?: number | undefined;
  /** One of the same function with an equal one that has not begun yet is not queued again. */
  readonly key?: string | undefined;
}

/** The state of a queued call's job. */
export interface CallState {
  readonly input: string;
  readonly requestId: string;
  readonly caller?: QueuedCaller;
  readonly chain?: Chain;
}

/**
 * Queues a call in the transaction of what wants it; `realm.wakeJobs()` is to be called then.
 * @param id of its job
 */
export async function queueCallWithin(
  realm: Pick<RealmInstance, "clock" | "newId">,
  transaction: Transaction,
  { definition, input, by, owner, caller, requestId, chain, delay, key }: QueuedCall,
  id = realm.newId(),
): Promise<string> {
  const state: CallState = { input, requestId, ...(caller && { caller }), ...(chain && { chain }) };
  return queueJob(realm, transaction, {
    id,
    kind: callKindOf(definition),
    target: targetOf(definition),
    state,
    ...{ by, owner },
    ...(delay !== undefined && { delay }),
    ...(key !== undefined && { key }),
  });
}

/**
 * Queues a call.
 * @returns the id of its job, or of the one that waits under its key
 * @throws ApiError `write_conflict` where jobs of its key come and go all the time
 */
export async function queueCall(
  realm: Pick<RealmInstance, "store" | "clock" | "newId" | "wakeJobs">,
  call: QueuedCall,
): Promise<string> {
  const { definition, key } = call;
  const id = await optimistic(longBackoff, async () => {
    try {
      return await realm.store.transaction((transaction) => queueCallWithin(realm, transaction, call));
    } catch (error) {
      if (key === undefined || !(error instanceof UniqueViolation) || error.index !== keyIndex) throw error;
      return (await findJobUnder(realm.store, callKindOf(definition), key))?.id;
    }
  });
  realm.wakeJobs(call.delay);
  return id;
}
