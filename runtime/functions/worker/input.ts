import type { WebhookRequest } from "../handler.ts";
import type { TriggerInput } from "../invocation.ts";
import type { PackedBytes, PackedInput } from "../messages.ts";
import { unpackBytes, unpackHeaders } from "../packing.ts";

/** What a handler is called with. */
export function inputOf(packed: PackedInput): unknown {
  switch (packed[0]) {
    case "webhook":
      return new Webhook(packed);
    case "call":
      return JSON.parse(packed[1]);
    case "schedule":
      return { kind: packed[0], at: packed[1], attempt: packed[2] };
    case "trigger":
      return event(packed[1]);
  }
}

function event({ kind, event, collection, document, previous, at, attempt }: TriggerInput): object {
  return {
    kind,
    event,
    collection,
    document: JSON.parse(document),
    previous: previous === undefined ? null : JSON.parse(previous),
    at,
    attempt,
  };
}

/** What few handlers look at is made when it is first looked at. */
class Webhook implements WebhookRequest {
  readonly method: string;
  readonly path: string;
  readonly #search: string;
  readonly #packedHeaders: string;
  readonly #packedBody: PackedBytes;
  #headers: Readonly<Record<string, string>> | undefined;
  #body: Uint8Array | undefined;
  #query: URLSearchParams | undefined;

  constructor([, method, path, search, headers, body]: Extract<
    PackedInput,
    readonly ["webhook", ...unknown[]]
  >) {
    this.method = method;
    this.path = path;
    this.#search = search;
    this.#packedHeaders = headers;
    this.#packedBody = body;
  }

  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= unpackHeaders(this.#packedHeaders);
    return this.#headers;
  }

  get body(): Uint8Array {
    this.#body ??= unpackBytes(this.#packedBody);
    return this.#body;
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#search);
    return this.#query;
  }

  text(): string {
    return new TextDecoder().decode(this.body);
  }

  json(): unknown {
    return JSON.parse(this.text());
  }
}
