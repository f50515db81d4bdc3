import type { IncomingMessage } from "node:http";
import type { ApiError } from "../errors.ts";
import type { RequestBody } from "../realm/exchange.ts";
import { type Arriving, type BodyMemory, tooManyBodies } from "./body-memory.ts";
import { GrowingBuffer } from "./growing.ts";

/** What of a body Node quietly reads and drops after an answer that did not wait for it. */
const dropped = 64 * 1024;

/** The client went away, or was answered otherwise, in the middle of its body: nobody waits for an answer. */
export class Abandoned extends Error {}

/** Whether more of the body may be still to come than Node quietly drops after an answer that did not read it. */
export function bringsMuch({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers["transfer-encoding"] !== undefined || declared(headers) > dropped;
}

/** As Node reads it. */
const continuing = /(?:^|\W)100-continue(?:$|\W)/i;

/** Whether the client waits to be told that its body is wanted. */
export function waitsToSend({ headers }: IncomingMessage): boolean {
  return headers.expect !== undefined && continuing.test(headers.expect);
}

/**
 * Whether Node holds the whole body. Mostly it came along with the headers, and Node has it from the microtask after them on,
 * but says that the request is complete a few of its turns later only.
 */
export function isHere({ headers, readableLength }: IncomingMessage): boolean {
  return headers["transfer-encoding"] === undefined && readableLength === declared(headers);
}

/** Bytes of the body, where its headers tell; else 0. */
export function declared(headers: IncomingMessage["headers"]): number {
  return Number(headers["content-length"] ?? 0);
}

const nobody = () => undefined;

/** Reads the body of one request, and holds it until it is released. */
export class Intake implements Arriving {
  /** Reading has begun: what is still to come nobody else will read. */
  begun = false;
  /** Nothing of it is still to come. */
  whole = false;
  /** It came in more than one piece: somebody waited for it. */
  inPieces = false;
  readonly #raw: IncomingMessage;
  readonly #memory: BodyMemory;
  readonly #held = new GrowingBuffer();
  #settled = false;
  #give: (body: RequestBody) => void = nobody;
  #refuse: (error: Error) => void = nobody;

  constructor(raw: IncomingMessage, memory: BodyMemory) {
    this.#raw = raw;
    this.#memory = memory;
  }

  /**
   * Reads at most `limit` bytes; nothing about them is judged here. To be called once.
   * @param refusal asked before more than 64 KiB are read: what the caller is answered whatever the body holds
   * @throws (rejects with) that; ApiError `unavailable` where the instance holds too many bodies; Abandoned
   */
  read(limit: number, refusal: () => ApiError | undefined): Promise<RequestBody> | RequestBody {
    const raw = this.#raw;
    const { headers } = raw;
    const length = declared(headers);
    if (length === 0 && headers["transfer-encoding"] === undefined) return "none";
    if (length > limit) return "too-large";
    const refused = length > dropped ? refusal() : undefined;
    if (refused !== undefined) throw refused;
    if (raw.destroyed) throw new Abandoned();
    this.begun = true;
    return new Promise((resolve, reject) => {
      this.#give = resolve;
      this.#refuse = reject;
      if (raw.complete || isHere(raw)) {
        // There is nothing to wait for.
        const whole: Buffer | null = raw.read();
        if (whole !== null) this.#take(whole, limit, refusal);
        this.#end();
        return;
      }
      raw.on("data", (chunk: Buffer) => this.#take(chunk, limit, refusal));
      raw.on("end", () => this.#end());
      raw.on("error", () => undefined);
      raw.on("close", () => this.#fail(new Abandoned()));
    });
  }

  evict(): void {
    this.#fail(tooManyBodies());
  }

  /** Nobody needs the body any longer. */
  release(): void {
    const { capacity } = this.#held;
    if (capacity === 0) return;
    this.#held.clear();
    this.#memory.giveBack(this, capacity);
  }

  #take(chunk: Buffer, limit: number, refusal: () => ApiError | undefined): void {
    if (this.#settled) return;
    const before = this.#held.size;
    const size = before + chunk.length;
    if (size > limit) {
      this.#settle();
      this.release();
      this.#give("too-large");
      this.#forget();
      return;
    }
    const refused = size > dropped && before <= dropped ? refusal() : undefined;
    if (refused !== undefined) {
      this.#fail(refused);
      return;
    }
    const { capacity } = this.#held;
    this.inPieces = capacity > 0;
    this.#held.append(chunk, declared(this.#raw.headers) || limit);
    this.#memory.grow(this, this.#held.capacity - capacity);
  }

  #end(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.whole = true;
    this.#memory.arrived(this);
    this.#give(this.#held.all() ?? "none");
    this.#forget();
  }

  #fail(error: Error): void {
    if (this.#settled) return;
    this.#settle();
    this.release();
    this.#refuse(error);
    this.#forget();
  }

  /** Whoever was given the body; through them it would be held as long as this is. */
  #forget(): void {
    this.#give = nobody;
    this.#refuse = nobody;
  }

  /** Nothing more is taken. */
  #settle(): void {
    this.#settled = true;
    this.#raw.pause();
  }
}
