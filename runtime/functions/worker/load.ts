/** Brings a bundled handler into a thread. */
import { readFileSync } from "node:fs";
import { Script } from "node:vm";
import type { HandlerModule, Require } from "../handler-module.ts";
import type { FunctionSetup } from "../messages.ts";
import { mentionsWebClasses, settleWebClasses } from "./globals.ts";
import type { Handler } from "./invocation.ts";

/**
 * The script has no way to import: that of Node's loader is given to whatever the loader itself reads, which this is not.
 * @throws (rejects with) what the module throws, TypeError where it exports no handler
 */
export async function loadHandler({ path, fetches }: FunctionSetup, require: Require): Promise<Handler> {
  const text = readFileSync(path, "utf8");
  settleWebClasses(globalThis, fetches || mentionsWebClasses(text));
  const script = new Script(text, { filename: path });
  const module: unknown = script.runInThisContext();
  if (!isModule(module)) throw new TypeError("the module is none of a handler");
  let handler: unknown;
  await module(require, (exported) => {
    handler = exported;
  });
  if (isHandler(handler)) return handler;
  throw new TypeError("the default export of the module is not a function");
}

function isModule(value: unknown): value is HandlerModule {
  return typeof value === "function";
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}
