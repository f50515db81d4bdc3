import type { WebhookRequest } from "../handler.ts";
import type { FunctionInput, WebhookInput } from "../invocation.ts";

/** What a handler is called with. */
export function inputOf(input: FunctionInput): unknown {
  switch (input.kind) {
    case "webhook":
      return new Webhook(input);
    case "call":
      return JSON.parse(input.input);
    case "schedule":
      return { kind: input.kind, at: input.at, attempt: input.attempt };
    case "trigger": {
      const { kind, event, collection, document, previous, at, attempt } = input;
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
  }
}

class Webhook implements WebhookRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly #search: string;
  #query: URLSearchParams | undefined;

  constructor({ method, path, search, headers, body }: WebhookInput) {
    this.method = method;
    this.path = path;
    this.headers = headers;
    this.body = body;
    this.#search = search;
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
