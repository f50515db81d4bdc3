import { type Agent, type ClientRequestArgs, type IncomingMessage, request } from "node:http";
import { request as requestByTls } from "node:https";
import type { LookupFunction } from "node:net";
import { brotliDecompress, type CompressCallback, gunzip } from "node:zlib";

/** How requests leave. */
export interface Way {
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
  { lookup, http, https }: Way,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options: ClientRequestArgs = { method, lookup, signal, headers: Object.fromEntries(headers) };
    const sent =
      url.protocol === "https:"
        ? requestByTls(url, { ...options, agent: https })
        : request(url, { ...options, agent: http });
    sent.on("response", resolve);
    sent.on("error", reject);
    sent.end(body);
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
  { most }: Way,
): Promise<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer> {
  const coding = headers.get("content-encoding")?.toLowerCase() ?? "";
  const isBrotli = coding === "br";
  if (packed.length === 0 || !(isBrotli || /^(?:x-)?gzip$/.test(coding))) return packed;
  return new Promise((resolve, reject) => {
    const done: CompressCallback = (error, bytes) => {
      if (error === null) resolve(new Uint8Array(bytes));
      else reject(error instanceof RangeError ? tooLong(most) : error);
    };
    const bounds = { maxOutputLength: most };
    if (isBrotli) brotliDecompress(packed, bounds, done);
    else gunzip(packed, bounds, done);
  });
}

function tooLong(most: number): TypeError {
  return new TypeError(`ctx.fetch: the answer is longer than ${most} bytes`);
}
