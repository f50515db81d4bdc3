import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { ApiError } from "../errors.ts";
import type { Caller } from "../realm/caller.ts";
import type { Exchange, Received, RequestBody, StreamExchange } from "../realm/exchange.ts";
import type { AddressOf } from "./address.ts";
import type { AnswerMemory } from "./answer-memory.ts";
import type { Endpoint } from "./endpoint.ts";
import { bringsMuch, Intake, isHere, waitsToSend } from "./intake.ts";
import { Inflow, type Uploads } from "./streams/inflow.ts";

/** What all requests of an instance have in common. */
export interface Reception extends Uploads {
  readonly addressOf: AddressOf;
  readonly maxBodyBytes: number;
  readonly answers: AnswerMemory;
}

/** A request under way: what handlers see of it ({@link Exchange}), and the response that it ends in. */
export class Incoming implements Received, StreamExchange {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly endpoint: Endpoint;
  readonly params: Exchange["params"];
  readonly requestId: string;
  caller: Caller | undefined;
  /** Handlers see it once they have received it. */
  body: RequestBody = "none";
  /** `performance.now()` at its arrival, where somebody watches; else 0. */
  started = 0;
  readonly #reception: Reception;
  #intake: Intake | Inflow | undefined;
  #reserved = 0;

  constructor(
    raw: IncomingMessage,
    response: ServerResponse,
    endpoint: Endpoint,
    params: Exchange["params"],
    requestId: string,
    reception: Reception,
  ) {
    this.raw = raw;
    this.response = response;
    this.endpoint = endpoint;
    this.params = params;
    this.requestId = requestId;
    this.#reception = reception;
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

  /** Bytes. */
  get reserved(): number {
    return this.#reserved;
  }

  reserve(bytes: number): void {
    this.#reception.answers.judge(this.#reserved, bytes);
    this.hold(bytes);
  }

  /** The same of an answer that is given in any case. */
  hold(bytes: number): void {
    this.#reception.answers.change(this.#reserved, bytes);
    this.#reserved = bytes;
  }

  get address(): string {
    const forwarded = this.raw.headers["x-forwarded-for"];
    return this.#reception.addressOf(
      this.raw.socket.remoteAddress ?? "",
      typeof forwarded === "string" ? forwarded : forwarded?.join(","),
    );
  }

  get inPieces(): boolean {
    return this.#intake instanceof Intake && this.#intake.inPieces;
  }

  async receive(refusal: () => ApiError | undefined = nobodyRefuses): Promise<Received> {
    if (!this.endpoint.readsBody || this.#intake !== undefined) return this;
    const { raw, response } = this;
    const { bodies, maxBodyBytes } = this.#reception;
    const intake = new Intake(raw, bodies);
    this.#intake = intake;
    // The packet that brought the headers is still being read.
    if (!isHere(raw)) await undefined;
    const body = intake.read(maxBodyBytes, refusal);
    if (intake.begun && waitsToSend(raw)) response.writeContinue();
    this.body = await body;
    return this;
  }

  stream(limit: number): Inflow {
    if (this.#intake !== undefined) throw new Error("the body was asked for before");
    const { raw, response } = this;
    const inflow = new Inflow(raw, this.#reception, limit, () => {
      if (waitsToSend(raw)) response.writeContinue();
    });
    this.#intake = inflow;
    return inflow;
  }

  /** More of the body is to come, or may be, than is dropped by itself: its connection can serve nobody else. */
  get leavesUnread(): boolean {
    const { raw } = this;
    if (raw.complete || this.#intake?.whole === true) return false;
    return this.#intake?.begun === true || waitsToSend(raw) || bringsMuch(raw);
  }

  /** Its handler has answered: nobody needs its body any longer, however long the answer goes on. */
  release(): void {
    this.#intake?.release();
    this.body = "none";
  }

  /** Its answer goes on for long: of its headers those are kept that may be asked for again ({@link lasting}). */
  shed(): void {
    this.raw.headers = lasting(this.raw.headers);
    this.raw.rawHeaders = [];
  }
}

/** What tells who sends a request, and whether its body has come. */
function lasting(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { authorization, cookie, expect, origin } = headers;
  return {
    authorization,
    cookie,
    expect,
    origin,
    "content-length": headers["content-length"],
    "transfer-encoding": headers["transfer-encoding"],
    "x-forwarded-for": headers["x-forwarded-for"],
    "x-svc-on-behalf-of": headers["x-svc-on-behalf-of"],
  };
}

const nobodyRefuses = () => undefined;
