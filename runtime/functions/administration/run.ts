import { appendAudit } from "../../auth/administration/audit.ts";
import { administratorRoute } from "../../auth/contracted.ts";
import { timestamp } from "../../clock.ts";
import * as contract from "../../contract/functions.ts";
import { traitsOf } from "../../contract/traits.ts";
import { ApiError, type Detail } from "../../errors.ts";
import { type BodyOf, bodyReader, type Judge } from "../../http/contract-body.ts";
import { isId } from "../../ids.ts";
import { queueJob } from "../../jobs/queue.ts";
import { storeNameOf } from "../../realm/definition.ts";
import type { RealmInstance, Received } from "../../realm/exchange.ts";
import { type EventDefinition, functionName } from "../../realm/functions.ts";
import { type EventState, eventJob } from "../events/event-jobs.ts";
import { requireFunction } from "./functions.ts";

type Asked = BodyOf<typeof contract.runFunction>;

/** Queues an event as if it had happened just now; audited. */
export const runFunction = administratorRoute(
  contract.runFunction,
  (realm) =>
    async ({ exchange, params, body }, { caller }) => {
      const definition = requireFunction(realm, params);
      const asked = body(judge);
      if (definition.mode !== "event")
        throw invalid("kind", "is of event functions alone; this one is called");
      const job = realm.newId();
      const state = await stateOf(realm, definition, asked, job);
      await realm.store.transaction(async (transaction) => {
        await queueJob(realm, transaction, { ...eventJob(definition, state, caller.actor), id: job });
        await appendAudit(realm, transaction, exchange, caller, {
          action: "function.run",
          target: `function:${functionName(definition)}`,
          details: { kind: asked.kind, job },
        });
      });
      realm.wakeJobs();
      return { job };
    },
);

/**
 * The event that a request of {@link runFunction} asks for.
 * @param job id of what runs it
 * @throws (rejects with) ApiError `validation_error` | `not_found`, and as `readJson`
 */
export function eventAsked(
  realm: RealmInstance,
  definition: EventDefinition,
  sent: Received,
  job: string,
): Promise<EventState> {
  const read = bodyReader(contract.runFunction, traitsOf(realm.definition));
  return stateOf(realm, definition, read(sent)(judge), job);
}

const judge: Judge<Asked> = (given, tell) => {
  for (const { path, reason } of problemsOf(given)) tell(path, reason);
};

const ofTriggers = ["collection", "event", "document"] as const;

function problemsOf({ kind, ...given }: Partial<Asked>): readonly Detail[] {
  return ofTriggers.flatMap((path) => {
    if (kind === "trigger" && given[path] === undefined) return [{ path, reason: "is required" }];
    if (kind === "schedule" && given[path] !== undefined) return [{ path, reason: "is of triggers alone" }];
    return [];
  });
}

/** @throws ApiError `validation_error` for what the function does not run for; `not_found` without the document */
async function stateOf(
  realm: RealmInstance,
  definition: EventDefinition,
  { kind, collection = "", event, document: id = "" }: Asked,
  job: string,
): Promise<EventState> {
  const at = timestamp(realm.clock.now());
  if (kind === "schedule") {
    if (definition.schedule === undefined) throw invalid("kind", "is none that the function has");
    return { kind, at };
  }
  const named = collection.includes("/") ? collection : `${definition.database}/${collection}`;
  const trigger = definition.triggers.find((each) => `${each.database}/${each.collection}` === named);
  if (trigger === undefined) throw invalid("collection", "is none that the function has a trigger on");
  if (event === undefined || !trigger.on.includes(event))
    throw invalid("event", "is none that the function has a trigger on");
  const place = { database: trigger.database, name: trigger.collection };
  const visibility = event === "delete" ? "all" : "live";
  const found = isId(id) ? await realm.store.collection(storeNameOf(place)).get(id, visibility) : undefined;
  if (found === undefined) throw new ApiError("not_found", "There is no such document.");
  const document = JSON.parse(found.text);
  return { kind, event, collection: named, document, at, chain: { root: job, depth: 1 } };
}

function invalid(path: string, reason: string): ApiError {
  return new ApiError("validation_error", "The function cannot be run so.", { details: [{ path, reason }] });
}
