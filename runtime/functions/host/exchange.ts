import type { Access } from "../../documents/access.ts";
import type { Caller } from "../../realm/caller.ts";
import type { Exchange, Received, RequestBody } from "../../realm/exchange.ts";
import type { Chain, FunctionDefinition } from "../../realm/functions.ts";
import type { HostRequest } from "../invocation.ts";

/** Whose requests those of a run are. */
export interface RunIdentity {
  readonly requestId: string;
  /** Of the client who called; empty where none did. */
  readonly address: string;
  /** The function's own rights, but for what is withheld. */
  readonly own: Access;
  /** Who called, if anybody did. */
  readonly caller: Caller | undefined;
}

/** Whose run it is that a host answers, and what it is of. */
export interface HostedRun extends RunIdentity {
  readonly definition: FunctionDefinition;
  readonly chain: Chain | undefined;
  readonly secrets: Readonly<Record<string, string>>;
}

export type DocumentRequest = Extract<HostRequest, { kind: "documents" }>;

/** A request of a handler to the routes of documents. */
export class HostExchange implements Received {
  readonly identity: RunIdentity;
  readonly params: Exchange["params"];
  readonly body: RequestBody;
  /** All of it is here. */
  readonly inPieces = false;
  /** Somebody always waits. */
  readonly abandoned = false;
  readonly #request: DocumentRequest;

  constructor(
    identity: RunIdentity,
    request: DocumentRequest,
    params: Exchange["params"],
    body: RequestBody,
  ) {
    this.identity = identity;
    this.#request = request;
    this.params = params;
    this.body = body;
  }

  get method(): string {
    return this.#request.method;
  }

  get search(): string {
    return this.#request.search;
  }

  get headers(): Exchange["headers"] {
    return this.#request.headers;
  }

  get requestId(): string {
    return this.identity.requestId;
  }

  get address(): string {
    return this.identity.address;
  }

  /** Answers go to a thread of this process, whose own memory bounds them. */
  reserve(): void {}

  async receive(): Promise<Received> {
    return this;
  }
}

/** @throws Error where a client came this way */
export function identityOf(exchange: Exchange): RunIdentity {
  if (exchange instanceof HostExchange) return exchange.identity;
  throw new Error("this way is for functions alone");
}
