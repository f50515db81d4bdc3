import { ServerResponse, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ApiError } from "../errors.ts";
import { errorText } from "./failures.ts";

/**
 * Answers what Node's HTTP parser refuses, in our envelope: malformed requests (400), too large headers (431), requests
 * that do not arrive in time (408).
 */
export function refuseClient(error: Error & { code?: string }, socket: Duplex, requestId: string): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const underWay = responseOn(socket);
  if (underWay === undefined) {
    refuse(socket, parserError(error.code), requestId);
  } else if (underWay.req.complete) {
    // A later request on the connection is malformed: the answer to the one under way goes first.
    underWay.once("close", () => refuse(socket, parserError(error.code), requestId));
  } else if (underWay.headersSent) {
    socket.destroy();
  } else {
    refuse(socket, parserError(error.code), requestId);
  }
}

/** Writes an error straight to a connection on which there is no response object, and closes it. */
export function refuse(socket: Duplex, error: ApiError, requestId: string): void {
  if (socket.destroyed || !socket.writable) return;
  const body = errorText(error, requestId);
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `x-request-id: ${requestId}`,
    "cache-control: no-store",
    "vary: Origin",
    "content-type: application/json; charset=utf-8",
    "x-content-type-options: nosniff",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    ...Object.entries(error.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  // The client may still be sending: what comes is dropped, for a while.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), 2_000);
  socket.once("close", () => clearTimeout(timer));
}

function parserError(code: string | undefined): ApiError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new ApiError("request_header_fields_too_large", "The request headers are larger than 32 KiB.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ApiError("request_timeout", "The request did not arrive in time.");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new ApiError("payload_too_large", "The chunk extensions are too large.");
    default:
      return new ApiError("bad_request", "This is not a valid HTTP request.");
  }
}

/** The response that Node is about to write on the connection. */
function responseOn(socket: Duplex): ServerResponse | undefined {
  if (!(socket instanceof Socket) || !("_httpMessage" in socket)) return undefined;
  return socket._httpMessage instanceof ServerResponse ? socket._httpMessage : undefined;
}
