import type { Result, Returned } from "../invocation.ts";
import type { PackedInput } from "../messages.ts";
import { reasonOf } from "./reason.ts";

/** Of the connection, not of the answer (RFC 9110, 7.6.1), or the server's own. */
const dropped: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-request-id",
]);

const headerName = /^[!#$%&'*+.^_`|~\w-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A handler returned what is none. */
class InvalidOutput extends Error {}

/** What a handler returned, as it may leave the thread; getters of it may do anything but harm. */
export function resultOf(kind: PackedInput[0], value: unknown, outputBytes: number): Result {
  try {
    return { kind: "returned", value: read(kind, value, outputBytes) };
  } catch (error) {
    const reason = error instanceof InvalidOutput ? error.message : `its output: ${reasonOf(error)}`;
    return { kind: "failed", code: "invalid_output", reason };
  }
}

function read(kind: PackedInput[0], value: unknown, most: number): Returned {
  switch (kind) {
    case "webhook":
      return webhook(value, most);
    case "call":
      return { kind: "call", output: jsonOf(value, most) };
    case "trigger":
    case "schedule":
      return { kind: "nothing" };
  }
}

/** Nothing is null. */
function jsonOf(value: unknown, most: number): string {
  const text = JSON.stringify(value === undefined ? null : value);
  if (text === undefined) throw new InvalidOutput(`its output cannot be JSON: it is a ${typeof value}`);
  if (Buffer.byteLength(text) > most) throw new InvalidOutput(`its output is longer than ${most} bytes`);
  return text;
}

function webhook(value: unknown, most: number): Returned {
  if (value === undefined) return { kind: "webhook", status: 200, headers: {}, body: "" };
  if (typeof value !== "object" || value === null) {
    throw new InvalidOutput("a webhook returns {status, headers, body}, or nothing");
  }
  const { status, headers = {}, body = "" }: { status?: unknown; headers?: unknown; body?: unknown } = value;
  const sent = typeof status === "number" && isStatus(status) ? status : 200;
  return { kind: "webhook", status: sent, headers: headersOf(headers), body: bodyOf(body, most) };
}

/** One that an answer can end with; another is as none (spec: Functions). */
function isStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599;
}

function headersOf(headers: unknown): Record<string, string> {
  if (typeof headers !== "object" || headers === null)
    throw new InvalidOutput("its headers must be an object");
  const given: [string, unknown][] = Object.entries(headers);
  const sent = new Map<string, string>();
  let connection = "";
  for (const [name, value] of given) {
    if (!headerName.test(name)) throw new InvalidOutput(`${JSON.stringify(name)} is no name of a header`);
    if (typeof value !== "string" || !headerValue.test(value)) {
      throw new InvalidOutput(`its header ${name} must be text of printable characters up to U+00FF`);
    }
    const lower = name.toLowerCase();
    if (lower === "connection") connection = value.toLowerCase();
    if (!dropped.has(lower)) sent.set(lower, value);
  }
  if (connection !== "") for (const name of connection.split(",")) sent.delete(name.trim());
  return Object.fromEntries(sent);
}

function bodyOf(body: unknown, most: number): string | Uint8Array {
  if (typeof body === "string") {
    if (Buffer.byteLength(body) > most) throw new InvalidOutput(`its body is longer than ${most} bytes`);
    return body;
  }
  if (!(body instanceof Uint8Array)) throw new InvalidOutput("its body must be a string or a Uint8Array");
  if (body.byteLength > most) throw new InvalidOutput(`its body is longer than ${most} bytes`);
  // A view of something larger would take all of that with it.
  return new Uint8Array(body);
}
