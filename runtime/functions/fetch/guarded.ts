/**
 * What `ctx.fetch` asks for, done in the server's own thread: to declared hosts alone. No handler comes near a socket, and none
 * of what is checked here rests on anything that a handler could change.
 */
import { lookup } from "node:dns/promises";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Turns } from "../../turns.ts";
import { exchange, type Incoming, type Outgoing, type Way } from "./exchange.ts";
import { publicLookup, type Resolve } from "./lookup.ts";
import { Network } from "./network.ts";

export interface FetchOptions {
  /** `network` of function.yaml. */
  readonly network: readonly string[];
  /** Bytes of an answer's body. */
  readonly most: number;
  /** Default: as the machine does. */
  readonly resolve?: Resolve;
  readonly agents?: Pick<Way, "http" | "https">;
}

/** Requests of a thread that are under way at a time, and those that wait. */
const atOnce = 8;
const waiting = 10_000;
const redirects = 20;
const redirecting: readonly number[] = [301, 302, 303, 307, 308];

/** What is of one connection, or said by the server's address. */
const ownHeaders = [
  "host",
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
/** What proves who asks: for the host that it was meant for. */
const credentials = ["authorization", "cookie", "proxy-authorization"];
const aboutTheBody = ["content-encoding", "content-language", "content-location", "content-type"];

/** A request as a thread tells it. */
export interface AskedFetch {
  readonly url: string;
  readonly method: string;
  readonly headers: PackedPairs;
  readonly body: Uint8Array | undefined;
  readonly redirect: Redirect;
}

export const redirectModes = ["follow", "error", "manual"] as const;
type Redirect = (typeof redirectModes)[number];

/** JSON text of names and values. */
export type PackedPairs = string;

/** All of an answer, or why there is none. */
export type FetchReply =
  | {
      readonly url: string;
      readonly redirected: boolean;
      readonly status: number;
      readonly statusText: string;
      readonly headers: PackedPairs;
      readonly body: Uint8Array<ArrayBuffer>;
    }
  | { readonly error: string };

/** Answers, whatever is asked for, until it is closed. */
export class GuardedFetch {
  readonly #declared: Network;
  readonly #way: Way;
  readonly #turns = new Turns(
    atOnce,
    waiting,
    () => new TypeError("ctx.fetch: too many requests are under way"),
  );

  constructor(options: FetchOptions) {
    this.#declared = new Network(options.network);
    this.#way = wayOf(options);
  }

  async answer(asked: AskedFetch, signal: AbortSignal): Promise<FetchReply> {
    try {
      const { url, method, headers, body, redirect } = asked;
      if (!methods.test(method) || refusedMethods.includes(method))
        throw new TypeError(`ctx.fetch: ${method} is no method that may be asked for`);
      const outgoing = { method, headers: sentHeaders(new Headers(pairsOf(headers))), body, signal };
      return await this.#turns.run(() => this.#followed(new URL(url), outgoing, redirect));
    } catch (error) {
      return { error: error instanceof TypeError ? error.message : `ctx.fetch: ${reasonOf(error)}` };
    }
  }

  /** Ends its connections. */
  close(): void {
    this.#way.http.destroy();
    this.#way.https.destroy();
  }

  async #followed(first: URL, request: Outgoing, mode: Redirect): Promise<FetchReply> {
    let url = first;
    let outgoing = request;
    for (let hop = 0; ; hop++) {
      outgoing.signal.throwIfAborted();
      this.#declared.check(url);
      const incoming = await exchange(url, outgoing, this.#way);
      const next = mode === "manual" ? undefined : redirectOf(incoming, url);
      if (next === undefined) return reply(incoming, url, hop > 0);
      if (mode === "error") throw new TypeError(`ctx.fetch: ${url.host} redirects`);
      if (hop === redirects) throw new TypeError(`ctx.fetch: more than ${redirects} redirects`);
      outgoing = redirected(outgoing, incoming.status, next.origin === url.origin);
      url = next;
    }
  }
}

const methods = /^[!#$%&'*+.^_`|~\w-]+$/;
/** As of the web's `fetch`. */
const refusedMethods = ["CONNECT", "TRACE", "TRACK"];

function wayOf({ most, resolve, agents }: FetchOptions): Way {
  const pooled = { keepAlive: true, maxSockets: atOnce };
  return {
    lookup: publicLookup(resolve ?? ((name) => lookup(name, { all: true }))),
    http: agents?.http ?? new HttpAgent(pooled),
    https: agents?.https ?? new HttpsAgent(pooled),
    most,
  };
}

/** @throws where it is none */
function pairsOf(packed: PackedPairs): [string, string][] {
  const given: unknown = JSON.parse(packed);
  if (!Array.isArray(given)) throw new TypeError("ctx.fetch: the headers are none");
  return given.map((each: unknown): [string, string] => {
    const [name, value]: unknown[] = Array.isArray(each) ? each : [];
    return [String(name), String(value)];
  });
}

function sentHeaders(given: Headers): Headers {
  const headers = new Headers(given);
  for (const name of ownHeaders) headers.delete(name);
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "gzip, br");
  if (!headers.has("accept")) headers.set("accept", "*/*");
  return headers;
}

/** @throws TypeError where it leads nowhere */
function redirectOf({ status, headers }: Incoming, from: URL): URL | undefined {
  const location = headers.get("location");
  if (!redirecting.includes(status) || location === null) return undefined;
  if (!URL.canParse(location, from.href)) throw new TypeError("ctx.fetch: the redirect leads to no URL");
  const to = new URL(location, from);
  if (to.hash === "") to.hash = from.hash;
  return to;
}

/** The request that a redirect makes of another (Fetch Standard: HTTP-redirect fetch). */
function redirected(outgoing: Outgoing, status: number, isSameOrigin: boolean): Outgoing {
  const headers = new Headers(outgoing.headers);
  if (!isSameOrigin) for (const name of credentials) headers.delete(name);
  const { method } = outgoing;
  const asks = status === 303 ? method !== "GET" && method !== "HEAD" : status < 303 && method === "POST";
  if (!asks) return { ...outgoing, headers };
  for (const name of aboutTheBody) headers.delete(name);
  return { ...outgoing, headers, method: "GET", body: undefined };
}

function reply({ status, statusText, headers, body }: Incoming, url: URL, isRedirected: boolean): FetchReply {
  url.hash = "";
  return {
    ...{ url: url.href, redirected: isRedirected, status, statusText },
    ...{ headers: JSON.stringify([...headers]), body },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "no answer";
}
