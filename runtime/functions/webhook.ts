import { validateHeaderName, validateHeaderValue } from "node:http";
import { ApiError } from "../errors.ts";
import type { Answer, Received, RouteFactory } from "../realm/exchange.ts";
import type { WebhookDefinition } from "../realm/functions.ts";
import { admission, noInput } from "./admission.ts";
import { failure, noRoom, refusedAnswer, seenRejection } from "./answers.ts";
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
        const wait = functions.limits.take();
        if (wait > 0) throw noRoom(definition, wait);
        const { requestId, address } = exchange;
        const { result } = await functions
          .run({ definition, input, requestId, address, caller: access.caller })
          .catch((error: unknown) => {
            throw seenRejection(definition, error);
          });
        if (result.kind !== "returned") return refusedAnswer(definition, result, requestId);
        return webhookAnswer(definition, result.value);
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
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) values[name] = typeof value === "string" ? value : value.join(", ");
  }
  return values;
}

/** Of the connection, not of the answer (RFC 9110, 7.6.1), or the server's own. */
const dropped = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-request-id",
]);

const bodiless = new Set([204, 205, 304]);

/** @throws ApiError `invalid_output` for headers that none are */
function webhookAnswer(definition: WebhookDefinition, value: Returned): Answer {
  if (value.kind !== "webhook") throw failure(definition, "invalid_output", "it is none of a webhook");
  const status = isStatus(value.status) ? value.status : 200;
  const headers: Record<string, string> = {
    "content-type": "text/plain; charset=utf-8",
    ...headersOf(definition, value.headers),
  };
  if (bodiless.has(status)) return { status, headers };
  const { body } = value;
  return { status, headers, body: typeof body === "string" ? body : Buffer.from(body) };
}

/** One that ends a request. */
function isStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599;
}

function headersOf(
  definition: WebhookDefinition,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const entries = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  const connection = entries.find(([name]) => name === "connection")?.[1] ?? "";
  const named = new Set(
    connection
      .toLowerCase()
      .split(",")
      .map((name) => name.trim()),
  );
  for (const [name, value] of entries) {
    if (dropped.has(name) || named.has(name)) continue;
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw failure(definition, "invalid_output", `a header that cannot be sent: ${JSON.stringify(name)}`);
    }
    // Whether an origin may read it is no less part of it (spec: Common request rules 5).
    headers[name] = name === "vary" ? `Origin, ${value}` : value;
  }
  return headers;
}
