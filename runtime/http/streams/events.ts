import type { Answer, StreamedBody } from "../../realm/exchange.ts";

/** A block of an event stream; what it does not have is left out. */
export interface ServerEvent {
  /** What clients send as `Last-Event-ID` when they come again. Alone, it is noted without an event. */
  readonly id?: string | undefined;
  /** Its name; clients call it `message` where there is none. */
  readonly event?: string | undefined;
  /** Lines may end in any way; clients read `\n`. */
  readonly data?: string | undefined;
  /** Milliseconds after which clients come again. */
  readonly retry?: number | undefined;
  /** For nobody: it shows that the connection lives. */
  readonly comment?: string | undefined;
}

const lineEnd = /\r\n|\r|\n/;
const breaks = /[\r\n\0]/;

/**
 * A block as it is sent (WHATWG, Server-sent events, 9.2.5). It may be made once for many streams, and several of them
 * joined.
 * @throws RangeError for an id or a name of more than one line or with NUL, and a `retry` that is no whole number
 */
export function eventFrame({ id, event, data, retry, comment }: ServerEvent): string {
  let frame = "";
  if (comment !== undefined) frame += lines(":", comment);
  if (event !== undefined) frame += `event: ${singleLine(event, "name")}\n`;
  if (data !== undefined) frame += lines("data:", data);
  if (id !== undefined) frame += `id: ${singleLine(id, "id")}\n`;
  if (retry !== undefined) frame += `retry: ${milliseconds(retry)}\n`;
  return `${frame}\n`;
}

/**
 * An event stream as an answer.
 * @param open as of every stream; what its source gives is made of {@link eventFrame}, those that are there together at once
 */
export function events(open: StreamedBody["open"]): Answer {
  return { status: 200, headers: eventHeaders, body: { kind: "stream", open } };
}

const eventHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies are not to wait for more.
  "x-accel-buffering": "no",
};

function lines(field: string, text: string): string {
  if (!breaks.test(text)) return `${field} ${text}\n`;
  let all = "";
  for (const line of text.split(lineEnd)) all += `${field} ${line}\n`;
  return all;
}

function singleLine(text: string, what: string): string {
  if (breaks.test(text)) throw new RangeError(`the ${what} of an event must be one line without NUL`);
  return text;
}

function milliseconds(retry: number): number {
  if (Number.isSafeInteger(retry) && retry >= 0) return retry;
  throw new RangeError("retry must be a whole number of milliseconds");
}
