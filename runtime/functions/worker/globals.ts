/** What handlers find in `globalThis`. */
import { format } from "node:util";
import type { RunLog } from "./log.ts";

/** What reaches past `ctx`: the process, the network, other threads. */
const hidden = [
  "process",
  "fetch",
  "WebSocket",
  "EventSource",
  "BroadcastChannel",
  "MessageChannel",
  "MessagePort",
  "navigator",
  "localStorage",
  "sessionStorage",
] as const;

/** Takes from `global` what no handler is to have. */
export function hideGlobals(global: typeof globalThis): void {
  for (const name of hidden) Reflect.deleteProperty(global, name);
}

/** Node loads what they are when one of them is first named. */
const webClasses = ["Request", "Response", "Headers", "FormData"] as const;

/** Whether a handler has any of them, which stands in its text: nothing makes code of other text. */
export function mentionsWebClasses(text: string): boolean {
  return webClasses.some((name) => text.includes(name));
}

/** Loads them while everything that they are made of is as Node has it, or takes them away. */
export function settleWebClasses(global: typeof globalThis, areUsed: boolean): void {
  for (const name of webClasses) {
    if (areUsed)
      Object.defineProperty(global, name, { value: global[name], configurable: true, writable: true });
    else Reflect.deleteProperty(global, name);
  }
}

/**
 * Packages write to `console`: into the log of the run under way. What is no message of a level (tables, counters, timers)
 * does nothing.
 */
export function captureConsole(global: typeof globalThis, logOfRun: () => RunLog | undefined): void {
  const write =
    (level: "debug" | "info" | "warn" | "error") =>
    (...values: readonly unknown[]) =>
      logOfRun()?.write(level, format(...values));
  const nothing = () => {};
  const captured: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(global.console)) {
    if (typeof value === "function") captured[name] = nothing;
  }
  Object.assign(captured, {
    debug: write("debug"),
    trace: write("debug"),
    log: write("info"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  });
  Object.defineProperty(global, "console", { value: captured, configurable: true, writable: true });
}
