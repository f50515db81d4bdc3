import type { Ending, StreamedBody } from "../../realm/exchange.ts";
import type { Incoming } from "../incoming.ts";

/** Bytes after which others have their turn of the event loop: what is taken at once would keep it for good. */
const turn = 1024 * 1024;

/** Who hears of a streamed answer. */
export interface OutflowObserver {
  /** Its client takes less than its source gives: so many bytes wait. */
  stalled(flow: Outflow, bytes: number): void;
  /** None wait any longer. */
  flows(flow: Outflow): void;
  /** Its source has ended. @param isWhole unless it has failed us */
  ended(flow: Outflow, isWhole: boolean): void;
}

/** How a streamed answer came to its end. */
export interface Outcome {
  /** Bytes of its body that its source gave. */
  readonly bytes: number;
  /** Why it is not whole, where it was neither its client nor us who ended it. */
  readonly error?: unknown;
}

/**
 * A streamed answer on its way from its source to its client: the source is asked for more when the connection has taken
 * what it gave before, and ended when there is nobody to take it.
 */
export class Outflow implements Ending {
  readonly exchange: Incoming;
  /** Bytes that the source gave. */
  sent = 0;
  readonly #body: StreamedBody;
  readonly #observer: OutflowObserver;
  #source: AsyncIterator<Uint8Array | string> | undefined;
  #returned: Promise<void> | undefined;
  #ended = false;
  #closes: boolean;
  #gone: AbortController | undefined;
  #closing: AbortController | undefined;
  #wake: () => void = () => undefined;

  /** @param closes the server shuts down already */
  constructor(exchange: Incoming, body: StreamedBody, observer: OutflowObserver, closes: boolean) {
    this.exchange = exchange;
    this.#body = body;
    this.#observer = observer;
    this.#closes = closes;
    const { response, raw } = exchange;
    response.on("drain", () => this.#wake());
    response.on("socket", () => this.#wake());
    response.on("error", () => this.end());
    response.on("close", () => this.end());
    if (raw.socket.destroyed) this.end();
  }

  get gone(): AbortSignal {
    if (this.#gone === undefined) {
      this.#gone = new AbortController();
      if (this.#ended) this.#gone.abort();
    }
    return this.#gone.signal;
  }

  get closing(): AbortSignal {
    if (this.#closing === undefined) {
      this.#closing = new AbortController();
      if (this.#closes) this.#closing.abort();
    }
    return this.#closing.signal;
  }

  /** Nobody takes any more of it. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#gone?.abort();
    void this.#return();
    this.#wake();
  }

  /** The server shuts down. */
  close(): void {
    if (this.#closes) return;
    this.#closes = true;
    this.#closing?.abort();
  }

  /**
   * Sends it all. Resolves when the source has ended, whatever of it is taken by then. One frame for all of it: thousands
   * of streams may wait in it.
   * @param begin sends the head
   * @throws (rejects with) what hindered opening the source: nothing was sent
   */
  async run(begin: () => void): Promise<Outcome> {
    const { response } = this.exchange;
    let failure: { readonly error: unknown } | undefined;
    try {
      // Of requests that came together, those before this one are answered first.
      while (response.socket === null && !this.#ended) await this.#woken();
      if (!this.#ended) {
        const source = await this.#body.open(this);
        if (source.whole === undefined) this.#source = source[Symbol.asyncIterator]();
        else await this.#sendWhole(source.whole, begin);
      }
      if (!this.#ended && this.#source !== undefined) this.#begin(begin);
      let unbroken = 0;
      while (!this.#ended) {
        const next = await this.#source?.next();
        if (this.#ended) break;
        if (next === undefined || next.done === true) {
          this.#requireWhole();
          break;
        }
        const bytes = typeof next.value === "string" ? Buffer.from(next.value) : next.value;
        if (bytes.length === 0) continue;
        if (!this.#write(bytes)) await this.#taken();
        unbroken += bytes.length;
        if (unbroken < turn) continue;
        unbroken = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      if (!response.headersSent) throw error;
      // What was told to end may say that it did not come to its end.
      if (!this.#ended) failure = { error };
    } finally {
      await this.#return();
      // Nobody waits any longer for who has gone.
      this.#ended = true;
      if (response.headersSent) this.#body.ended?.(this.sent);
      this.#observer.ended(this, failure === undefined);
    }
    return { bytes: this.sent, ...failure };
  }

  /** In one piece with its head. */
  async #sendWhole(bytes: Uint8Array, begin: () => void): Promise<void> {
    if (this.#ended) return;
    const { length = bytes.length } = this.#body;
    if (bytes.length !== length) throw new Error(`the source has ${bytes.length} of ${length} bytes`);
    begin();
    if (!this.#write(bytes)) await this.#taken();
  }

  #begin(begin: () => void): void {
    const { exchange } = this;
    begin();
    exchange.response.flushHeaders();
    exchange.shed();
  }

  /** @returns whether more may be written at once */
  #write(bytes: Uint8Array): boolean {
    const { length } = this.#body;
    this.sent += bytes.length;
    if (length !== undefined && this.sent > length)
      throw new Error(`the source gives more than ${length} bytes`);
    return this.exchange.response.write(bytes);
  }

  #requireWhole(): void {
    const { length } = this.#body;
    if (length !== undefined && this.sent < length)
      throw new Error(`the source gave ${this.sent} of ${length} bytes`);
  }

  /** Resolves when the connection has taken what was written, or never will. */
  async #taken(): Promise<void> {
    const { response } = this.exchange;
    this.#observer.stalled(this, response.writableLength);
    while (response.writableNeedDrain && !this.#ended) await this.#woken();
    this.#observer.flows(this);
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Ends the source, once it is there. */
  async #return(): Promise<void> {
    if (this.#source === undefined) return;
    this.#returned ??= returned(this.#source);
    await this.#returned;
  }
}

/** What a source has to say about its end concerns nobody. */
async function returned(source: AsyncIterator<unknown>): Promise<void> {
  try {
    await source.return?.();
  } catch {}
}
