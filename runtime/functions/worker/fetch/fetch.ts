/** `ctx.fetch`: the web's `fetch`, to declared hosts alone. Answers are read to their end before they are given. */
import { Turns } from "../../../turns.ts";
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
/** Answers that have no body, also an empty one. */
const bodiless: readonly number[] = [204, 205, 304];

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

/** What `ctx.fetch` of a run does, until the run ends. */
export type RunFetch = (run: AbortSignal, ...request: Parameters<typeof fetch>) => Promise<Response>;

export async function guardedFetch(options: FetchOptions): Promise<RunFetch> {
  const declared = new Network(options.network);
  const way = await wayOf(options);
  const turns = new Turns(atOnce, waiting, () => new TypeError("ctx.fetch: too many requests are under way"));

  return async (run, input, init) => {
    const request = new Request(input, init);
    const signal = AbortSignal.any([run, request.signal]);
    signal.throwIfAborted();
    const outgoing: Outgoing = {
      method: request.method,
      headers: sentHeaders(request.headers),
      body: request.body === null ? undefined : new Uint8Array(await request.arrayBuffer()),
      signal,
    };
    return turns.run(() => followed(new URL(request.url), outgoing, request.redirect));
  };

  async function followed(first: URL, request: Outgoing, mode: Request["redirect"]): Promise<Response> {
    let url = first;
    let outgoing = request;
    for (let hop = 0; ; hop++) {
      declared.check(url);
      const incoming = await exchange(url, outgoing, way).catch((error: unknown) => {
        if (outgoing.signal.aborted) throw outgoing.signal.reason;
        throw error instanceof TypeError
          ? error
          : new TypeError(`ctx.fetch: ${reasonOf(error)}`, { cause: error });
      });
      const next = mode === "manual" ? undefined : redirectOf(incoming, url);
      if (next === undefined) return response(incoming, url, hop > 0);
      if (mode === "error") throw new TypeError(`ctx.fetch: ${url.host} redirects`);
      if (hop === redirects) throw new TypeError(`ctx.fetch: more than ${redirects} redirects`);
      outgoing = redirected(outgoing, incoming.status, next.origin === url.origin);
      url = next;
    }
  }
}

async function wayOf({ most, resolve, agents }: FetchOptions): Promise<Way> {
  const [http, https, zlib, dns] = await Promise.all([
    import("node:http"),
    import("node:https"),
    import("node:zlib"),
    import("node:dns/promises"),
  ]);
  const { gunzip, brotliDecompress } = zlib;
  const pooled = { keepAlive: true, maxSockets: atOnce };
  return {
    node: { request: http.request, requestByTls: https.request, gunzip, brotliDecompress },
    lookup: publicLookup(resolve ?? ((name) => dns.lookup(name, { all: true }))),
    http: agents?.http ?? new http.Agent(pooled),
    https: agents?.https ?? new https.Agent(pooled),
    most,
  };
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

function response(
  { status, statusText, headers, body }: Incoming,
  url: URL,
  isRedirected: boolean,
): Response {
  const made = new Response(bodiless.includes(status) ? null : body, { status, statusText, headers });
  url.hash = "";
  return Object.defineProperties(made, {
    url: { value: url.href, configurable: true },
    redirected: { value: isRedirected, configurable: true },
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "no answer";
}
