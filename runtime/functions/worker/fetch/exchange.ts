import type { Agent, ClientRequestArgs, IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import type { InputType, ZlibOptions } from "node:zlib";

/** What of Node's own modules is needed: a thread whose function fetches nothing need not load them. */
export interface NodeParts {
  readonly request: typeof import("node:http").request;
  readonly requestByTls: typeof import("node:https").request;
  readonly gunzip: Unpack;
  readonly brotliDecompress: Unpack;
}

type Unpack = (
  packed: InputType,
  options: ZlibOptions,
  done: (error: Error | null, bytes: Buffer) => void,
) => void;

/** How requests leave. */
export interface Way {
  readonly node: NodeParts;
  readonly lookup: LookupFunction;
  readonly http: Agent;
  readonly https: Agent;
  /** Bytes of an answer's body, as it comes and unpacked. */
  readonly most: number;
}

export interface Outgoing {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

export interface Incoming {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * One request and all of its answer.
 * @throws (rejects with) what hinders it, TypeError where the answer is longer than may be
 */
export async function exchange(url: URL, outgoing: Outgoing, way: Way): Promise<Incoming> {
  const message = await answered(url, outgoing, way);
  const { statusCode: status = 0, statusMessage: statusText = "" } = message;
  const headers = headersOf(message);
  const packed = await bytesOf(message, way.most);
  return { status, statusText, headers, body: await unpacked(packed, headers, way) };
}

function answered(
  url: URL,
  { method, headers, body, signal }: Outgoing,
  { node, lookup, http, https }: Way,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options: ClientRequestArgs = { method, lookup, signal, headers: Object.fromEntries(headers) };
    const request =
      url.protocol === "https:"
        ? node.requestByTls(url, { ...options, agent: https })
        : node.request(url, { ...options, agent: http });
    request.on("response", resolve);
    request.on("error", reject);
    request.end(body);
  });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  return headers;
}

async function bytesOf(message: IncomingMessage, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of message) {
    length += part.length;
    if (length > most) throw tooLong(most);
    parts.push(part);
  }
  return joined(parts, length);
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function unpacked(
  packed: Uint8Array<ArrayBuffer>,
  headers: Headers,
  { node, most }: Way,
): Promise<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer> {
  const coding = headers.get("content-encoding")?.toLowerCase() ?? "";
  const unpack =
    coding === "br" ? node.brotliDecompress : /^(?:x-)?gzip$/.test(coding) ? node.gunzip : undefined;
  if (packed.length === 0 || unpack === undefined) return packed;
  return new Promise((resolve, reject) => {
    unpack(packed, { maxOutputLength: most }, (error, bytes) => {
      if (error === null) resolve(new Uint8Array(bytes));
      else reject(error instanceof RangeError ? tooLong(most) : error);
    });
  });
}

function tooLong(most: number): TypeError {
  return new TypeError(`ctx.fetch: the answer is longer than ${most} bytes`);
}
