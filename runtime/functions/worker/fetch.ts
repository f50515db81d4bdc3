/** `ctx.fetch`: the web's `fetch` of a run, which the server carries out. */
import type { AskedFetch, FetchReply } from "../fetch/guarded.ts";

/** Answers that have no body, also an empty one. */
const bodiless: readonly number[] = [204, 205, 304];

/** Has the server do it. The signal ends it there; what comes then is of no use. */
export type AskFetch = (asked: AskedFetch, signal: AbortSignal) => Promise<FetchReply>;

/** @param run its own signal */
export function fetchBy(ask: AskFetch, run: () => AbortSignal): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const signal = AbortSignal.any([run(), request.signal]);
    signal.throwIfAborted();
    const asked: AskedFetch = {
      url: request.url,
      method: request.method,
      headers: JSON.stringify([...request.headers]),
      body: request.body === null ? undefined : new Uint8Array(await request.arrayBuffer()),
      redirect: request.redirect,
    };
    const reply = await Promise.race([ask(asked, signal), aborted(signal)]);
    if ("error" in reply) throw new TypeError(reply.error);
    return response(reply);
  };
}

/** Rejects with its reason. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function response({
  url,
  redirected,
  status,
  statusText,
  headers,
  body,
}: Exclude<FetchReply, { error: string }>): Response {
  const init = { status, statusText, headers: new Headers(JSON.parse(headers)) };
  const made = new Response(bodiless.includes(status) ? null : body, init);
  return Object.defineProperties(made, {
    url: { value: url, configurable: true },
    redirected: { value: redirected, configurable: true },
  });
}

type SendFetch = (
  message: readonly ["fetch", id: number, asked: AskedFetch] | readonly ["unfetch", id: number],
) => void;

/** What a run asks the server to fetch; once the run is over nobody hears of what comes. */
export class Fetches {
  readonly #send: SendFetch;
  readonly #asked = new Map<number, (reply: FetchReply) => void>();
  #next = 0;
  #isOver = false;

  constructor(send: SendFetch) {
    this.#send = send;
  }

  get pending(): number {
    return this.#asked.size;
  }

  readonly ask: AskFetch = (asked, signal) =>
    new Promise((resolve) => {
      if (this.#isOver) return;
      const id = this.#next++;
      this.#asked.set(id, resolve);
      this.#send(["fetch", id, asked]);
      signal.addEventListener("abort", () => this.#asked.delete(id) && this.#send(["unfetch", id]), {
        once: true,
      });
    });

  receive(id: number, reply: FetchReply): void {
    const resolve = this.#asked.get(id);
    this.#asked.delete(id);
    resolve?.(reply);
  }

  end(): void {
    this.#isOver = true;
    this.#asked.clear();
  }
}
