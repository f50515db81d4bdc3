import { ApiError } from "../errors.ts";
import type { Answer, Received, RouteFactory } from "../realm/exchange.ts";
import type { WebhookDefinition } from "../realm/functions.ts";
import { admission, noInput } from "./admission.ts";
import { answerOf, failure, requireRoom } from "./answers.ts";
import type { Returned, WebhookInput } from "./invocation.ts";
import { functionsOf } from "./realm.ts";

/** `POST /v1/{realm}/{database}/_func/{function}` of mode `webhook`: bytes in, and what the function returns out. */
export function webhookRoute(definition: WebhookDefinition): RouteFactory {
  const path = `/v1/${definition.realm}/${definition.database}/_func/${definition.name}`;
  return (realm) => {
    const functions = functionsOf(realm);
    const admit = admission(realm, definition);
    return {
      class: "private",
      async handle(exchange): Promise<Answer> {
        const asked = await admit.identify(exchange);
        const received = await exchange.receive(() => admit.refused(asked));
        const access = received.inPieces ? await admit.identify(exchange) : asked;
        admit.require(access, noInput);
        const input = inputOf(received, path);
        requireRoom(functions, definition);
        const { requestId, address } = exchange;
        return answerOf(
          functions,
          { definition, input, requestId, address, caller: access.caller },
          (value) => webhookAnswer(definition, value),
        );
      },
    };
  };
}

/** @throws ApiError `payload_too_large` */
function inputOf({ body, method, search, headers }: Received, path: string): WebhookInput {
  if (body === "too-large") throw new ApiError("payload_too_large", "The request body is too large.");
  const bytes = body === "none" ? new Uint8Array() : body;
  return { kind: "webhook", method, path, search, headers: joined(headers), body: bytes };
}

function joined(headers: Received["headers"]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) values[name] = typeof value === "string" ? value : value.join(", ");
  }
  return values;
}

const bodiless = new Set([204, 205, 304]);

function webhookAnswer(definition: WebhookDefinition, value: Returned): Answer {
  if (value.kind !== "webhook") throw failure(definition, "invalid_output", "it is none of a webhook");
  const { status, body } = value;
  const { vary } = value.headers;
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    ...value.headers,
    // Whether an origin may read it is no less part of it (spec: Common request rules 5).
    ...(vary !== undefined && { vary: `Origin, ${vary}` }),
  };
  if (bodiless.has(status)) return { status, headers };
  return { status, headers, body: typeof body === "string" ? body : Buffer.from(body) };
}
