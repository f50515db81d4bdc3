import { startedRealms } from "../../runtime/instance/testing/started.ts";

const events = ["SIGHUP", "SIGINT", "SIGTERM", "uncaughtException", "unhandledRejection"];

const timers = [
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "queueMicrotask",
] as const;

/** What a test can change of its process that another one may depend on. */
export function traces() {
  return {
    folder: process.cwd(),
    // Sharp says there where its library was made.
    environment: { ...process.env, VIPSHOME: undefined },
    // Packages that are loaded later may keep something of their own, called so by custom, or as Amazon does.
    globals: Object.getOwnPropertyNames(globalThis).filter((name) => !/^(?:__|awslambda$)/.test(name)),
    replaced: [
      ...timers.map((name) => globalThis[name]),
      globalThis.fetch,
      Date.now,
      performance.now,
      process.stdout.write,
    ],
    listeners: events.map((event) => [event, process.listenerCount(event)]),
    servers: [...startedRealms.keys()],
  };
}
