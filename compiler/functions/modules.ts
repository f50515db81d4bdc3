/** Which modules of Node a handler may import. */
import { builtinModules } from "node:module";

export const allowedModules: readonly string[] = [
  ...["assert", "buffer", "crypto", "events", "path", "querystring", "stream", "string_decoder"],
  ...["url", "util", "zlib"],
];

/** Node's name of a module, without `node:`; undefined where it is none of Node's. */
export function nodeModule(specifier: string): string | undefined {
  if (specifier.startsWith("node:")) return specifier.slice("node:".length);
  return builtinModules.includes(specifier) ? specifier : undefined;
}

/** Whether handlers, and packages that they import, may have it; parts such as `stream/promises` go with the whole. */
export function isAllowed(name: string): boolean {
  return allowedModules.includes(name.split("/")[0] ?? name);
}

/** `node:assert, node:buffer, …`, for messages. */
export const allowedInWords = allowedModules.map((name) => `node:${name}`).join(", ");
