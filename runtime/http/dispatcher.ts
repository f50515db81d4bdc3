import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ApiError, unavailable } from "../errors.ts";
import type { Answer, Exchange, Log, StreamedBody } from "../realm/exchange.ts";
import { SMALL, UntakenAnswers } from "./answer-memory.ts";
import { allowOrigin } from "./cors.ts";
import type { Endpoint } from "./endpoint.ts";
import { apiError, errorAnswer } from "./failures.ts";
import { Incoming, type Reception } from "./incoming.ts";
import { Abandoned } from "./intake.ts";
import { linger } from "./linger.ts";
import type { requestIds } from "./request-id.ts";
import { isStream, Streams } from "./streams/streams.ts";

/** An answer as who watches hears of it. */
export interface Answered {
  /** Of the route. */
  readonly pattern: string;
  readonly status: number;
  /** From the request's arrival to its answer, or to the beginning of one that is a stream. */
  readonly milliseconds: number;
  /** Of the body. */
  readonly bytes: number;
}

/** Told of every answer, of a stream at its end: metrics, and the log of requests. */
export type Observer = (exchange: Exchange, answered: Answered) => void;

export interface DispatcherOptions {
  readonly reception: Reception;
  /** Milliseconds in which a connection must take something of its answer. */
  readonly answerPatience: number;
  readonly requestId: ReturnType<typeof requestIds>;
  readonly log: Log;
  /** Absent where nobody watches, which is cheaper. */
  readonly observe?: Observer | undefined;
  /** Present while somebody develops. */
  readonly explain?: Explain | undefined;
}

/** Told of a refusal before it is answered; answers headers to add. */
export type Explain = (request: Explainable, error: ApiError) => Readonly<Record<string, string>> | undefined;

interface Explainable {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly requestId: string;
}

/** Takes a routed request through its handler to its answer; every answer and every error of the API leaves here. */
export class Dispatcher {
  /** Answers close their connections. */
  draining = false;
  /** Connections whose requests come when nobody can answer them any longer. */
  readonly refused = new WeakSet<Socket>();
  readonly streams: Streams;
  readonly #options: DispatcherOptions;
  readonly #untaken: UntakenAnswers;
  #running = 0;
  #idle: (() => void) | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#untaken = new UntakenAnswers(options.answerPatience);
    this.streams = new Streams(this.#untaken, options.reception.answers.limit / 2);
  }

  /** The server shuts down: answers close their connections from now on, and streams end. */
  drain(): void {
    this.draining = true;
    this.streams.close();
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
      options.reception,
    );
    if (options.observe !== undefined) exchange.started = performance.now();
    const problem = hostProblem(raw);
    if (problem !== undefined) {
      this.fail(exchange, new ApiError("invalid_header", problem));
    } else if (endpoint.handle === undefined) {
      this.fail(exchange, unavailable("The service is starting."));
    } else if (this.draining && this.refused.has(raw.socket)) {
      this.fail(exchange, unavailable("The service is being handed over."));
    } else {
      this.#running += 1;
      void this.#run(exchange);
    }
  }

  /** Handlers, and answers that are streams. */
  get running(): number {
    return this.#running;
  }

  async #run(exchange: Incoming): Promise<void> {
    try {
      // Without a handler, dispatch() has refused.
      const answer = await exchange.endpoint.handle?.(exchange);
      if (answer !== undefined) this.send(exchange, answer);
    } catch (error) {
      if (error instanceof Abandoned) exchange.hold(0);
      else this.fail(exchange, error);
    } finally {
      exchange.release();
      this.#ran();
    }
  }

  /** What of an answer waits for its client is counted until it is taken; mostly all of it is taken at once. */
  #hold(exchange: Incoming, length: number): void {
    const { raw, response } = exchange;
    if (response.writableFinished || raw.socket.destroyed) {
      if (exchange.reserved > 0) exchange.hold(0);
      return;
    }
    exchange.hold(length);
    this.#untaken.add(response, () => exchange.hold(0));
    // Of those that are never refused, those whose clients take none of them end here.
    if (!isRefusable(exchange, length) && this.#options.reception.answers.isFull) raw.socket.destroy();
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
    exchange.hold(0);
    try {
      const told = this.#explained(exchange, seen);
      const answer = errorAnswer(seen, requestId);
      this.send(
        exchange,
        told === undefined ? answer : { ...answer, headers: { ...answer.headers, ...told } },
      );
    } catch (err) {
      this.#options.log.error({ err, request_id: requestId }, "answer failed");
      response.destroy();
    }
  }

  /** Nobody is answered less for it. */
  #explained({ method, raw, requestId }: Incoming, error: ApiError): ReturnType<Explain> {
    const [path = ""] = (raw.url ?? "").split("?", 1);
    try {
      return this.#options.explain?.({ method, path, requestId }, error);
    } catch (err) {
      this.#options.log.warn({ err, request_id: requestId }, "refusal not explained");
      return undefined;
    }
  }

  /** What stands behind a 5xx is for the log alone; nothing of the request is in it but the route and the id. */
  #report({ method, requestId, endpoint }: Incoming, { code, cause }: ApiError): void {
    const fields = { err: cause, request_id: requestId, method, route: endpoint.pattern };
    if (code === "internal_error") this.#options.log.error(fields, "request failed");
    else this.#options.log.warn(fields, "request refused");
  }

  send(exchange: Incoming, answer: Answer): void {
    const { body } = answer;
    if (isStream(body)) {
      this.#sendStream(exchange, answer, body);
      return;
    }
    const { raw, response } = exchange;
    const headers = this.#headers(exchange);
    let encoding: BufferEncoding = "utf8";
    let length = 0;
    if (body !== undefined) {
      length = Buffer.byteLength(body);
      if (isRefusable(exchange, length)) exchange.reserve(length);
      // ASCII alone is the same in Latin-1, which Node copies rather than converts. Bytes are sent as they are.
      if (length === body.length) encoding = "latin1";
      headers["content-type"] = "application/json; charset=utf-8";
      headers["x-content-type-options"] = "nosniff";
      headers["content-length"] = length;
    } else if (answer.status !== 204 && answer.status !== 304) {
      headers["content-length"] = 0;
    }
    const unread = this.#head(exchange, answer, headers);
    if (unread) linger(raw, response, body);
    else response.end(body, encoding);
    this.#hold(exchange, length);
    if (exchange.started > 0)
      this.#observe(exchange, answer.status, performance.now(), raw.method === "HEAD" ? 0 : length);
  }

  #sendStream(exchange: Incoming, answer: Answer, body: StreamedBody): void {
    const { raw, response } = exchange;
    const headers = this.#headers(exchange);
    headers["content-type"] = "application/octet-stream";
    headers["x-content-type-options"] = "nosniff";
    if (body.length !== undefined) headers["content-length"] = body.length;
    // What was read for it is in its source, if anything is.
    exchange.hold(0);
    if (raw.method === "HEAD") {
      const unread = this.#head(exchange, answer, headers);
      if (unread) linger(raw, response, undefined);
      else response.end();
      if (exchange.started > 0) this.#observe(exchange, answer.status, performance.now(), 0);
      return;
    }
    this.#running += 1;
    void this.#stream(exchange, answer, body, headers);
  }

  async #stream(
    exchange: Incoming,
    answer: Answer,
    body: StreamedBody,
    headers: OutgoingHttpHeaders,
  ): Promise<void> {
    let begun = 0;
    try {
      const { bytes, error } = await this.streams.send(exchange, body, () => {
        this.#head(exchange, answer, headers);
        begun = performance.now();
      });
      if (error !== undefined) this.#report(exchange, apiError(error));
      if (exchange.started > 0 && begun > 0) this.#observe(exchange, answer.status, begun, bytes);
    } catch (error) {
      this.fail(exchange, error);
    } finally {
      this.#ran();
    }
  }

  /** What every answer's head begins with. */
  #headers({ endpoint, requestId }: Incoming): OutgoingHttpHeaders {
    const { vary, cacheControl } = endpoint.headers;
    const headers: OutgoingHttpHeaders = { "x-request-id": requestId, "cache-control": cacheControl };
    if (vary !== undefined) headers["vary"] = vary;
    return headers;
  }

  /** @returns whether the connection must be closed for what is left unread of the request */
  #head(exchange: Incoming, answer: Answer, headers: OutgoingHttpHeaders): boolean {
    const { raw, response, endpoint } = exchange;
    for (const name in answer.headers) headers[name] = answer.headers[name];
    const { origin } = raw.headers;
    if (origin !== undefined && endpoint.cors !== undefined)
      allowOrigin(headers, endpoint.cors, origin, endpoint.manners?.read);
    const unread = exchange.leavesUnread;
    if (this.draining || unread) headers["connection"] = "close";
    response.writeHead(answer.status, headers);
    return unread;
  }

  #observe(exchange: Incoming, status: number, answered: number, bytes: number): void {
    const { endpoint, started } = exchange;
    this.#options.observe?.(exchange, {
      pattern: endpoint.pattern,
      status,
      milliseconds: answered - started,
      bytes,
    });
  }
}

/** RFC 9112, 3.2. */
function hostProblem({ headers: { host }, httpVersion }: IncomingMessage): string | undefined {
  if (host === undefined) return httpVersion === "1.1" ? "The Host header is missing." : undefined;
  // Node joins what came twice so; no host has a space.
  return host.includes(", ") ? "There must be one Host header." : undefined;
}

/** Small answers hinder nobody; and what a write has done is told in any case. */
function isRefusable({ endpoint }: Incoming, length: number): boolean {
  return length > SMALL && !endpoint.readsBody;
}
