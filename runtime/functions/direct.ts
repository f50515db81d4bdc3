/** Requests to functions that come by no connection, of somebody who is known already. */
import { randomBytes } from "node:crypto";
import type { Caller } from "../realm/caller.ts";
import type { Answer, Exchange, RealmInstance, Received, RequestBody } from "../realm/exchange.ts";
import type { CallDefinition, EventDefinition, WebhookDefinition } from "../realm/functions.ts";
import { eventAsked } from "./administration/run.ts";
import { answerOf } from "./answers.ts";
import { callRoute } from "./call.ts";
import { inputOf } from "./events/event-jobs.ts";
import { type FunctionParts, openFunctions, RealmFunctions } from "./realm.ts";
import { webhookRoute } from "./webhook.ts";

export interface DirectRequest {
  readonly requestId: string;
  /** Who sends it. */
  readonly caller: Caller;
  readonly body: RequestBody;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Raw, without `?`. */
  readonly search?: string;
}

/**
 * Has a function run by its route, so that nothing holds here that does not hold there: its rule, its schemas, how it
 * answers. An idempotency key is made where one is required.
 * @throws (rejects with) what the route throws
 */
export async function requestDirectly(
  realm: RealmInstance,
  parts: FunctionParts,
  definition: WebhookDefinition | CallDefinition,
  request: DirectRequest,
): Promise<Answer> {
  const asked = { ...realm, authenticate: () => request.caller };
  const functions = openFunctions(asked, parts);
  try {
    const route = definition.mode === "call" ? callRoute(definition) : webhookRoute(definition);
    const { handle } = route(asked);
    const needsKey = definition.mode === "call" && definition.idempotency === "required";
    const key = needsKey ? { "idempotency-key": randomBytes(16).toString("hex") } : {};
    return await handle(new DirectExchange(request, { ...request.headers, ...key }));
  } finally {
    await functions.close();
  }
}

/**
 * Has an event function run as {@link eventAsked} says, at once, and waits for it.
 * @throws (rejects with) as that; ApiError `function_failed` | `function_timeout` | `unavailable` | `secret_missing`
 */
export async function runDirectly(
  realm: RealmInstance,
  parts: FunctionParts,
  definition: EventDefinition,
  request: Omit<DirectRequest, "caller">,
): Promise<Answer> {
  const job = realm.newId();
  const state = await eventAsked(realm, definition, new DirectExchange(request, request.headers ?? {}), job);
  const functions = new RealmFunctions(realm, parts);
  try {
    const chain = state.kind === "trigger" ? { chain: state.chain } : {};
    const { requestId } = request;
    const run = { definition, input: inputOf(state, 1), requestId, ...chain };
    return await answerOf(functions, run, () => ({ status: 204 }));
  } finally {
    await functions.close();
  }
}

class DirectExchange implements Received {
  readonly method = "POST";
  readonly params: Exchange["params"] = {};
  /** Of nobody who is elsewhere. */
  readonly address = "";
  readonly abandoned = false;
  /** All of it is here. */
  readonly inPieces = false;
  readonly headers: Exchange["headers"];
  readonly body: RequestBody;
  readonly requestId: string;
  readonly search: string;

  constructor({ body, requestId, search = "" }: Omit<DirectRequest, "caller">, headers: Exchange["headers"]) {
    this.headers = headers;
    this.body = body;
    this.requestId = requestId;
    this.search = search;
  }

  reserve(): void {}

  async receive(refusal?: Parameters<Exchange["receive"]>[0]): Promise<Received> {
    const refused = refusal?.();
    if (refused !== undefined) throw refused;
    return this;
  }
}
