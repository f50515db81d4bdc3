import pino, { type Logger } from "pino";
import type { LogLevel } from "./setting-values.ts";

/**
 * The process's log: JSON lines on stdout, readable ones on a terminal (`SVC_LOG`: starts, warnings and errors at
 * `info`; every request with `SVC_ACCESS_LOG`, or at `debug`). No line holds a credential, a body or a query.
 */
export async function createLog(level: LogLevel): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const json = () => pino(options, pino.destination({ fd: 1, sync: true }));
  if (process.stdout.isTTY !== true) return json();
  // A terminal without the package gets JSON like everything else.
  const pretty = await import("pino-pretty").catch(() => undefined);
  if (pretty === undefined) return json();
  return pino(options, pretty.default({ sync: true, translateTime: "SYS:HH:MM:ss.l" }));
}
