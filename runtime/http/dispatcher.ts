import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { ApiError } from "../errors.ts";
import type { Answer, Exchange, Log } from "../realm/exchange.ts";
import type { AddressOf } from "./address.ts";
import { allowOrigin } from "./cors.ts";
import type { Endpoint } from "./endpoint.ts";
import { apiError, errorAnswer } from "./failures.ts";
import { Incoming } from "./incoming.ts";
import { bringsBody, bringsMuch, receiveBody } from "./intake.ts";
import { linger } from "./linger.ts";
import type { requestIds } from "./request-id.ts";

/** Told of every answer: metrics, and the log at level `debug`. */
export type Observer = (exchange: Exchange, pattern: string, status: number, milliseconds: number) => void;

export interface DispatcherOptions {
  readonly maxBodyBytes: number;
  readonly addressOf: AddressOf;
  readonly requestId: ReturnType<typeof requestIds>;
  readonly log: Log;
  /** Absent where nobody watches, which is cheaper. */
  readonly observe?: Observer | undefined;
}

/** Takes a routed request through its handler to its answer; every answer and every error of the API leaves here. */
export class Dispatcher {
  /** Answers close their connections from now on. */
  draining = false;
  readonly #options: DispatcherOptions;
  #running = 0;
  #idle: (() => void) | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  dispatch(
    endpoint: Endpoint,
    raw: IncomingMessage,
    response: ServerResponse,
    params: Exchange["params"],
  ): void {
    const options = this.#options;
    const exchange = new Incoming(
      raw,
      response,
      endpoint,
      params,
      options.requestId(raw.headers),
      options.addressOf,
    );
    if (options.observe !== undefined) exchange.started = performance.now();
    if (raw.headers.host === undefined && raw.httpVersion === "1.1") {
      this.fail(exchange, new ApiError("invalid_header", "The Host header is missing."));
    } else if (endpoint.handle === undefined) {
      this.fail(
        exchange,
        new ApiError("unavailable", "The service is starting.", { headers: { "retry-after": "1" } }),
      );
    } else if (endpoint.readsBody && bringsBody(raw)) {
      this.#running += 1;
      receiveBody(
        raw,
        options.maxBodyBytes,
        (body) => {
          exchange.body = body;
          void this.#run(exchange);
        },
        () => this.#ran(),
      );
    } else {
      this.#running += 1;
      void this.#run(exchange);
    }
  }

  async #run(exchange: Incoming): Promise<void> {
    try {
      // Without a handler, dispatch() has refused.
      const answer = await exchange.endpoint.handle?.(exchange);
      if (answer !== undefined) this.send(exchange, answer);
    } catch (error) {
      this.fail(exchange, error);
    } finally {
      this.#ran();
    }
  }

  #ran(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#idle?.();
  }

  /** Resolves when no handler runs. */
  async idle(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  fail(exchange: Incoming, error: unknown): void {
    const seen = apiError(error);
    if (seen.code === "internal_error" || (seen.status >= 500 && seen.cause !== undefined)) {
      this.#report(exchange, seen);
    }
    const { response, requestId } = exchange;
    if (response.headersSent) return;
    try {
      this.send(exchange, errorAnswer(seen, requestId));
    } catch (err) {
      this.#options.log.error({ err, request_id: requestId }, "answer failed");
      response.destroy();
    }
  }

  /** What stands behind a 5xx is for the log alone; nothing of the request is in it but the route and the id. */
  #report({ method, requestId, endpoint }: Incoming, { code, cause }: ApiError): void {
    const fields = { err: cause, request_id: requestId, method, route: endpoint.pattern };
    if (code === "internal_error") this.#options.log.error(fields, "request failed");
    else this.#options.log.warn(fields, "request refused");
  }

  send(exchange: Incoming, answer: Answer): void {
    const { raw, response, endpoint, requestId } = exchange;
    const { body } = answer;
    const { vary, cacheControl } = endpoint.headers;
    const headers: OutgoingHttpHeaders = { "x-request-id": requestId, "cache-control": cacheControl };
    if (vary !== undefined) headers["vary"] = vary;
    let encoding: BufferEncoding = "utf8";
    if (body !== undefined) {
      const length = Buffer.byteLength(body);
      // ASCII alone is the same in Latin-1, which Node copies rather than converts. Bytes are sent as they are.
      if (length === body.length) encoding = "latin1";
      headers["content-type"] = "application/json; charset=utf-8";
      headers["content-length"] = length;
    } else if (answer.status !== 204 && answer.status !== 304) {
      headers["content-length"] = 0;
    }
    for (const name in answer.headers) headers[name] = answer.headers[name];
    const { origin } = raw.headers;
    if (origin !== undefined && endpoint.cors !== undefined) allowOrigin(headers, endpoint.cors, origin);
    const unread = (exchange.body === "too-large" || !endpoint.readsBody) && bringsMuch(raw);
    if (this.draining || unread) headers["connection"] = "close";
    response.writeHead(answer.status, headers);
    if (unread) linger(raw, response, body);
    else response.end(body, encoding);
    if (exchange.started > 0) {
      this.#options.observe?.(
        exchange,
        endpoint.pattern,
        answer.status,
        performance.now() - exchange.started,
      );
    }
  }
}
