import type { IncomingMessage } from "node:http";
import { ApiError } from "../../errors.ts";
import { BUFFER } from "../../realm/exchange.ts";
import { requireIdentity } from "../body.ts";
import { type Arriving, type BodyMemory, tooManyBodies } from "../body-memory.ts";
import { GrowingBuffer } from "../growing.ts";
import { Abandoned, declared } from "../intake.ts";
import type { StalledBodies, Upload } from "./stalled.ts";

/** What is common to the streamed bodies of a server. */
export interface Uploads {
  readonly bodies: BodyMemory;
  readonly stalled: StalledBodies;
}

/**
 * A request body as it comes. Its bytes wait here, put together, until they are asked for; where {@link BUFFER} bytes do,
 * Node holds what one packet brings, and the client waits.
 */
export class Inflow implements AsyncIterableIterator<Buffer>, Arriving, Upload {
  /** Reading has begun: what is still to come nobody else will read. */
  begun = false;
  /** Nothing of it is still to come. */
  whole = false;
  readonly raw: IncomingMessage;
  readonly #uploads: Uploads;
  readonly #limit: number;
  readonly #begin: () => void;
  readonly #held = new GrowingBuffer();
  #size = 0;
  /** Nothing more is taken: all is there, or something is wrong. */
  #settled = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** @param begin called when reading begins */
  constructor(raw: IncomingMessage, uploads: Uploads, limit: number, begin: () => void) {
    this.raw = raw;
    this.#uploads = uploads;
    this.#limit = limit;
    this.#begin = begin;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Somebody waits for the client. */
  get awaited(): boolean {
    return this.#wake !== undefined;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    if (!this.begun && !this.#settled) this.#start();
    while (this.#held.size === 0 && !this.#settled) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
    const piece = this.#held.all();
    if (piece === undefined) return { done: true, value: undefined };
    this.#clear();
    if (!this.#settled && this.raw.isPaused()) this.raw.resume();
    return { done: false, value: piece };
  }

  /** Nobody wants the rest. */
  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.release();
    return { done: true, value: undefined };
  }

  evict(): void {
    this.#fail(tooManyBodies());
  }

  /** Nothing more has come for as long as a client may take. */
  expire(): void {
    this.#fail(new ApiError("request_timeout", "The request did not arrive in time."));
  }

  /** Nobody needs what is there, and nothing more is taken. */
  release(): void {
    this.#settle();
    this.#clear();
  }

  #start(): void {
    const { raw } = this;
    const { headers } = raw;
    const length = declared(headers);
    if (length === 0 && headers["transfer-encoding"] === undefined) {
      this.whole = true;
      this.#settled = true;
      return;
    }
    requireIdentity(headers["content-encoding"]);
    if (length > this.#limit) throw tooLarge();
    if (raw.destroyed) throw new Abandoned();
    this.begun = true;
    this.#begin();
    this.#uploads.stalled.add(this);
    raw.on("data", this.#take);
    raw.on("end", this.#end);
    raw.on("error", () => undefined);
    // Mostly all of it has come by then: an error that nobody is told has a cost, too.
    raw.on("close", () => {
      if (!this.#settled) this.#fail(new Abandoned());
    });
  }

  readonly #take = (piece: Buffer): void => {
    this.#size += piece.length;
    if (this.#size > this.#limit) {
      this.#fail(tooLarge());
      return;
    }
    const { capacity } = this.#held;
    this.#held.append(piece, Math.max(2 * BUFFER, this.#held.size + piece.length));
    this.#uploads.bodies.grow(this, this.#held.capacity - capacity);
    if (this.#settled) return;
    if (this.#size === declared(this.raw.headers)) this.#end();
    else if (this.#held.size >= BUFFER) this.raw.pause();
    this.#woken();
  };

  readonly #end = (): void => {
    this.whole = true;
    this.#settle();
    this.#woken();
  };

  #fail(failure: Error): void {
    if (this.#settled) return;
    this.#failure = failure;
    this.release();
    this.#woken();
  }

  #woken(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  #settle(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#uploads.stalled.delete(this);
    const { raw } = this;
    raw.off("data", this.#take);
    raw.off("end", this.#end);
    if (!this.whole) raw.pause();
  }

  #clear(): void {
    const { capacity } = this.#held;
    this.#held.clear();
    this.#uploads.bodies.giveBack(this, capacity);
  }
}

function tooLarge(): ApiError {
  return new ApiError("payload_too_large", "The request body is too large.");
}
