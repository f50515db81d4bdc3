/** What handlers log while they are developed, for people: whatever the server itself says or does not. */
import type { HandlerLog } from "../functions/host/log.ts";

/** `desk support/close info: closed {"id":"…"}`, on stdout. */
export const handlerLog: HandlerLog = ({ level, message, fields }, of) => {
  const more = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields)}`;
  process.stdout.write(`${of.realm} ${of.function} ${level}: ${readable(message + more)}\n`);
};

/** Lines beyond the first are indented; what would steer a terminal is shown as it is written in JSON. */
function readable(text: string): string {
  return text
    .replace(/\r?\n/g, "\n  ")
    .replace(/(?![\n\t])\p{Cc}/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
