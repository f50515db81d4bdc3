/** One run of a function that somebody at the command line asks for: by its route, if it has one. */
import { HandlerFailure } from "../functions/answers.ts";
import { callerOf, commandCaller } from "../functions/caller.ts";
import { requestDirectly, runDirectly } from "../functions/direct.ts";
import type { FunctionParts } from "../functions/realm.ts";
import { apiError, errorAnswer } from "../http/failures.ts";
import { anonymous, type Caller } from "../realm/caller.ts";
import type { Answer, RealmInstance } from "../realm/exchange.ts";
import type { FunctionDefinition } from "../realm/functions.ts";

export interface Invocation {
  /** Absent: the empty object for a call, nothing for a webhook, a schedule's run for an event function. */
  readonly body?: Buffer | undefined;
  /** Id of the user who calls. */
  readonly as?: string | undefined;
}

export interface Invoked {
  readonly answer: Answer;
  /** Why it failed, which a server tells its log alone. */
  readonly reason?: string;
}

/** There is no such user, or none who may do anything. */
export class NobodyThere extends Error {}

/** @throws (rejects with) NobodyThere */
export async function invoked(
  realm: RealmInstance,
  parts: FunctionParts,
  definition: FunctionDefinition,
  { body, as }: Invocation,
): Promise<Invoked> {
  const requestId = `invoke-${realm.newId()}`;
  const caller = await callerCalled(realm, definition, as);
  const request = { requestId, headers: { "content-type": "application/json" } };
  try {
    const answer =
      definition.mode === "event"
        ? await runDirectly(realm, parts, definition, { ...request, body: body ?? scheduled })
        : await requestDirectly(realm, parts, definition, {
            ...{ ...request, caller },
            body: body ?? (definition.mode === "call" ? Buffer.from("{}") : "none"),
          });
    return { answer };
  } catch (error) {
    const told = apiError(error);
    const { status, cause } = told;
    const isFailure = status >= 500 && cause instanceof Error;
    return {
      answer: errorAnswer(told, requestId),
      ...(isFailure && { reason: cause instanceof HandlerFailure ? cause.told : cause.message }),
    };
  }
}

const scheduled = Buffer.from('{"kind":"schedule"}');

async function callerCalled(
  realm: RealmInstance,
  { mode }: FunctionDefinition,
  as: string | undefined,
): Promise<Caller> {
  if (mode !== "call") return anonymous;
  if (as === undefined) return commandCaller;
  const caller = await callerOf(realm, { kind: "user", id: as });
  if (caller !== undefined) return caller;
  throw new NobodyThere(`--as: realm ${realm.definition.name} has no active user ${JSON.stringify(as)}`);
}
