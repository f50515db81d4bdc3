import type { Access } from "../documents/access.ts";
import {
  type Asked,
  type IdempotencyKey,
  idempotency,
  idempotencyKey,
  idempotentRuns,
} from "../documents/idempotency.ts";
import { nowhere } from "../documents/organizations.ts";
import { ApiError } from "../errors.ts";
import { bodyBytes } from "../http/body.ts";
import { parameters } from "../http/parameters.ts";
import { anonymous, identityOf } from "../realm/caller.ts";
import type { Answer, Exchange, RealmInstance, RouteFactory } from "../realm/exchange.ts";
import type { CallDefinition } from "../realm/functions.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { admission } from "./admission.ts";
import { answerOf, failure, requireRoom } from "./answers.ts";
import { queuedCaller } from "./caller.ts";
import { type QueuedCall, queueCallWithin } from "./events/calls.ts";
import { inputBody, inputText, requireInput } from "./input.ts";
import { functionsOf, type RealmFunctions } from "./realm.ts";

/** A call that may be made. */
interface Admitted {
  readonly exchange: Exchange;
  readonly access: Access;
  /** JSON text that fits its schema. */
  readonly input: string;
}

/** `POST /v1/{realm}/{database}/_func/{function}` of mode `call`: an input that fits its schema in, the output out. */
export function callRoute(definition: CallDefinition): RouteFactory {
  const target = `${definition.database}/_func/${definition.name}`;
  return (realm) => {
    const functions = functionsOf(realm);
    const admit = admission(realm, definition);
    const runOnce = idempotentRuns(realm, target);
    const queueOnce = idempotency(realm, target, () => []);
    return {
      class: "private",
      async handle(exchange): Promise<Answer> {
        const asked = await admit.identify(exchange);
        const key = keyOf(definition, exchange, asked);
        const isQueued = asksToQueue(exchange);
        // What was answered to the key goes before what its caller may do now.
        const received = await exchange.receive(() => (key === undefined ? admit.refused(asked) : undefined));
        const access = received.inPieces ? await admit.identify(exchange) : asked;
        const body = inputBody(definition, received);
        const admitted = (): Admitted => {
          const refusal = admit.refused(access);
          if (refusal !== undefined) throw refusal;
          requireKey(definition, key);
          requireInput(definition, body);
          admit.require(access, body.value);
          requireRoom(functions, definition);
          return { exchange, access, input: inputText(received) };
        };
        const request: Asked = { body: body.value, named: nowhere, withheld: undefined, queued: isQueued };
        const bytes = bodyBytes(received);
        if (isQueued) {
          const prepare = async () => queueing(realm, definition, admitted());
          const answer =
            key === undefined
              ? await realm.store.transaction((await prepare()).write, { bytes })
              : await queueOnce(key, request, prepare, bytes);
          realm.wakeJobs();
          return answer;
        }
        if (key === undefined) return run(functions, definition, admitted());
        const prepare = async () => {
          const call = admitted();
          return () => run(functions, definition, call);
        };
        return runOnce(key, request, prepare, bytes);
      },
    };
  };
}

function run(
  functions: RealmFunctions,
  definition: CallDefinition,
  { exchange: { requestId, address }, access, input }: Admitted,
): Promise<Answer> {
  const asked = {
    ...{ definition, requestId, address },
    input: { kind: "call", input },
    caller: access.caller ?? anonymous,
    memberships: access.context?.memberships,
  } as const;
  return answerOf(functions, asked, (value) => {
    if (value.kind !== "call") throw failure(definition, "invalid_output", "it is none of a call");
    return { status: 200, body: value.output };
  });
}

/** What `?async=true` writes: the job that makes the call. */
function queueing(
  realm: RealmInstance,
  definition: CallDefinition,
  { exchange, access, input }: Admitted,
): { readonly answer: Answer; readonly write: (transaction: Transaction) => Promise<Answer> } {
  const job = realm.newId();
  const { caller = anonymous } = access;
  const { requestId } = exchange;
  const call: QueuedCall = {
    ...{ definition, input, requestId },
    ...{ by: caller.actor, owner: identityOf(caller) },
    caller: queuedCaller(caller),
  };
  const location = `/v1/${definition.realm}/${definition.database}/_jobs/${job}`;
  const answer = { status: 202, body: JSON.stringify({ job }), headers: { location } };
  return {
    answer,
    async write(transaction) {
      await queueCallWithin(realm, transaction, call, job);
      return answer;
    },
  };
}

/** @throws ApiError `invalid_query` */
function asksToQueue({ search }: Exchange): boolean {
  const query = parameters(search, ["async"], (values) => {
    const value = values.get("async") ?? "false";
    const isKnown = value === "true" || value === "false";
    return isKnown ? [] : [{ path: "async", reason: "must be true or false" }];
  });
  return query.get("async") === "true";
}

/** @throws ApiError `invalid_header` */
function keyOf(
  { idempotency }: CallDefinition,
  exchange: Exchange,
  access: Access,
): IdempotencyKey | undefined {
  if (idempotency === "none" && exchange.headers["idempotency-key"] !== undefined) {
    throw new ApiError("invalid_header", "The idempotency key is not accepted.", {
      details: [{ path: "Idempotency-Key", reason: "is not taken by this function, which may run twice" }],
    });
  }
  return idempotencyKey(exchange, access);
}

function requireKey({ idempotency }: CallDefinition, key: IdempotencyKey | undefined): void {
  if (idempotency !== "required" || key !== undefined) return;
  throw new ApiError("idempotency_key_required", "This function needs an Idempotency-Key header.");
}
