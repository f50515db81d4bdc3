import type { StreamedBody } from "../../realm/exchange.ts";
import type { UntakenAnswers } from "../answer-memory.ts";
import type { Incoming } from "../incoming.ts";
import { endWhenSent } from "../linger.ts";
import { type Outcome, Outflow, type OutflowObserver } from "./outflow.ts";

export class Streams implements OutflowObserver {
  readonly #open = new Set<Outflow>();
  /** Bytes that wait for clients; whichever stalled last is the last. */
  readonly #stalled = new Map<Outflow, number>();
  readonly #untaken: UntakenAnswers;
  readonly #most: number;
  #held = 0;
  #closes = false;

  /** @param most bytes of streams that wait for their clients at a time */
  constructor(untaken: UntakenAnswers, most: number) {
    this.#untaken = untaken;
    this.#most = most;
  }

  /** Streams under way. */
  get count(): number {
    return this.#open.size;
  }

  /**
   * Answers with a stream. Resolves when its source has ended.
   * @param begin sends the head
   * @throws (rejects with) what hindered opening the source: nothing was sent
   */
  send(exchange: Incoming, body: StreamedBody, begin: () => void): Promise<Outcome> {
    const flow = new Outflow(exchange, body, this, this.#closes);
    this.#open.add(flow);
    this.#untaken.add(exchange.response, () => flow.end());
    return flow.run(begin);
  }

  /** Tells all, and those that are still to come, that the server shuts down. */
  close(): void {
    this.#closes = true;
    for (const flow of this.#open) flow.close();
  }

  stalled(flow: Outflow, bytes: number): void {
    this.#change(flow, bytes);
    // Slow clients hinder nobody until all of them together hold too much: then those go that wait for longest.
    for (const longest of this.#stalled.keys()) {
      if (this.#held <= this.#most) return;
      this.#change(longest, 0);
      longest.exchange.raw.socket.destroy();
    }
  }

  flows(flow: Outflow): void {
    this.#change(flow, 0);
  }

  ended(flow: Outflow, isWhole: boolean): void {
    this.#open.delete(flow);
    if (isWhole) this.#finish(flow.exchange);
    else cut(flow.exchange);
  }

  #change(flow: Outflow, bytes: number): void {
    this.#held += bytes - (this.#stalled.get(flow) ?? 0);
    flow.exchange.hold(bytes);
    if (bytes > 0) this.#stalled.set(flow, bytes);
    else this.#stalled.delete(flow);
  }

  #finish(exchange: Incoming): void {
    const { raw, response } = exchange;
    if (!response.headersSent || raw.socket.destroyed) return;
    // Its head has promised to keep the connection: nobody would close it before the grace is over.
    if (this.#closes) response.once("finish", () => raw.socket.destroySoon());
    if (exchange.leavesUnread) endWhenSent(raw, response);
    else response.end();
  }
}

/** Ends a connection so that what was sent of an answer is not taken for all of it. */
function cut({ raw }: Incoming): void {
  // To HTTP/1.0, a connection that is closed in order is the end of an answer.
  if (raw.httpVersion === "1.0") raw.socket.resetAndDestroy();
  else raw.socket.destroy();
}

export function isStream(body: unknown): body is StreamedBody {
  return typeof body === "object" && body !== null && "kind" in body;
}
