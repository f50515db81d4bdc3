/** What handlers log while they are developed, for people: whatever the server itself says or does not. */
import type { HandlerLog, ShownLine } from "../functions/host/log.ts";

/** `desk support/close info: closed {"id":"…"}`, on stdout. */
export const handlerLog: HandlerLog = (line, of) => {
  process.stdout.write(`${of.realm} ${of.function} ${lineText(line)}\n`);
};

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
