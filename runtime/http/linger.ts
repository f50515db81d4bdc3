import type { IncomingMessage, ServerResponse } from "node:http";
import type { WholeBody } from "../realm/exchange.ts";

const bytes = 8 * 1024 * 1024;
const milliseconds = 5_000;

/**
 * Ends a response whose request body nobody wanted. Closing at once would reset the connection while the client still
 * sends, and it would lose the answer; so the answer goes out and the rest is read and dropped, within bounds.
 */
export function linger(raw: IncomingMessage, response: ServerResponse, body: WholeBody | undefined): void {
  response.flushHeaders();
  if (body !== undefined) response.write(body);
  endWhenSent(raw, response);
}

/** The same where all of the answer was written. */
export function endWhenSent(raw: IncomingMessage, response: ServerResponse): void {
  let left = bytes;
  const timer = setTimeout(end, milliseconds);
  raw.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) end();
  });
  raw.once("end", end);
  raw.once("error", () => undefined);
  raw.once("close", end);
  raw.resume();

  function end(): void {
    clearTimeout(timer);
    raw.pause();
    response.end();
  }
}
