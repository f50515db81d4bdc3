/** Which modules of Node a handler may import. */
import { builtinModules } from "node:module";
import { handlerModules, requirable } from "../../runtime/functions/handler-module.ts";

/** Node's name of a module, without `node:`; undefined where it is none of Node's. */
export function nodeModule(specifier: string): string | undefined {
  if (specifier.startsWith("node:")) return specifier.slice("node:".length);
  return builtinModules.includes(specifier) ? specifier : undefined;
}

/** Whether handlers, and packages that they import, may have it. */
export function isAllowed(name: string): boolean {
  return requirable.has(name);
}

/** `node:assert, node:buffer, …`, for messages. */
export const allowedInWords = handlerModules.map((name) => `node:${name}`).join(", ");
