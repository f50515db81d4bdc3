import { ApiError } from "../../errors.ts";
import { identityOf } from "../../realm/caller.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { functionName } from "../../realm/functions.ts";
import { ownCaller, queuedCaller } from "../caller.ts";
import { queueCall } from "../events/calls.ts";
import { readInput } from "../input.ts";
import type { HostReply, HostRequest } from "../invocation.ts";
import type { HostedRun } from "./exchange.ts";

/** Characters of a key, and milliseconds of a delay. */
const longestKey = 200;
const longestDelay = 365 * 24 * 3_600_000;

/** `ctx.jobs.enqueue`: has a call run later, for who called this one, or for the function itself. */
export async function enqueue(
  realm: RealmInstance,
  run: HostedRun,
  { function: name, input, delay, key }: Extract<HostRequest, { kind: "enqueue" }>,
): Promise<HostReply> {
  const definition = realm.definition.functions?.find((each) => functionName(each) === name);
  if (definition?.mode !== "call") throw new ApiError("not_found", "There is no such call.");
  if (key !== undefined && (key === "" || key.length > longestKey))
    throw invalid("key", `must have 1 to ${longestKey} characters`);
  if (delay !== undefined && !(delay >= 0 && delay <= longestDelay))
    throw invalid("delay", "must be at most a year");
  const body = { body: Buffer.from(input), headers: { "content-type": "application/json" } };
  readInput(definition, body);
  const caller = run.caller ?? ownCaller(run.definition);
  const { requestId, chain } = run;
  const id = await queueCall(realm, {
    ...{ definition, input, delay, key, requestId, chain },
    ...{ by: caller.actor, owner: identityOf(caller) },
    caller: queuedCaller(caller),
  });
  return { status: 202, body: JSON.stringify({ id }) };
}

function invalid(path: string, reason: string): ApiError {
  return new ApiError("validation_error", "The call cannot be queued.", { details: [{ path, reason }] });
}
