/** What handlers log while they are developed, for people: whatever the server itself says or does not. */
import { HandlerFailure } from "../functions/answers.ts";
import type { HandlerFailed, HandlerLog, ShownLine } from "../functions/host/log.ts";
import type { Log } from "../realm/exchange.ts";

/** `desk support/close info: closed {"id":"…"}`, on stdout. */
export const handlerLog: HandlerLog = (line, of) => {
  process.stdout.write(`${of.realm} ${of.function} ${lineText(line)}\n`);
};

/**
 * `desk support/close failed: TypeError: … (config/desk/support/_func/close/handler.ts:4:26)`, on stdout, and the stack below.
 * @param config the configuration folder
 */
export function handlerFailedIn(config: string): HandlerFailed {
  return (reason, { realm, function: name }) => {
    process.stdout.write(`${realm} ${name} ${readable(failureText(reason, config, realm))}\n`);
  };
}

/**
 * `failed: TypeError: … (config/desk/support/_func/close/handler.ts:4:26)`, with the stack on further lines where it says more.
 * Places in files of the realm are those that an editor opens.
 */
export function failureText(reason: string, config: string, realm: string): string {
  const folder = withoutEnd(config);
  const [first = "", ...frames] = reason.split("\n");
  const shown = frames.map((frame) => {
    const text = frame.trim();
    const place = placeIn(text);
    return place?.startsWith(`${realm}/`) ? text.replace(place, () => `${folder}/${place}`) : text;
  });
  const place = shown.map(placeIn).find((each) => each?.startsWith(`${folder}/${realm}/`));
  const head = `failed: ${first}${place === undefined ? "" : ` (${place})`}`;
  return shown.length === 1 && place !== undefined ? head : [head, ...shown].join("\n");
}

/** A folder as it is called, without slashes at its end. */
function withoutEnd(folder: string): string {
  let end = folder.length;
  while (end > 1 && folder[end - 1] === "/") end -= 1;
  return folder.slice(0, end);
}

/** `handler.ts:4:26` of `at handler (handler.ts:4:26)` and of `at handler.ts:4:26`. */
function placeIn(frame: string): string | undefined {
  const from = Math.max(frame.lastIndexOf("("), frame.lastIndexOf(" ")) + 1;
  const place = frame.slice(from, frame.endsWith(")") ? -1 : undefined);
  return /^[^\s():]+:\d+:\d+$/.test(place) ? place : undefined;
}

/** A log without why handlers failed: that is told of each run, whoever asked for it. */
export function withoutHandlers(log: Log): Log {
  const isOfHandler = (fields: object): boolean => "err" in fields && fields.err instanceof HandlerFailure;
  return {
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => isOfHandler(fields) || log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}

/** `info: closed {"id":"…"}`. */
export function lineText({ level, message, fields }: ShownLine): string {
  const more = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
  return `${level}: ${readable(message + more)}`;
}

/** Lines beyond the first are indented; what would steer a terminal is shown as it is written in JSON. */
function readable(text: string): string {
  return text
    .replace(/\r?\n/g, "\n  ")
    .replace(/(?![\n\t])\p{Cc}/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
