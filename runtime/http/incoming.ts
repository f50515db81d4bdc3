import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Exchange, RequestBody } from "../realm/exchange.ts";
import type { AddressOf } from "./address.ts";
import type { Endpoint } from "./endpoint.ts";

/** A request under way: what handlers see of it ({@link Exchange}), and the response that it ends in. */
export class Incoming implements Exchange {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly endpoint: Endpoint;
  readonly params: Exchange["params"];
  readonly requestId: string;
  body: RequestBody = "none";
  /** `performance.now()` at its arrival, where somebody watches; else 0. */
  started = 0;
  readonly #addressOf: AddressOf;

  constructor(
    raw: IncomingMessage,
    response: ServerResponse,
    endpoint: Endpoint,
    params: Exchange["params"],
    requestId: string,
    addressOf: AddressOf,
  ) {
    this.raw = raw;
    this.response = response;
    this.endpoint = endpoint;
    this.params = params;
    this.requestId = requestId;
    this.#addressOf = addressOf;
  }

  get method(): string {
    return this.raw.method ?? "GET";
  }

  get search(): string {
    const target = this.raw.url ?? "";
    const at = target.indexOf("?");
    return at < 0 ? "" : target.slice(at + 1);
  }

  get headers(): IncomingHttpHeaders {
    return this.raw.headers;
  }

  get abandoned(): boolean {
    return this.raw.socket.destroyed;
  }

  get address(): string {
    const forwarded = this.raw.headers["x-forwarded-for"];
    return this.#addressOf(
      this.raw.socket.remoteAddress ?? "",
      typeof forwarded === "string" ? forwarded : forwarded?.join(","),
    );
  }
}
