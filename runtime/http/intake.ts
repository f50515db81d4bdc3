import type { IncomingMessage } from "node:http";
import type { RequestBody } from "../realm/exchange.ts";

/** Whether the request brings a body, possibly an empty one. */
export function bringsBody(raw: IncomingMessage): boolean {
  const { headers } = raw;
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** Whether more of the body may be still to come than Node quietly drops after an answer that did not read it. */
export function bringsMuch(raw: IncomingMessage): boolean {
  const { headers } = raw;
  if (raw.complete) return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 65_536;
}

/**
 * Reads the body up to `limit` bytes and hands it over once; nothing about it is judged here, since a credential and
 * rules come first. A client that goes away in between is never handed over; `abandoned` is called instead.
 */
export function receiveBody(
  raw: IncomingMessage,
  limit: number,
  received: (body: RequestBody) => void,
  abandoned: () => void,
): void {
  if (Number(raw.headers["content-length"] ?? 0) > limit) {
    received("too-large");
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let settled = false;
  raw.on("data", (chunk: Buffer) => {
    if (settled) return;
    size += chunk.length;
    if (size <= limit) {
      chunks.push(chunk);
      return;
    }
    settled = true;
    raw.pause();
    received("too-large");
  });
  raw.on("end", () => {
    if (settled) return;
    settled = true;
    const [first] = chunks;
    if (first === undefined) received("none");
    else received(chunks.length === 1 ? first : Buffer.concat(chunks, size));
  });
  raw.on("error", () => undefined);
  raw.on("close", () => {
    if (settled) return;
    settled = true;
    abandoned();
  });
}
